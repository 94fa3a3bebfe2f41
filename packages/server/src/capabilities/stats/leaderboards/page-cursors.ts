import { invalidField } from '../../../platform/api-error.ts'
import type { Position } from './entries-store.ts'

/** Where a page of a board begins: after the entry with this rank. */
export type PagePosition = Position & { rank: number }

/** The cursor for the page after this entry. */
export const cursorAfter = (boardId: number, { value, tie, rank }: PagePosition): string =>
  Buffer.from(JSON.stringify([boardId, value, tie, rank])).toString('base64url')

/** Undefined for the first page. Throws if no page of this board can have returned the cursor. */
export function positionIn(cursor: string, boardId: number): PagePosition | undefined {
  if (cursor === '') return undefined
  const numbers = numbersIn(Buffer.from(cursor, 'base64url').toString())
  const [id, value, tie, rank] = numbers
  const isOurs = numbers.length === 4 && id === boardId && isPlace(rank) && Number.isSafeInteger(tie)
  if (!isOurs || value === undefined || tie === undefined || rank === undefined)
    throw invalidField('$.cursor', 'must be the value that the previous page returned')
  return { value, tie, rank }
}

const isPlace = (rank: number | undefined) => Number.isSafeInteger(rank) && (rank ?? 0) > 0

function numbersIn(text: string): number[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) && parsed.every((one): one is number => Number.isFinite(one)) ? parsed : []
  } catch {
    return []
  }
}
