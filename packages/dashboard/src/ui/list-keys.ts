import { useEffect } from 'preact/hooks'

import { isShortcut } from './keys.ts'

/** The entries of all lists and tables of a page. Lists in dialogs and menus, and the parts of charts, have none. */
const ENTRIES = 'main :is(tbody, ul, ol) > *'
const NOT_IN = 'dialog, [popover], .bars, .line-chart'
/** What Enter opens. Buttons of the class `button` change something: Tab reaches them, Enter on an entry does not. */
const OPENS = 'summary, a[href], button:not(.button, .copy, [role=switch])'
const STEPS: Record<string, 1 | -1> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** `j` and `k` walk over the entries of all lists of the page, and Enter opens the entry; in a list also the arrow keys walk. */
export function useListKeys() {
  useEffect(() => {
    addEventListener('keydown', walk)
    return () => removeEventListener('keydown', walk)
  }, [])
}

function walk(event: KeyboardEvent) {
  const step = STEPS[event.key]
  if (step === undefined || !isShortcut(event)) return
  const entries = entriesOf(document)
  const focused = entries.findIndex((entry) => entry.contains(document.activeElement))
  // Elsewhere the arrow keys scroll the page.
  if (
    event.key.startsWith('Arrow') &&
    document.activeElement !== (entries[focused] && targetOf(entries[focused]))
  )
    return
  const at = focused === -1 ? entries.findIndex(isOpen) : focused
  const entry = entries[Math.min(Math.max(at + step, 0), entries.length - 1)]
  if (!entry) return
  event.preventDefault()
  const target = targetOf(entry)
  if (target === entry) entry.tabIndex = -1
  target.focus()
  // The content beside such a list follows the chosen entry.
  if (entry.parentElement?.hasAttribute('data-follows')) target.click()
}

/** The visible entries; not those of a list inside an entry. */
const entriesOf = (page: Document): HTMLElement[] =>
  [...page.querySelectorAll<HTMLElement>(ENTRIES)].filter(
    (entry) => entry.checkVisibility() && !entry.closest(NOT_IN) && !entry.parentElement?.closest(ENTRIES),
  )

/** An item of a closed menu cannot have the focus. */
const targetOf = (entry: HTMLElement): HTMLElement =>
  [...entry.querySelectorAll<HTMLElement>(OPENS)].find((one) => one.closest(NOT_IN) === null) ?? entry

const isOpen = (entry: HTMLElement): boolean =>
  entry.matches('.is-open') || entry.querySelector('[aria-current]') !== null
