import { LIMITS } from '@svc/contract/common/limits'
import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { type Compilable, type Expression, type Kysely, sql } from 'kysely'

import {
  type Database,
  type PlayerRows,
  type Queries,
  statement,
  type Tables,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import type { PlayerKey } from '../../platform/player.ts'
import { byRank, type Entry, type Position } from './positions.ts'

export type { Entry, Position }

export type EntryStore = ReturnType<typeof createEntryStore>
export type Entries = ReturnType<typeof entries>

export type BoardKey = {
  id: number
  environmentId: string
  period: LeaderboardPeriod
  direction: 'desc' | 'asc'
}

/** The columns of the player of an entry, all null if there is no such player. */
export type ProfileColumns = {
  displayName: string | null
  bannedUntil: string | null
  leaderboardsHidden: number | null
  declared: string | null
  signalled: string | null
}
/** Adds the columns of the player to a query. */
export type JoinProfile = <Row>(rows: PlayerRows<Row>) => Compilable<Row & ProfileColumns>

/**
 * The entries of boards, with their players: the rows of `stats` whose `…Board` is the board's id, read through the index of their
 * period. Players are read live, in the same statement.
 */
export function createEntryStore(db: Database, join: JoinProfile) {
  const statements = createStatements(join)
  const ofQueries = (queries: Queries) => entries(queries, statements)
  return { ...ofQueries(db), in: ofQueries }
}

const entries = (queries: Queries, { of, winners, notShown }: Statements) => ({
  top: async (board: BoardKey, limit: number) =>
    best(board, await queries.all(of(board, limit).top, ofBoard(board))).slice(0, limit),
  after: async (board: BoardKey, from: Position, limit: number) =>
    best(board, await queries.all(of(board, limit).after, ofPosition(board, from))).slice(0, limit),
  /** The next better entries, the nearest first. */
  before: async (board: BoardKey, from: Position, limit: number) =>
    best(board, await queries.all(of(board, limit).before, ofPosition(board, from)))
      .toReversed()
      .slice(0, limit),
  /** Undefined if the player is not on this board. */
  find: (board: BoardKey, stat: OfStat) => queries.first(of(board).find, { board: board.id, ...stat }),
  /** Without the player. */
  position: (board: BoardKey, stat: OfStat) =>
    queries.first(of(board).position, { board: board.id, ...stat }),
  /** Best first, because at most 100 players are one statement. */
  chosen: (board: BoardKey, environmentId: string, key: string, playerIds: readonly string[]) =>
    of(board).chosen(queries, { board: board.id, environmentId, key }, playerIds),

  /** The winners of a closed period. */
  winners: (environmentId: string, key: string, label: string) =>
    queries.all(winners, { environmentId, key, label }),
  /** Values on no board. */
  notShown: (environmentId: string, key: string, limit: number) =>
    queries.all(notShown, { environmentId, key, limit }),

  /** How many entries there are, at most `max`. */
  count: async (board: BoardKey, max: number) =>
    (await queries.first(of(board).count, { board: board.id, max }))?.count ?? 0,
  /** How many entries are better, at most `max`. */
  countBetter: async (board: BoardKey, mine: Position, max: number) =>
    (await queries.first(of(board).countBetter, { ...than(board, mine), max }))?.count ?? 0,
  /** How many entries are worse than `from` and better than `to`. */
  countBetween: async (board: BoardKey, from: Position, to: Position) =>
    (
      await queries.first(of(board).countBetween, {
        ...than(board, to),
        fromValue: from.value,
        fromTie: from.tie,
        fromPlayerId: from.playerId,
      })
    )?.count ?? 0,
  countWorse: async (board: BoardKey, mine: Position, max: number) =>
    (await queries.first(of(board).countWorse, { ...than(board, mine), max }))?.count ?? 0,
  /** The entry that is `offset` entries after the first, or after `from`, and the one after it. */
  step: (board: BoardKey, from: Position | undefined, offset: number) =>
    from
      ? queries.all(of(board).step, { ...than(board, from), offset })
      : queries.all(of(board).firstStep, { board: board.id, offset }),
})

/** The statement orders what it reads from the index, but not the rows after the join. */
const best = <Row extends Entry>({ direction }: BoardKey, rows: Row[]): Row[] => rows.sort(byRank(direction))

const ofBoard = ({ id, environmentId }: BoardKey): OfPage => ({ board: id, environmentId })
const ofPosition = (board: BoardKey, from: Position): OfPage & Mine => ({
  ...ofBoard(board),
  ...than(board, from),
})

const than = (board: BoardKey, { value, tie, playerId }: Position): Mine => ({
  board: board.id,
  value,
  tie,
  playerId,
})

type OfBoard = { board: number }
type OfPage = OfBoard & { environmentId: string }
type OfStat = PlayerKey & { key: string }
type Mine = OfBoard & Position
type Than = { [name in keyof Position]: Position[name] | Expression<Position[name]> }
type Most = { max: number }
type Sql = ReturnType<typeof sql>

type Statements = ReturnType<typeof createStatements>

/** How many entries a statement reads: part of it, see `unplanned`. Few sizes, so that few statements are kept prepared. */
const SIZES = [11, 26, 101]
/** The largest page of developers, and whether there is another one. */
const SIZE_MAX = 1_001

function createStatements(join: JoinProfile) {
  const built = new Map<string, ReturnType<typeof statementsOf>>()
  return {
    of({ period, direction }: BoardKey, limit = 0) {
      const size = SIZES.find((one) => one >= limit) ?? SIZE_MAX
      const name = `${period} ${direction} ${size}`
      const known = built.get(name) ?? statementsOf(join, period, direction, size)
      built.set(name, known)
      return known
    },
    winners: statement(
      (q, { environmentId, key, label }: { environmentId: string; key: string; label: string }) =>
        join(
          q
            .selectFrom('leaderboards_winners as entry')
            .select(['entry.playerId', 'value', 'tie'])
            .where('entry.environmentId', '=', environmentId)
            .where((e) => e.and({ key, label }))
            .orderBy('rank')
            .limit(sql.lit(LIMITS.leaderboardWinnersMax)),
        ),
    ),
    notShown: statement(
      (q, { environmentId, key, limit }: { environmentId: string; key: string; limit: number }) =>
        join(
          q
            .selectFrom('stats as entry')
            .selectAll('entry')
            .where('entry.environmentId', '=', environmentId)
            .where('key', '=', key)
            .where('hidden', 'is not', null)
            .limit(limit),
        ),
    ),
  }
}

/**
 * A value that PostgreSQL does not know when it plans. A statement whose cost seems to depend on its values is planned for every call:
 * with three tables that takes longer than reading ten entries.
 */
const unplanned = <T extends number | string>(value: T, type: 'bigint' | 'double precision' | 'text') =>
  sql<T>`(select cast(${value} as ${sql.raw(type)}))`

/**
 * Each comparison of positions also has a range of the value: without it PostgreSQL starts parallel workers, which takes 36 ms
 * for 1,000 entries.
 */
function statementsOf(join: JoinProfile, period: LeaderboardPeriod, direction: 'desc' | 'asc', size: number) {
  const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
  const opposite = direction === 'desc' ? 'asc' : 'desc'
  const value = sql.ref(ranked)
  const [better, worse] = direction === 'desc' ? [sql`>`, sql`<`] : [sql`<`, sql`>`]
  const position = ({ value, tie, playerId }: Position) => ({
    value: unplanned(value, 'double precision'),
    tie: unplanned(tie, 'bigint'),
    playerId: unplanned(playerId, 'text'),
  })
  const compared = (than: Than, by: Sql) =>
    sql<boolean>`${value} ${by}= ${than.value} and (${value}, ${sql.ref(tie)}, "playerId") ${by} (${than.value}, ${than.tie}, ${than.playerId})`
  const isBetter = (than: Than) => compared(than, better)
  const isWorse = (than: Than) => compared(than, worse)
  const entry = ['entry.playerId', `${ranked} as value`, `${tie} as tie`] as const
  const number = sql<number>`count(*)`.as('count')
  /**
   * The environment is a value and not a column, so that the entries are read from the index alone: 101 of them from 5 pages of PostgreSQL
   * instead of 106.
   */
  const page = (q: Kysely<Tables>, of: OfPage, direction: 'desc' | 'asc', condition?: Expression<boolean>) =>
    join(
      q
        .selectFrom((from) => {
          const rows = from
            .selectFrom('stats')
            .select(sql<string>`cast(${of.environmentId} as text)`.as('environmentId'))
            .select(['playerId', `${ranked} as value`, `${tie} as tie`])
            .where(board, '=', unplanned(of.board, 'bigint'))
            .orderBy(ranked, direction)
            .orderBy(tie, direction)
            .orderBy('playerId', direction)
            .limit(sql.lit(size))
          return (condition ? rows.where(condition) : rows).$castTo<PlayerKey & Entry>().as('entry')
        })
        .select(['entry.playerId', 'entry.value', 'entry.tie']),
    )
  const counted = (q: Kysely<Tables>, id: number, max: number, condition?: Expression<boolean>) =>
    q
      .selectFrom((from) => {
        const rows = from
          .selectFrom('stats')
          .select(`${tie} as tie`)
          .where(board, '=', id)
          .orderBy(ranked, direction)
          .orderBy(tie, direction)
          .orderBy('playerId', direction)
          .limit(max)
        return (condition ? rows.where(condition) : rows).as('counted')
      })
      .select(number)

  return {
    top: statement((q, of: OfPage) => page(q, of, direction)),
    after: statement((q, mine: OfPage & Mine) => page(q, mine, direction, isWorse(position(mine)))),
    before: statement((q, mine: OfPage & Mine) => page(q, mine, opposite, isBetter(position(mine)))),
    find: statement((q, { board: id, environmentId, playerId, key }: OfBoard & OfStat) =>
      join(
        q
          .selectFrom('stats as entry')
          .select(entry)
          .where('entry.environmentId', '=', environmentId)
          .where('entry.playerId', '=', playerId)
          .where('key', '=', key)
          .where(board, '=', id)
          .$castTo<Entry>(),
      ),
    ),
    position: statement((q, { board: id, environmentId, playerId, key }: OfBoard & OfStat) =>
      q
        .selectFrom('stats')
        .select(['playerId', `${ranked} as value`, `${tie} as tie`])
        .where((e) => e.and({ environmentId, playerId, key }))
        .where(board, '=', id)
        .$castTo<Position>(),
    ),
    chosen: listStatement(
      (q, { board: id, environmentId, key }: OfBoard & { environmentId: string; key: string }, list) =>
        join(
          q
            .selectFrom('stats as entry')
            .select(entry)
            .where('entry.environmentId', '=', environmentId)
            .where('entry.playerId', 'in', list)
            .where('key', '=', key)
            .where(board, '=', id)
            .orderBy(ranked, direction)
            .orderBy(tie, direction)
            .orderBy('entry.playerId', direction)
            .$castTo<Entry>(),
        ),
    ),
    count: statement((q, { board: id, max }: OfBoard & Most) => counted(q, id, max)),
    countBetter: statement((q, mine: Mine & Most) => counted(q, mine.board, mine.max, isBetter(mine))),
    countWorse: statement((q, mine: Mine & Most) => counted(q, mine.board, mine.max, isWorse(mine))),
    countBetween: statement((q, mine: Mine & { fromValue: number; fromTie: number; fromPlayerId: string }) =>
      q
        .selectFrom('stats')
        .select(number)
        .where(board, '=', mine.board)
        .where(isBetter(mine))
        .where(isWorse({ value: mine.fromValue, tie: mine.fromTie, playerId: mine.fromPlayerId })),
    ),
    firstStep: statement((q, { board: id, offset }: OfBoard & { offset: number }) =>
      q
        .selectFrom('stats')
        .select(['playerId', `${ranked} as value`, `${tie} as tie`])
        .where(board, '=', id)
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .orderBy('playerId', direction)
        .limit(sql.lit(2))
        .offset(offset)
        .$castTo<Position>(),
    ),
    step: statement((q, mine: Mine & { offset: number }) =>
      q
        .selectFrom('stats')
        .select(['playerId', `${ranked} as value`, `${tie} as tie`])
        .where(board, '=', mine.board)
        .where(isWorse(mine))
        .orderBy(ranked, direction)
        .orderBy(tie, direction)
        .orderBy('playerId', direction)
        .limit(sql.lit(2))
        .offset(mine.offset)
        .$castTo<Position>(),
    ),
  }
}
