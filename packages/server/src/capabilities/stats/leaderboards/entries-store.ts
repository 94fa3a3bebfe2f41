import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { sql } from 'kysely'

import { type Database, type Queries, statement } from '../../../engines/database/database.ts'
import { listStatement } from '../../../engines/database/list-statement.ts'
import type { PlayerKey } from '../../../platform/player.ts'

export type EntryStore = ReturnType<typeof createEntryStore>
export type Entries = ReturnType<typeof entries>

/** A value on a board. */
export type Entry = { playerId: string; value: number; tie: number }
/** A position in the order of a board. */
export type Position = Pick<Entry, 'value' | 'tie'>
export type BoardKey = { id: number; period: LeaderboardPeriod; direction: 'desc' | 'asc' }

/** The entries of boards: the rows of `stats` whose `…Board` is the board's id, read through the index of their period. */
export const createEntryStore = (db: Database) => ({ ...entries(db), in: entries })

const entries = (queries: Queries) => ({
  top: (board: BoardKey, limit: number) => queries.all(of(board).top, { board: board.id, limit }),
  after: (board: BoardKey, { value, tie }: Position, limit: number) =>
    queries.all(of(board).after, { board: board.id, value, tie, limit }),
  /** The next better entries, the nearest first. */
  before: (board: BoardKey, { value, tie }: Position, limit: number) =>
    queries.all(of(board).before, { board: board.id, value, tie, limit }),
  /** Undefined if the player is not on this board. */
  find: (board: BoardKey, environmentId: string, playerId: string, key: string) =>
    queries.first(of(board).find, { board: board.id, environmentId, playerId, key }),
  chosen: (board: BoardKey, environmentId: string, key: string, playerIds: readonly string[]) =>
    of(board).chosen(queries, { board: board.id, environmentId, key }, playerIds),

  /** How many entries there are, at most `max`. */
  count: async (board: BoardKey, max: number) =>
    (await queries.first(of(board).count, { board: board.id, max }))?.count ?? 0,
  /** How many entries are better, at most `max`. */
  countBetter: async (board: BoardKey, { value, tie }: Position, max: number) =>
    (await queries.first(of(board).countBetter, { board: board.id, value, tie, max }))?.count ?? 0,
  /** How many entries are worse than `from` and better than `to`. */
  countBetween: async (board: BoardKey, from: Position, to: Position) =>
    (
      await queries.first(of(board).countBetween, {
        board: board.id,
        value: to.value,
        tie: to.tie,
        fromValue: from.value,
        fromTie: from.tie,
      })
    )?.count ?? 0,
  countWorse: async (board: BoardKey, { value, tie }: Position, max: number) =>
    (await queries.first(of(board).countWorse, { board: board.id, value, tie, max }))?.count ?? 0,
  /** The position that is `offset` entries after the first, or after `from`. */
  step: (board: BoardKey, from: Position | undefined, offset: number) =>
    from
      ? queries.first(of(board).step, { board: board.id, value: from.value, tie: from.tie, offset })
      : queries.first(of(board).firstStep, { board: board.id, offset }),
})

type OfBoard = { board: number }
type Mine = OfBoard & Position
type Limited = { limit: number }
type Most = { max: number }

type Statements = ReturnType<typeof statementsOf>
const built = new Map<string, Statements>()

function of({ period, direction }: BoardKey): Statements {
  const name = `${period} ${direction}`
  const known = built.get(name) ?? statementsOf(period, direction)
  built.set(name, known)
  return known
}

/**
 * Each comparison of value and tie also has a range of the value: without it PostgreSQL starts parallel workers, which takes 36 ms
 * for 1,000 entries.
 */
function statementsOf(period: LeaderboardPeriod, direction: 'desc' | 'asc') {
  const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
  const opposite = direction === 'desc' ? 'asc' : 'desc'
  const [value, tied] = [sql.ref(ranked), sql.ref(tie)]
  const [better, worse] = direction === 'desc' ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  const isBetter = (than: Position) =>
    sql<boolean>`${value} ${better}= ${than.value} and (${value}, ${tied}) ${better} (${than.value}, ${than.tie})`
  const isWorse = (than: Position) =>
    sql<boolean>`${value} ${worse}= ${than.value} and (${value}, ${tied}) ${worse} (${than.value}, ${than.tie})`
  const entry = ['playerId', `${ranked} as value`, `${tie} as tie`] as const
  const number = sql<number>`count(*)`.as('count')

  return {
    top: statement((q, { board: id, limit }: OfBoard & Limited) =>
      q
        .selectFrom('stats')
        .select(entry)
        .where(board, '=', id)
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .limit(limit)
        .$castTo<Entry>(),
    ),
    after: statement((q, mine: Mine & Limited) =>
      q
        .selectFrom('stats')
        .select(entry)
        .where(board, '=', mine.board)
        .where(isWorse(mine))
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .limit(mine.limit)
        .$castTo<Entry>(),
    ),
    before: statement((q, mine: Mine & Limited) =>
      q
        .selectFrom('stats')
        .select(entry)
        .where(board, '=', mine.board)
        .where(isBetter(mine))
        .orderBy(ranked, opposite)
        .orderBy(tie, opposite)
        .limit(mine.limit)
        .$castTo<Entry>(),
    ),
    find: statement((q, { board: id, environmentId, playerId, key }: OfBoard & PlayerKey & { key: string }) =>
      q
        .selectFrom('stats')
        .select(entry)
        .where('environmentId', '=', environmentId)
        .where('playerId', '=', playerId)
        .where('key', '=', key)
        .where(board, '=', id)
        .$castTo<Entry>(),
    ),
    chosen: listStatement(
      (q, { board: id, environmentId, key }: OfBoard & { environmentId: string; key: string }, list) =>
        q
          .selectFrom('stats')
          .select(entry)
          .where('environmentId', '=', environmentId)
          .where('playerId', 'in', list)
          .where('key', '=', key)
          .where(board, '=', id)
          .$castTo<Entry>(),
    ),
    count: statement((q, { board: id, max }: OfBoard & Most) =>
      q
        .selectFrom((from) =>
          from
            .selectFrom('stats')
            .select(`${tie} as tie`)
            .where(board, '=', id)
            .orderBy(ranked, direction)
            .orderBy(tie, direction)
            .limit(max)
            .as('counted'),
        )
        .select(number),
    ),
    countBetter: statement((q, mine: Mine & Most) =>
      q
        .selectFrom((from) =>
          from
            .selectFrom('stats')
            .select(`${tie} as tie`)
            .where(board, '=', mine.board)
            .where(isBetter(mine))
            .orderBy(ranked, direction)
            .orderBy(tie, direction)
            .limit(mine.max)
            .as('counted'),
        )
        .select(number),
    ),
    countWorse: statement((q, mine: Mine & Most) =>
      q
        .selectFrom((from) =>
          from
            .selectFrom('stats')
            .select(`${tie} as tie`)
            .where(board, '=', mine.board)
            .where(isWorse(mine))
            .orderBy(ranked, direction)
            .orderBy(tie, direction)
            .limit(mine.max)
            .as('counted'),
        )
        .select(number),
    ),
    countBetween: statement((q, mine: Mine & { fromValue: number; fromTie: number }) =>
      q
        .selectFrom('stats')
        .select(number)
        .where(board, '=', mine.board)
        .where(isBetter(mine))
        .where(isWorse({ value: mine.fromValue, tie: mine.fromTie })),
    ),
    firstStep: statement((q, { board: id, offset }: OfBoard & { offset: number }) =>
      q
        .selectFrom('stats')
        .select([`${ranked} as value`, `${tie} as tie`])
        .where(board, '=', id)
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .limit(sql.lit(1))
        .offset(offset)
        .$castTo<Position>(),
    ),
    step: statement((q, mine: Mine & { offset: number }) =>
      q
        .selectFrom('stats')
        .select([`${ranked} as value`, `${tie} as tie`])
        .where(board, '=', mine.board)
        .where(isWorse(mine))
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .limit(sql.lit(1))
        .offset(mine.offset)
        .$castTo<Position>(),
    ),
  }
}
