import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { Button } from './button.tsx'
import { CloseIcon } from './icons.ts'

type Props = { title: string; onClose: () => void; children: ComponentChildren }

/** Beside a list, not over it: the next entry is one click away. Esc closes it and returns the focus. */
export function Panel({ title, onClose, children }: Props) {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const focusedBefore = document.activeElement
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open], :popover-open')) return
      close.current()
      if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <aside class="panel" aria-label={title}>
      <header class="panel-top">
        <span class="small faint grow">{title}</span>
        <Button small kind="quiet" icon={CloseIcon} label="Close (Esc)" onClick={onClose} />
      </header>
      <div class="panel-scroll">{children}</div>
    </aside>
  )
}
