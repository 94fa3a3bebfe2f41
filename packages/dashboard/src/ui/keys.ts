/** Whether a single key is a shortcut: not in a field, not in a dialog, not with a modifier. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return true
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable) return false
  return document.querySelector('dialog[open]') === null
}
