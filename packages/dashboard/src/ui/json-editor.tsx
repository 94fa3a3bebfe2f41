import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import type { Editor } from './editor.ts'

type Props = {
  /** The text at the start; `onReady` gives what changes it later. */
  text: string
  label: string
  /** Begins when somebody points at the text or focuses it. */
  waits?: boolean
  onChange: (text: string) => void
  onReady: (editor: Editor) => void
}

/** An editor for JSON. Its script occupies a phone for half a second, so the text is there before it. */
export function JsonEditor({ text, label, waits = false, onChange, onReady }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLPreElement>(null)
  const [isWanted, setWanted] = useState(!waits)
  const [opened, setOpened] = useState<{ editor: Editor; isFocused: boolean }>()
  // The newest callback knows the newest state.
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    if (!isWanted) return
    let editor: Editor | undefined
    let isGone = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (isGone || !host.current) return
      editor = openEditor(host.current, { text, label, onChange: (typed) => changed.current(typed) })
      setOpened({ editor, isFocused: document.activeElement === plain.current })
      onReady(editor)
    })
    return () => {
      isGone = true
      editor?.destroy()
    }
  }, [isWanted])
  // As soon as it is visible.
  useLayoutEffect(() => {
    if (opened?.isFocused) opened.editor.focus()
  }, [opened])
  return (
    <>
      {!opened && (
        <pre
          ref={plain}
          class="json-editor plain"
          role="group"
          aria-label={label}
          tabIndex={0}
          onPointerEnter={() => setWanted(true)}
          onFocus={() => setWanted(true)}
        >
          {text}
        </pre>
      )}
      <div ref={host} class="json-editor" hidden={!opened} />
    </>
  )
}
