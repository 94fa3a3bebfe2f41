import { invalidField } from '../../platform/api-error.ts'
import type { BoardKey, Position } from './entries-store.ts'
import { positionAfter } from './positions.ts'

/** Where a page of a board begins: after the entry with this rank. */
export type PagePosition = Position & { rank: number }

/** The cursor for the page after the entry `last`; `next` is the first entry of that page. */
export function cursorAfter({ id, direction }: BoardKey, last: PagePosition, next: Position): string {
  const { value, tie, playerId } = positionAfter(direction, last, next)
  return Buffer.from(JSON.stringify([id, value, tie, playerId, last.rank])).toString('base64url')
}

/** Undefined for the first page. Throws if no page of this board can have returned the cursor. */
export function positionIn(cursor: string, boardId: number): PagePosition | undefined {
  if (cursor === '') return undefined
  const [id, value, tie, playerId, rank, ...more] = listIn(Buffer.from(cursor, 'base64url').toString())
  const isOurs =
    id === boardId &&
    Number.isFinite(value) &&
    Number.isSafeInteger(tie) &&
    isStart(playerId) &&
    isPlace(rank) &&
    more.length === 0
  if (!isOurs) throw invalidField('$.cursor', 'must be the value that the previous page returned')
  return { value, tie, playerId, rank } as PagePosition
}

const isPlace = (rank: unknown) => Number.isSafeInteger(rank) && Number(rank) > 0

/** The beginning of an id; both databases compare only these characters in the same order. */
const isStart = (text: unknown) => typeof text === 'string' && /^[0-9A-Za-z_]{0,40}~?$/.test(text)

function listIn(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
