import { useEffect, useRef, useState } from 'preact/hooks'

import { asSvcError, call, type RequestOf, type SvcError } from '../../developer.ts'
import { compactJson, indentJson, type LineProblem, problemOfJson } from '../../json-text.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import type { Editor } from '../../ui/editor.ts'
import { TrashIcon } from '../../ui/icons.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { ErrorNotice, Skeleton } from '../../ui/states.tsx'

type Params = RequestOf<'readPlayerSave'>['params']
type Loaded = { version: number; text: string }

/** What is wrong with the last attempt to save, or to close. */
type Problem =
  | { is: 'refused'; error: SvcError }
  | { is: 'line'; problem: LineProblem }
  | { is: 'conflict'; currentVersion: number }
  | { is: 'unsaved' }

type Props = {
  route: Route
  params: Params
  onClose: () => void
  onSaved: (version: number) => void
  onDelete: (version: number) => void
}

/** The data of a save as text. A save that was written meanwhile is not replaced without a question. */
export function SaveDialog({ route, params, onClose, onSaved, onDelete }: Props) {
  const editor = useRef<Editor | undefined>(undefined)
  const [loaded, setLoaded] = useState<Loaded>()
  const [isChanged, setChanged] = useState(false)
  const [problem, setProblem] = useState<Problem>()

  const load = async () => {
    setProblem(undefined)
    try {
      const save = await readSave(params)
      setLoaded(save)
      editor.current?.replace(save.text)
      setChanged(false)
    } catch (failure) {
      setProblem({ is: 'refused', error: asSvcError(failure) })
    }
  }
  useEffect(() => void load(), [])

  const { run, busy } = useAction(async (ifVersion: number) => {
    const text = editor.current?.text() ?? ''
    const found = problemOfJson(text)
    editor.current?.show(found ? [found] : [])
    if (found) {
      editor.current?.goTo(found.line)
      return setProblem({ is: 'line', problem: found })
    }
    setProblem(undefined)
    try {
      const json = `{"ifVersion":${ifVersion},"data":${compactJson(text)}}`
      const { version } = await call('writePlayerSave', { params, body: { data: null } }, { json })
      onSaved(version)
    } catch (failure) {
      const error = asSvcError(failure)
      const { currentVersion } = error.details
      setProblem(
        error.code === 'version_conflict' && typeof currentVersion === 'number'
          ? { is: 'conflict', currentVersion }
          : { is: 'refused', error },
      )
    }
  })
  const close = () => (isChanged ? setProblem({ is: 'unsaved' }) : onClose())

  return (
    <FormDialog
      route={route}
      title={<code>{params.key}</code>}
      label={`Save ${params.key}`}
      about={loaded && `Version ${loaded.version}. A running game can overwrite your changes.`}
      submit={`Save${inProduction(route)}`}
      disabled={!loaded || !isChanged}
      wide
      side={
        loaded && (
          <Button icon={TrashIcon} onClick={() => onDelete(loaded.version)}>
            Delete…
          </Button>
        )
      }
      action={{ run: () => loaded && run(loaded.version), busy, error: undefined }}
      onClose={close}
    >
      {!loaded && !problem && <Skeleton lines={5} />}
      {loaded && (
        <div class="save-editor">
          <JsonEditor
            label={`Data in ${params.key}`}
            text={loaded.text}
            onReady={(opened) => (editor.current = opened)}
            onChange={(text) => {
              setChanged(text !== loaded.text)
              setProblem(undefined)
            }}
          />
        </div>
      )}
      {problem?.is === 'refused' && (
        <ErrorNotice error={problem.error} {...(!loaded && { again: () => void load() })} />
      )}
      {problem?.is === 'line' && (
        <p class="notice-warn" role="alert">
          Line {problem.problem.line}: {problem.problem.message}
        </p>
      )}
      {problem?.is === 'conflict' && (
        <div class="notice-warn" role="alert">
          <span class="grow">
            {problem.currentVersion === 0
              ? 'This save was deleted while you were editing.'
              : `Version ${problem.currentVersion} was written while you were editing.`}
          </span>
          {problem.currentVersion > 0 && (
            <Button small onClick={load}>
              Discard my changes and reload
            </Button>
          )}
          <Button small onClick={() => run(problem.currentVersion)}>
            Save mine{inProduction(route)}
          </Button>
        </div>
      )}
      {problem?.is === 'unsaved' && (
        <div class="notice-warn" role="alert">
          <span class="grow">You have unsaved changes.</span>
          <Button small onClick={onClose}>
            Discard my changes
          </Button>
        </div>
      )}
    </FormDialog>
  )
}

/** The text as it is stored, with new lines and indentation: not even a long number changes. */
export const readSave = async (params: Params): Promise<Loaded> =>
  (await call(
    'readPlayerSave',
    { params },
    {
      parse: (answer) => {
        const { version } = JSON.parse(answer) as { version: number }
        // The data is last, and no field before it can contain a quotation mark.
        const start = answer.indexOf('"data":') + '"data":'.length
        return { version, text: indentJson(answer.slice(start, -1)) }
      },
    },
  )) as unknown as Loaded
