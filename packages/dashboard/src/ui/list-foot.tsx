import { useState } from 'preact/hooks'

import { Button } from './button.tsx'

/** Pages of a list whose next page needs the cursor of this one; `name` is the parameter of the call that takes it. */
export function useCursors<Cursor extends string | number, Name extends string = 'cursor'>(name?: Name) {
  const [cursors, setCursors] = useState<Cursor[]>([])
  const current = cursors.at(-1)
  return {
    /** The parameter of the current page; the first page has none. */
    query: (current === undefined ? {} : { [name ?? 'cursor']: current }) as { [Key in Name]?: Cursor },
    isFirst: cursors.length === 0,
    back: () => setCursors(cursors.slice(0, -1)),
    next: (cursor: Cursor) => setCursors([...cursors, cursor]),
    reset: () => setCursors([]),
  }
}

type ListFootProps<Cursor> = {
  cursors: { isFirst: boolean; back: () => void; next: (cursor: Cursor) => void }
  next: Cursor | null | undefined
  note: string
}

/** Below a list: Back and More; nothing if the list has one page. */
export function ListFoot<Cursor>({ cursors, next, note }: ListFootProps<Cursor>) {
  const hasNext = next !== null && next !== undefined
  if (cursors.isFirst && !hasNext) return null
  return (
    <footer class="table-foot">
      <span class="tiny faint grow">{note}</span>
      <Button small disabled={cursors.isFirst} onClick={cursors.back}>
        Back
      </Button>
      <Button small disabled={!hasNext} onClick={() => hasNext && cursors.next(next)}>
        More
      </Button>
    </footer>
  )
}
