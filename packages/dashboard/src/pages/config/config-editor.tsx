import type { CurrentConfig } from '@svc/contract/config'
import { lineOf, linesOf } from '@svc/contract/config-lines'
import { useEffect, useRef, useState } from 'preact/hooks'

import { asSvcError, type SvcError } from '../../developer.ts'
import { inProduction, type Place } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice, Skeleton } from '../../ui/states.tsx'
import type { Editor, LineProblem } from './editor.ts'
import { usePush } from './push-dialog.tsx'

const STARTER = {
  version: 1,
  features: { saves: true, stats: true, multiplayer: true, hosting: true, realtimeChannels: true },
  stats: [{ key: 'wins' }],
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 4 }] },
}

const textOf = (current: CurrentConfig) =>
  `${JSON.stringify(current.version === 0 ? STARTER : current.config, null, 2)}\n`

type Problems = { kind: 'lines'; list: LineProblem[] } | { kind: 'refused'; error: SvcError }

/** The document as text; a push shows what it changes first. */
export function ConfigEditor({ here, current }: { here: Place; current: CurrentConfig }) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | undefined>(undefined)
  const [isReady, setReady] = useState(false)
  /** The version that the text was loaded from. */
  const [base, setBase] = useState(current.version)
  const [isChanged, setChanged] = useState(current.version === 0)
  const [problems, setProblems] = useState<Problems>()
  const [busy, setBusy] = useState(false)
  const original = useRef(textOf(current))
  const push = usePush(here, (version) => {
    original.current = editor.current?.text() ?? ''
    setBase(version)
    setChanged(false)
  })

  useEffect(() => {
    let isGone = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (isGone || !host.current) return
      const opened = openEditor(host.current, {
        text: textOf(current),
        onChange: (text) => {
          setChanged(text !== original.current)
          setProblems(undefined)
        },
      })
      editor.current = opened
      setReady(true)
      const path = here.query['path']
      if (path) opened.goTo(lineOf(linesOf(opened.text()), path.startsWith('$') ? path : `$.${path}`))
    })
    return () => {
      isGone = true
      editor.current?.destroy()
    }
  }, [])

  const load = () => {
    original.current = textOf(current)
    editor.current?.replace(original.current)
    setBase(current.version)
    setChanged(false)
    setProblems(undefined)
  }
  // Nothing of this person is lost: a text without changes follows the service.
  useEffect(() => {
    if (current.version !== base && !isChanged) load()
  }, [current.version])

  const showProblems = (list: LineProblem[]) => {
    setProblems({ kind: 'lines', list })
    editor.current?.show(list)
    if (list[0]) editor.current?.goTo(list[0].line)
  }
  const review = async () => {
    const text = editor.current?.text() ?? ''
    setProblems(undefined)
    editor.current?.show([])
    const parsed = parse(text)
    if ('problem' in parsed) return showProblems([parsed.problem])
    setBusy(true)
    try {
      await push.review(parsed.value)
    } catch (failure) {
      const error = asSvcError(failure)
      const found = error.details['errors'] as { path: string; message: string }[] | undefined
      if (error.code === 'invalid_config' && found) {
        const lines = linesOf(text)
        showProblems(found.map(({ path, message }) => ({ line: lineOf(lines, path), message })))
      } else setProblems({ kind: 'refused', error })
    }
    setBusy(false)
  }

  return (
    <>
      {current.version !== base && isChanged && (
        <div class="notice-warn" role="status">
          <span class="grow">
            Version {current.version} was pushed while you were editing. Your push would replace it.
          </span>
          <Button small onClick={load}>
            Discard my changes and load it
          </Button>
        </div>
      )}
      <section class="card config-card">
        {!isReady && (
          <div class="card-body">
            <Skeleton lines={14} />
          </div>
        )}
        <div ref={host} class="config-editor" hidden={!isReady} />
        <footer class="table-foot">
          <span class="small soft grow">
            {current.version === 0
              ? 'A document to start with. Nothing is enabled until you push it.'
              : isChanged
                ? 'Changed, not pushed'
                : 'As pushed'}
          </span>
          <Button disabled={!isChanged || current.version === 0} onClick={load}>
            Discard
          </Button>
          <Button kind="main" busy={busy} disabled={!isReady || !isChanged} onClick={review}>
            Review and push{inProduction(here)}
          </Button>
        </footer>
      </section>
      {problems?.kind === 'refused' && <ErrorNotice error={problems.error} />}
      {problems?.kind === 'lines' && problems.list.length > 0 && (
        <section class="card problems" role="alert">
          <h2>{problems.list.length === 1 ? '1 problem' : `${problems.list.length} problems`}</h2>
          <ul>
            {problems.list.map(({ line, message }, index) => (
              <li key={index}>
                <button type="button" class="link" onClick={() => editor.current?.goTo(line)}>
                  Line {line}
                </button>
                <span>{message}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {push.dialog}
    </>
  )
}

function parse(text: string): { value: unknown } | { problem: LineProblem } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
    return {
      problem: { line: text.slice(0, position).split('\n').length, message: `This is not JSON: ${message}` },
    }
  }
}
