import type { CurrentConfig } from '@svc/contract/config/config'
import { lineOf, linesOf } from '@svc/contract/config/lines'
import { useEffect, useRef, useState } from 'preact/hooks'

import { asSvcError, type SvcError } from '../../developer.ts'
import { type LineProblem, problemOfJson } from '../../json-text.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import type { Editor } from '../../ui/editor.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { ErrorNotice } from '../../ui/states.tsx'
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
export function ConfigEditor({ route, current }: { route: Route; current: CurrentConfig }) {
  const editor = useRef<Editor | undefined>(undefined)
  const [isReady, setReady] = useState(false)
  /** The version that the text was loaded from. */
  const [base, setBase] = useState(current.version)
  const [isChanged, setChanged] = useState(current.version === 0)
  const [problems, setProblems] = useState<Problems>()
  const original = useRef(textOf(current))
  const push = usePush(route, (version) => {
    original.current = editor.current?.text() ?? ''
    setBase(version)
    setChanged(false)
  })

  const onReady = (opened: Editor) => {
    editor.current = opened
    setReady(true)
    const path = route.query['path']
    if (path) opened.goTo(lineOf(linesOf(opened.text()), path.startsWith('$') ? path : `$.${path}`))
  }

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
  const review = useAction(async () => {
    const text = editor.current?.text() ?? ''
    setProblems(undefined)
    editor.current?.show([])
    const problem = problemOfJson(text)
    if (problem) return showProblems([problem])
    try {
      await push.review(JSON.parse(text))
    } catch (failure) {
      const error = asSvcError(failure)
      const found = error.details['errors'] as { path: string; message: string }[] | undefined
      if (error.code !== 'invalid_config' || !found) return setProblems({ kind: 'refused', error })
      const lines = linesOf(text)
      showProblems(found.map(({ path, message }) => ({ line: lineOf(lines, path), message })))
    }
  })

  return (
    <>
      {current.version !== base && isChanged && (
        <div class="notice-warn" role="status">
          <span class="grow">
            Version {current.version} was pushed while you were editing. Your push would overwrite it.
          </span>
          <Button small onClick={load}>
            Discard my changes and reload
          </Button>
        </div>
      )}
      <section class="card config-card">
        <JsonEditor
          label="Config document"
          text={textOf(current)}
          waits={current.version > 0 && route.query['path'] === undefined}
          onReady={onReady}
          onChange={(text) => {
            setChanged(text !== original.current)
            setProblems(undefined)
          }}
        />
        <footer class="table-foot">
          <span class="small soft grow">
            {current.version === 0
              ? 'A starting point. Nothing changes until you push.'
              : isChanged
                ? 'Unsaved changes'
                : 'Saved'}
          </span>
          <Button disabled={!isChanged || current.version === 0} onClick={load}>
            Discard
          </Button>
          <Button kind="main" busy={review.busy} disabled={!isReady || !isChanged} onClick={review.run}>
            Review and push{inProduction(route)}
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
