import { useEffect, useRef, useState } from 'preact/hooks'

import type { Editor } from './editor.ts'
import { Skeleton } from './states.tsx'

type Props = {
  /** The text at the start; `onReady` gives what changes it later. */
  text: string
  label: string
  onChange: (text: string) => void
  onReady: (editor: Editor) => void
}

/** An editor for JSON, whose script is loaded when it is first shown. */
export function JsonEditor({ text, label, onChange, onReady }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const [isReady, setReady] = useState(false)
  // The newest callback knows the newest state.
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    let editor: Editor | undefined
    let isGone = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (isGone || !host.current) return
      editor = openEditor(host.current, { text, label, onChange: (typed) => changed.current(typed) })
      setReady(true)
      onReady(editor)
    })
    return () => {
      isGone = true
      editor?.destroy()
    }
  }, [])
  return (
    <>
      {!isReady && (
        <div class="card-body">
          <Skeleton lines={14} />
        </div>
      )}
      <div ref={host} class="json-editor" hidden={!isReady} />
    </>
  )
}
