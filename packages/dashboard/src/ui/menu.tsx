import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** A list that a button with `popovertarget` opens; arrow keys move in it. */
export function Menu({ id, children, label }: { id: string; children: ComponentChildren; label: string }) {
  const element = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('a, button') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    items.at(to % items.length)?.focus()
  }
  return (
    <div
      ref={element}
      id={id}
      popover="auto"
      class="menu"
      role="group"
      aria-label={label}
      onKeyDown={onKeyDown}
      onClick={(event) => (event.target as Element).closest('a, button') && element.current?.hidePopover()}
    >
      {children}
    </div>
  )
}
