/** A value on a board. */
export type Entry = { playerId: string; value: number; tie: number }
/**
 * A position in the order of a board: value, then tie, then the player's id, so that no two entries are equal. `playerId` may also be a
 * text between the ids of two entries, see `positionAfter`.
 */
export type Position = Entry

type Direction = 'desc' | 'asc'

/** Compares positions: the better one first. */
export const byRank =
  (direction: Direction) =>
  (a: Position, b: Position): number =>
    (direction === 'desc' ? 1 : -1) * (b.value - a.value || b.tie - a.tie || order(b.playerId, a.playerId))

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** Takes the place of a player's id: the position after all entries with this value and tie. Every id is before `~`. */
export const afterAll = (direction: Direction): string => (direction === 'asc' ? '~' : '')

export const isTied = (a: Position, b: Position | undefined): boolean =>
  a.value === b?.value && a.tie === b.tie

/**
 * The position between an entry and the next one. It contains no player's id, because everybody may read it in a cursor: if the two
 * have the same value and tie, it has only as many characters of the id as distinguish them.
 */
export function positionAfter(direction: Direction, entry: Position, next: Position | undefined): Position {
  const { value, tie, playerId } = entry
  const length = next && isTied(entry, next) ? sharedLength(playerId, next.playerId) + 1 : 0
  return { value, tie, playerId: playerId.slice(0, length) + afterAll(direction) }
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
