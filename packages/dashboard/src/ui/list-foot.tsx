import { useState } from 'preact/hooks'

import { Button } from './button.tsx'

/** Pages of a list whose next page needs the cursor of this one. */
export function useCursors<Cursor>() {
  const [cursors, setCursors] = useState<Cursor[]>([])
  return {
    current: cursors.at(-1),
    isFirst: cursors.length === 0,
    back: () => setCursors(cursors.slice(0, -1)),
    next: (cursor: Cursor) => setCursors([...cursors, cursor]),
    reset: () => setCursors([]),
  }
}

/** Below a list: Back and More; nothing if the list has one page. */
export function ListFoot<Cursor>({
  cursors,
  next,
  note,
}: {
  cursors: ReturnType<typeof useCursors<Cursor>>
  next: Cursor | null | undefined
  note: string
}) {
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
