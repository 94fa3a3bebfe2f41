import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { LEADERBOARD_PERIODS } from '@svc/contract/leaderboard-periods'
import { sql } from 'kysely'

import {
  columns,
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import type { PlayerKey } from '../../platform/player.ts'
import { HIDDEN_BY } from '../../platform/ports/ranking.ts'

export type EntryChangeStore = ReturnType<typeof createEntryChangeStore>

type OfStat = PlayerKey & { key: string }
export type StoredValue = Tables['stats']
type Step = { environmentId: string; key: string; after: string; limit: number }

/** Changes of entries other than reports: bans, hides, removals, and the work after a config change or a reset. */
export const createEntryChangeStore = (db: Database) => ({
  /** Removes a player from all boards; returns the number of entries. */
  leaveAll: (transaction: Transaction, environmentId: string, playerId: string, hidden: number) =>
    transaction.run(leaveAll, { environmentId, playerId, hidden }),
  /** Works also if the player has no value yet. */
  hide: (transaction: Transaction, of: OfStat, aggregation: string) =>
    transaction.run(hideEntry, { ...withoutValues(of, aggregation), hidden: HIDDEN_BY.developer }),
  async show(transaction: Transaction, of: OfStat) {
    await transaction.run(removeWithoutValues, of)
    await transaction.run(showEntry, of)
  },
  /** Deletes the values; a hidden player stays hidden. */
  async remove(transaction: Transaction, of: OfStat) {
    await transaction.run(removeShown, of)
    await transaction.run(eraseHidden, of)
  },
  /** Like `remove`, for values from before a reset, and values on a board that it has replaced, of the players of a step. */
  async removeOld(transaction: Transaction, period: LeaderboardPeriod, old: Old) {
    await transaction.run(ofPeriod(period).removeOldShown, old)
    await transaction.run(ofPeriod(period).eraseOldHidden, old)
  },
  /** Those of these players that a developer has hidden. */
  hiddenAmong: (environmentId: string, key: string, playerIds: readonly string[]) =>
    hiddenAmong(db, { environmentId, key }, playerIds),

  /** The next values of a stat, in the order of player ids. */
  values: (step: Step) => db.all(listValues, step),
  /** Those that were reported from `updatedFrom` on, of the players of a step. */
  recent: (step: { environmentId: string; key: string; after: string; last: string; updatedFrom: string }) =>
    db.all(listRecent, step),
  /** The last player of a step of `count` values; undefined if fewer are left. */
  lastOfStep: async (step: Omit<Step, 'limit'>, count: number) =>
    (await db.first(findPlayer, { ...step, offset: count - 1 }))?.playerId,
  /** The players of a step. */
  players: (transaction: Transaction, step: Step) => transaction.all(listPlayers, step),
  /** Puts existing values on a board; they are in the order of player ids. */
  async add(transaction: Transaction, board: FilledBoard, added: readonly AddedValue[]) {
    for (let from = 0; from < added.length; from += ADDED_MAX)
      await addValues(transaction, board, added.slice(from, from + ADDED_MAX))
  },
  /** Removes entries from a board; returns how many. */
  clear: (transaction: Transaction, period: LeaderboardPeriod, board: number, limit: number) =>
    transaction.run(ofPeriod(period).clear, { board, limit }),
})

/** Every report replaces these values. */
const withoutValues = (of: OfStat, aggregation: string) => ({
  ...of,
  aggregation,
  allTime: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  updatedAt: '',
})
type WithoutValues = ReturnType<typeof withoutValues>

const OFF_ALL_BOARDS = {
  allTimeBoard: sql.lit(null),
  dailyBoard: sql.lit(null),
  weeklyBoard: sql.lit(null),
  monthlyBoard: sql.lit(null),
}
const OF_NO_PERIOD = { zone: sql.lit(''), day: sql.lit(''), week: sql.lit(''), month: sql.lit('') }

const IS_SHOWN = sql<boolean>`(hidden is null or hidden <> ${sql.lit(HIDDEN_BY.developer)})`
const ERASED = {
  allTime: sql.lit(0),
  daily: sql.lit(0),
  weekly: sql.lit(0),
  monthly: sql.lit(0),
  updatedAt: sql.lit(''),
  ...OF_NO_PERIOD,
}

const leaveAll = statement((q, { environmentId, playerId, hidden }: PlayerKey & { hidden: number }) =>
  q
    .updateTable('stats')
    .set({ ...OFF_ALL_BOARDS, hidden })
    .where((e) => e.and({ environmentId, playerId }))
    .where((e) => e.or(LEADERBOARD_PERIODS.map((period) => e(`${period}Board`, 'is not', null)))),
)
const hideEntry = statement((q, entry: WithoutValues & { hidden: number }) =>
  q
    .insertInto('stats')
    .values({
      ...columns(entry, [
        'environmentId',
        'playerId',
        'key',
        'aggregation',
        'allTime',
        'daily',
        'weekly',
        'monthly',
        'updatedAt',
        'hidden',
      ]),
      ...OF_NO_PERIOD,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['environmentId', 'playerId', 'key'])
        .doUpdateSet({ ...OFF_ALL_BOARDS, ...columns(entry, ['hidden']) }),
    ),
)
const removeWithoutValues = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .deleteFrom('stats')
    .where((e) => e.and({ environmentId, playerId, key }))
    .where('updatedAt', '=', sql.lit('')),
)
const showEntry = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .updateTable('stats')
    .set({ hidden: sql.lit(HIDDEN_BY.wait) })
    .where((e) => e.and({ environmentId, playerId, key }))
    .where('hidden', '=', sql.lit(HIDDEN_BY.developer)),
)
const removeShown = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .deleteFrom('stats')
    .where((e) => e.and({ environmentId, playerId, key }))
    .where(IS_SHOWN),
)
const eraseHidden = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .updateTable('stats')
    .set(ERASED)
    .where((e) => e.and({ environmentId, playerId, key })),
)
const hiddenAmong = listStatement((q, { environmentId, key }: { environmentId: string; key: string }, list) =>
  q
    .selectFrom('stats')
    .select('playerId')
    .where('environmentId', '=', environmentId)
    .where('playerId', 'in', list)
    .where('key', '=', key)
    .where('hidden', '=', sql.lit(HIDDEN_BY.developer)),
)
const listValues = statement((q, { environmentId, key, after, limit }: Step) =>
  q
    .selectFrom('stats')
    .selectAll()
    .where('environmentId', '=', environmentId)
    .where('playerId', '>', after)
    .where('key', '=', key)
    .orderBy('playerId')
    .limit(limit),
)

const listRecent = statement((q, step: Omit<Step, 'limit'> & { last: string; updatedFrom: string }) =>
  q
    .selectFrom('stats')
    .selectAll()
    .where('environmentId', '=', step.environmentId)
    .where('playerId', '>', step.after)
    .where('playerId', '<=', step.last)
    .where('key', '=', step.key)
    .where('updatedAt', '>=', step.updatedFrom)
    .orderBy('playerId'),
)
const findPlayer = statement(
  (q, { environmentId, key, after, offset }: Omit<Step, 'limit'> & { offset: number }) =>
    q
      .selectFrom('stats')
      .select('playerId')
      .where('environmentId', '=', environmentId)
      .where('playerId', '>', after)
      .where('key', '=', key)
      .orderBy('playerId')
      .limit(sql.lit(1))
      .offset(offset),
)
const listPlayers = statement((q, { environmentId, key, after, limit }: Step) =>
  q
    .selectFrom('stats')
    .select('playerId')
    .where('environmentId', '=', environmentId)
    .where('playerId', '>', after)
    .where('key', '=', key)
    .orderBy('playerId')
    .limit(limit),
)

type Old = { environmentId: string; key: string; after: string; last: string; resetAt: string; board: number }
type OfPeriod = ReturnType<typeof statementsOf>
const built = new Map<LeaderboardPeriod, OfPeriod>()

function ofPeriod(period: LeaderboardPeriod): OfPeriod {
  const known = built.get(period) ?? statementsOf(period)
  built.set(period, known)
  return known
}

function statementsOf(period: LeaderboardPeriod) {
  const board = `${period}Board` as const
  return {
    removeOldShown: statement((q, old: Old) =>
      q
        .deleteFrom('stats')
        .where('environmentId', '=', old.environmentId)
        .where('playerId', '>', old.after)
        .where('playerId', '<=', old.last)
        .where('key', '=', old.key)
        .where(IS_SHOWN)
        .where((e) => e.or([e('updatedAt', '<=', old.resetAt), e(board, '=', old.board)])),
    ),
    eraseOldHidden: statement((q, old: Old) =>
      q
        .updateTable('stats')
        .set(ERASED)
        .where('environmentId', '=', old.environmentId)
        .where('playerId', '>', old.after)
        .where('playerId', '<=', old.last)
        .where('key', '=', old.key)
        .where((e) => e.or([e('updatedAt', '<=', old.resetAt), e(board, '=', old.board)])),
    ),
    clear: statement((q, entry: { board: number; limit: number }) =>
      q
        .updateTable('stats')
        .set({ [board]: sql.lit(null) } as object)
        .where(board, '=', entry.board)
        .where(
          sql<boolean>`("environmentId", "playerId", key) in ${q
            .selectFrom('stats as some')
            .select(['some.environmentId', 'some.playerId', 'some.key'])
            .where(`some.${board}`, '=', entry.board)
            .limit(entry.limit)}`,
        ),
    ),
  }
}

export type FilledBoard = {
  id: number
  environmentId: string
  key: string
  period: LeaderboardPeriod
  verifiedFrom: string | null
}
export type AddedValue = { playerId: string; tie: number }
type Added = {
  board: number
  environmentId: string
  key: string
  playerIds: string[]
  ties: number[]
  first: string
  last: string
}

/** A list is filled up to one of these sizes by repeating its last value, so that few statements are kept prepared. */
const ADDED_SIZES = [10, 50]
/** The largest list of one statement. */
export const ADDED_MAX = 150
const adding = new Map<string, ReturnType<typeof adds>>()

async function addValues(
  transaction: Transaction,
  { id, environmentId, key, period, verifiedFrom }: FilledBoard,
  added: readonly AddedValue[],
) {
  const [first, last] = [added[0], added.at(-1)]
  if (!first || !last) return
  const size = ADDED_SIZES.find((one) => one >= added.length) ?? ADDED_MAX
  const list = Array.from({ length: size }, (_, at) => added[at] ?? last)
  const isVerified = verifiedFrom !== null
  const name = `${period} ${isVerified} ${size}`
  const known = adding.get(name) ?? adds(period, isVerified, size)
  adding.set(name, known)
  await transaction.run(known, {
    board: id,
    environmentId,
    key,
    playerIds: list.map(({ playerId }) => playerId),
    ties: list.map(({ tie }) => tie),
    first: first.playerId,
    last: last.playerId,
  })
}

/** One statement for many values; it changes none that a report has put on the board. An approved value keeps `…Ranked` (LDB-13). */
const adds = (period: LeaderboardPeriod, isVerified: boolean, size: number) =>
  statement((q, added: Added) => {
    const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
    const list = Array.from(
      { length: size },
      (_, at) => sql`(cast(${added.playerIds[at]} as text), cast(${added.ties[at]} as bigint))`,
    )
    const value = isVerified ? ranked : period
    const isOther = sql<boolean>`(${sql.ref(`stats.${board}`)} is null or ${sql.ref(`stats.${board}`)} <> ${added.board} or ${sql.ref(`stats.${ranked}`)} <> ${sql.ref(`stats.${value}`)})`
    return (
      q
        .updateTable('stats')
        .from(
          sql<{ column1: string; column2: number }>`(values ${sql.join(list)})`.as<'added'>(sql.ref('added')),
        )
        .set({
          [board]: added.board,
          [ranked]: sql.ref(`stats.${value}`),
          [tie]: sql.ref('added.column2'),
        } as object)
        .where('stats.environmentId', '=', added.environmentId)
        .where('stats.playerId', '=', sql<string>`added.column1`)
        // Without the range, both databases read all values of the environment.
        .where('stats.playerId', '>=', added.first)
        .where('stats.playerId', '<=', added.last)
        .where('stats.key', '=', added.key)
        .where('stats.hidden', 'is', null)
        .where(isOther)
    )
  })
