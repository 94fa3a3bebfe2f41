import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { LEADERBOARD_PERIODS } from '@svc/contract/leaderboard-periods'
import { sql } from 'kysely'

import { columns, type Database, statement, type Transaction } from '../../../engines/database/database.ts'
import { listStatement } from '../../../engines/database/list-statement.ts'
import type { PlayerKey } from '../../../platform/player.ts'

export type EntryChangeStore = ReturnType<typeof createEntryChangeStore>

/** Why a player is on no board; see the column `hidden`. */
export const HIDDEN_BY = { developer: 1, ban: 2, choice: 3 } as const

type OfStat = PlayerKey & { key: string }
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
  async remove(transaction: Transaction, of: OfStat, aggregation: string) {
    await transaction.run(removeShown, of)
    await transaction.run(eraseHidden, withoutValues(of, aggregation))
  },
  /** Like `remove`, for values from before a reset and values on a board that it has replaced. */
  async removeOld(
    transaction: Transaction,
    period: LeaderboardPeriod,
    of: OfStat & { resetAt: string; board: number },
    aggregation: string,
  ) {
    await transaction.run(ofPeriod(period).removeOldShown, of)
    await transaction.run(ofPeriod(period).eraseOldHidden, { ...of, ...withoutValues(of, aggregation) })
  },
  /** Those of these players that a developer has hidden. */
  hiddenAmong: (environmentId: string, key: string, playerIds: readonly string[]) =>
    hiddenAmong(db, { environmentId, key }, playerIds),

  /** The next values of a stat, in the order of player ids. */
  values: (transaction: Transaction, step: Step) => transaction.all(listValues, step),
  add: (
    transaction: Transaction,
    period: LeaderboardPeriod,
    entry: OfStat & { board: number; tie: number },
  ) => transaction.run(ofPeriod(period).add, entry),
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
const erased = (entry: WithoutValues) => ({
  ...columns(entry, ['aggregation', 'allTime', 'daily', 'weekly', 'monthly', 'updatedAt']),
  ...OF_NO_PERIOD,
})

const leaveAll = statement((q, { environmentId, playerId, hidden }: PlayerKey & { hidden: number }) =>
  q
    .updateTable('stats')
    .set({ ...OFF_ALL_BOARDS, hidden })
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
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
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('key', '=', key)
    .where('updatedAt', '=', sql.lit('')),
)
const showEntry = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .updateTable('stats')
    .set({ hidden: sql.lit(null) })
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('key', '=', key)
    .where('hidden', '=', sql.lit(HIDDEN_BY.developer)),
)
const removeShown = statement((q, { environmentId, playerId, key }: OfStat) =>
  q
    .deleteFrom('stats')
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .where('key', '=', key)
    .where(IS_SHOWN),
)
const eraseHidden = statement((q, entry: WithoutValues) =>
  q
    .updateTable('stats')
    .set(erased(entry))
    .where('environmentId', '=', entry.environmentId)
    .where('playerId', '=', entry.playerId)
    .where('key', '=', entry.key),
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

type Old = OfStat & { resetAt: string; board: number }
type OfPeriod = ReturnType<typeof statementsOf>
const built = new Map<LeaderboardPeriod, OfPeriod>()

function ofPeriod(period: LeaderboardPeriod): OfPeriod {
  const known = built.get(period) ?? statementsOf(period)
  built.set(period, known)
  return known
}

function statementsOf(period: LeaderboardPeriod) {
  const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
  return {
    /** Does nothing if a report was faster. */
    add: statement((q, entry: OfStat & { board: number; tie: number }) =>
      q
        .updateTable('stats')
        .set({ [board]: entry.board, [ranked]: sql.ref(period), [tie]: entry.tie } as object)
        .where('environmentId', '=', entry.environmentId)
        .where('playerId', '=', entry.playerId)
        .where('key', '=', entry.key)
        .where('hidden', 'is', null)
        .where((e) => e.or([e(board, 'is', null), e(board, '<>', entry.board)])),
    ),
    removeOldShown: statement((q, old: Old) =>
      q
        .deleteFrom('stats')
        .where('environmentId', '=', old.environmentId)
        .where('playerId', '=', old.playerId)
        .where('key', '=', old.key)
        .where(IS_SHOWN)
        .where((e) => e.or([e('updatedAt', '<=', old.resetAt), e(board, '=', old.board)])),
    ),
    eraseOldHidden: statement((q, old: Old & WithoutValues) =>
      q
        .updateTable('stats')
        .set(erased(old))
        .where('environmentId', '=', old.environmentId)
        .where('playerId', '=', old.playerId)
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
