/** Whether a single key is a shortcut here: not in a field, not in a dialog, not with a modifier. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return true
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable) return false
  return document.querySelector('dialog[open]') === null
}

/** Moves the focus with the arrow keys, or j and k, among the elements of a list. */
export function moveFocus(event: KeyboardEvent, list: Element | null, selector: string) {
  if (!isShortcut(event)) return
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key]
  if (step === undefined) return
  const items = [...(list?.querySelectorAll<HTMLElement>(selector) ?? [])]
  const at = items.indexOf(document.activeElement as HTMLElement)
  event.preventDefault()
  items[Math.min(Math.max(at + step, 0), items.length - 1)]?.focus()
}
