import { LIMITS } from '@svc/contract/common/limits'
import { LEADERBOARD_PERIODS, type LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { sql } from 'kysely'

import { type Database, type Queries, statement } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Winner } from './boards-store.ts'

export type LeftStore = ReturnType<typeof createLeftStore>
/** A board whose period has ended, and whose winners are not counted for the last time yet. */
export type EndedBoard = { id: number; key: string; period: LeaderboardPeriod }

/**
 * A player is on one board of a stat and period: a report of the next period takes the value off the board before. Until the winners of that
 * board are counted, the value is kept here, so that reports need not wait for the count.
 */
export const createLeftStore = (db: Database) => ({
  ...leftQueries(db),
  in: leftQueries,

  /**
   * Keeps what the player has on these boards, in the transaction of a report. The values are locked first, in the order in which a report
   * locks them: another report of this player cannot change one in between. SQLite has one writer.
   */
  async keep(queries: Queries, of: PlayerKey, boards: readonly EndedBoard[]): Promise<void> {
    const keys = [...new Set(boards.map(({ key }) => key))].toSorted()
    const sent: Promise<unknown>[] = db.engine === 'postgres' ? [lockValues(queries, of, keys)] : []
    for (const period of LEADERBOARD_PERIODS) {
      const ids = boards.filter((board) => board.period === period).map(({ id }) => id)
      if (ids.length > 0) sent.push(queries.run(keepOf(period, ids.length), { ...of, ids: filled(ids) }))
    }
    await Promise.all(sent)
  },
})

const leftQueries = (queries: Queries) => ({
  /** The best values that have left, in no order. */
  top: (board: number, direction: 'desc' | 'asc', limit: number): Promise<Winner[]> =>
    queries.all(listTop[direction], { board, limit }),
  /** How many values are on a board or have left it; at most `max` of each are counted. */
  countAll: async ({ id, period }: Pick<EndedBoard, 'id' | 'period'>, max: number) =>
    (await queries.first(counts[period], { id, max }))?.count ?? 0,
  remove: (environmentId: string, key: string, playerId: string) =>
    queries.run(removeOfStat, { environmentId, key, playerId }),
  ofPlayer: (environmentId: string, playerId: string) =>
    queries.all(listOfPlayer, { environmentId, playerId }),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeForPlayer, { environmentId, playerId }),
  /** Removes values whose board needs them no more; returns how many. */
  removeCounted: (limit: number) => queries.run(removeCounted, { limit }),
})

const lockValues = listStatement((q, { environmentId, playerId }: PlayerKey, keys) =>
  q
    .selectFrom('stats')
    .select('key')
    .where((e) => e.and({ environmentId, playerId }))
    .where('key', 'in', keys)
    .orderBy('key')
    .modifyEnd(sql`for update`),
)

/** A list is filled up to one of these sizes by repeating its last value, so that few statements are kept prepared. */
const SIZES = [1, 8, LIMITS.configLeaderboardsMax]
const sizeOf = (count: number) => SIZES.find((size) => size >= count) ?? count
const filled = (ids: readonly number[]) =>
  Array.from({ length: sizeOf(ids.length) }, (_, at) => ids[at] ?? (ids.at(-1) as number))

const keeping = new Map<string, ReturnType<typeof keep>>()

function keepOf(period: LeaderboardPeriod, count: number) {
  const name = `${period} ${sizeOf(count)}`
  const known = keeping.get(name) ?? keep(period, sizeOf(count))
  keeping.set(name, known)
  return known
}

/** Once the winners were counted, only a value that is better than the last of them can change them: one that was stored after the count. */
const keep = (period: LeaderboardPeriod, size: number) =>
  statement((q, { environmentId, playerId, ids }: PlayerKey & { ids: number[] }) => {
    const [board, ranked, tie] = [`${period}Board`, `${period}Ranked`, `${period}Tie`] as const
    const list = Array.from({ length: size }, (_, at) => ids[at] as number)
    const isBetter = (value: string, than: string) => sql`case ended.direction
      when 'desc' then ${sql.ref(value)} > ${sql.ref(than)} else ${sql.ref(value)} < ${sql.ref(than)} end`
    return q
      .insertInto('leaderboards_left')
      .columns(['board', 'environmentId', 'playerId', 'value', 'tie'])
      .expression((e) =>
        e
          .selectFrom('stats')
          .select([board, 'stats.environmentId', 'stats.playerId', ranked, tie])
          .where('stats.environmentId', '=', environmentId)
          .where('stats.playerId', '=', playerId)
          .where(board, 'in', list)
          .where((e) =>
            e.not(
              e.exists(
                e
                  .selectFrom('leaderboards as ended')
                  .innerJoin('leaderboards_winners as last', (join) =>
                    join
                      .onRef('last.environmentId', '=', 'ended.environmentId')
                      .onRef('last.key', '=', 'ended.key')
                      .onRef('last.label', '=', 'ended.label')
                      .on('last.rank', '=', sql.lit(LIMITS.leaderboardWinnersMax)),
                  )
                  .select('ended.id')
                  .whereRef('ended.id', '=', `stats.${board}`)
                  .where('ended.closedAt', 'is not', null)
                  .where(
                    sql<boolean>`(${isBetter('last.value', `stats.${ranked}`)} or (last.value = ${sql.ref(`stats.${ranked}`)} and (${isBetter('last.tie', `stats.${tie}`)} or last.tie = ${sql.ref(`stats.${tie}`)})))`,
                  ),
              ),
            ),
          ),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['board', 'playerId'])
          .doUpdateSet({ value: sql.ref('excluded.value'), tie: sql.ref('excluded.tie') }),
      )
  })

const topIn = (direction: 'desc' | 'asc') =>
  statement((q, { board, limit }: { board: number; limit: number }) =>
    q
      .selectFrom('leaderboards_left')
      .select(['playerId', 'value', 'tie'])
      .where('board', '=', board)
      .orderBy('value', direction)
      .orderBy('tie', direction)
      .orderBy('playerId', direction)
      .limit(limit),
  )
const listTop = { desc: topIn('desc'), asc: topIn('asc') }

/** One statement, so that an entry that leaves the board meanwhile is counted once. */
const countIn = (period: LeaderboardPeriod) =>
  statement((q, { id, max }: { id: number; max: number }) => {
    const board = `${period}Board` as const
    const onBoard = q
      .selectFrom('stats')
      .select('stats.playerId')
      .where(board, '=', id)
      .orderBy(`${period}Ranked`)
      .orderBy(`${period}Tie`)
      .orderBy('playerId')
      .limit(max)
    const gone = q
      .selectFrom('leaderboards_left as one')
      .select('one.playerId')
      .where('one.board', '=', id)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('stats')
              .select('stats.key')
              .whereRef('stats.environmentId', '=', 'one.environmentId')
              .whereRef('stats.playerId', '=', 'one.playerId')
              .whereRef(`stats.${board}`, '=', 'one.board'),
          ),
        ),
      )
      .limit(max)
    const numberOf = (rows: typeof onBoard | typeof gone) => sql`(select count(*) from ${rows} as counted)`
    return q.selectNoFrom(sql<number>`${numberOf(onBoard)} + ${numberOf(gone)}`.as('count'))
  })
const counts = {
  allTime: countIn('allTime'),
  daily: countIn('daily'),
  weekly: countIn('weekly'),
  monthly: countIn('monthly'),
}

/** `key` and `label` are null if the board was removed meanwhile. */
const listOfPlayer = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('leaderboards_left as one')
    .leftJoin('leaderboards as ended', 'ended.id', 'one.board')
    .select(['ended.key', 'ended.label', 'one.value', 'one.tie'])
    .where('one.environmentId', '=', environmentId)
    .where('one.playerId', '=', playerId)
    .orderBy('one.board'),
)
const removeForPlayer = deleteBy('leaderboards_left', ['environmentId', 'playerId'])
const removeOfStat = statement((q, { environmentId, key, playerId }: PlayerKey & { key: string }) =>
  q
    .deleteFrom('leaderboards_left')
    .where((e) => e.and({ environmentId, playerId }))
    .where('board', 'in', (e) =>
      e
        .selectFrom('leaderboards')
        .select('id')
        .where((e) => e.and({ environmentId, key })),
    ),
)
const removeCounted = statement((q, { limit }: { limit: number }) =>
  q.deleteFrom('leaderboards_left').where(
    sql<boolean>`(board, "playerId") in ${q
      .selectFrom('leaderboards_left as some')
      .select(['some.board', 'some.playerId'])
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom('leaderboards as ended')
              .select('ended.id')
              .whereRef('ended.id', '=', 'some.board')
              .where('ended.replacedAt', 'is', null)
              .where('ended.settledAt', 'is', null),
          ),
        ),
      )
      .limit(limit)}`,
  ),
)
