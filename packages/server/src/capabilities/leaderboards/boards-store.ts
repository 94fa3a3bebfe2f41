import { LIMITS } from '@svc/contract/common/limits'
import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { type Kysely, type Selectable, sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertRow } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Queries, Transaction }
export type BoardStore = ReturnType<typeof createBoardStore>

export type BoardQueries = ReturnType<typeof boardQueries>

type Row = Selectable<Tables['leaderboards']>
/** Without the checkpoint, which is read only when a rank needs it. */
export type Board = Omit<Row, 'checkpoint'>
/** A board before the database has given it an id. */
export type NewBoard = Omit<Board, 'id'>
export type Winner = Pick<Tables['leaderboards_winners'], 'playerId' | 'value' | 'tie'>

type StatKey = { environmentId: string; key: string }
type LeaderboardKey = StatKey & { period: LeaderboardPeriod }
type Label = { label: string }
type Id = { id: number }
/** The next boards, in the order of ids. */
export type Page = { afterId: number; limit: number }

/** The tables of boards and of their winners. */
export const createBoardStore = (db: Database) => ({
  ...boardQueries(db),
  in: boardQueries,
  /** Serializes closing, resetting and replacing boards of one stat, and steps of their work, on all nodes. */
  change: <T>(environmentId: string, key: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(changesOf(environmentId, key), work),
  /**
   * Serializes opening boards of one stat, on all nodes. Reports wait for it, so it waits for no count of winners: that is a `change`. Work
   * that changes other boards than the new one calls `excludeChanges` first.
   */
  opening: <T>(environmentId: string, key: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`leaderboards-opening:${environmentId}:${key}`, work),
  excludeChanges: (transaction: Transaction, environmentId: string, key: string) =>
    transaction.lock(changesOf(environmentId, key)),
})

const changesOf = (environmentId: string, key: string) => `leaderboards:${environmentId}:${key}`

const newBoardColumns = [
  'environmentId',
  'key',
  'period',
  'label',
  'direction',
  'signature',
  'startsAt',
  'endsAt',
  'createdAt',
  'resetAt',
  'replacedAt',
  'closedAt',
  'settledAt',
  'count',
  'work',
  'workAfter',
  'checkpointDueAt',
  'checkpointAt',
  'retiredAt',
  'verifiedFrom',
] as const
const boardColumns = ['id', ...newBoardColumns] as const

const boardQueries = (queries: Queries) => ({
  /** The open boards of an environment. */
  open: (environmentId: string) => queries.all(listOpen, { environmentId }),
  /** Those, and the closed ones whose winners are counted once more. */
  openOrNotSettled: (environmentId: string) => queries.all(listOpenOrNotSettled, { environmentId }),
  /** Includes closed boards, but not replaced ones. */
  find: (board: LeaderboardKey & Label & { signature: string }) => queries.first(findBoard, board),
  findClosed: (board: LeaderboardKey & Label) => queries.first(findClosed, board),
  /** The newest closed board, if its leaderboard was on since then. */
  lastClosed: (leaderboard: LeaderboardKey) => queries.first(findLastClosed, leaderboard),
  read: (id: number) => queries.first(readBoard, { id }),
  closed: (environmentId: string, key: string) => queries.all(listClosed, { environmentId, key }),
  setClosed: (id: number, closedAt: string) => queries.run(setClosed, { id, closedAt }),
  setCount: (id: number, count: number) => queries.run(setCount, { id, count }),
  /** Values that are missing on it are added. */
  reopen: (id: number) => queries.run(reopenBoard, { id }),
  /** Null: the winners must be counted again. */
  setSettled: (id: number, settledAt: string | null) => queries.run(setSettled, { id, settledAt }),
  /** The leaderboards that have closed boards. */
  withClosed: (environmentId: string) => queries.all(listWithClosed, { environmentId }),
  setRetired: (leaderboard: LeaderboardKey, retiredAt: string) =>
    queries.run(setRetired, { ...leaderboard, retiredAt }),
  replace: (id: number, replacedAt: string, work: 'clear' | 'delete') =>
    queries.run(replaceBoard, { id, replacedAt, work }),
  /** `work` null: done. */
  setWork: (id: number, work: Board['work'], workAfter: string | null) =>
    queries.run(setWork, { id, work, workAfter }),
  endReset: (environmentId: string, key: string, resetAt: string) =>
    queries.run(endReset, { environmentId, key, resetAt }),
  /** Ids are never used again: the entries and cursors of a removed board lead to no other one. */
  async insert(board: NewBoard): Promise<Board> {
    const inserted = await queries.first(insertBoard, board)
    if (!inserted) throw new Error('a new board has no id')
    return { ...inserted, ...board }
  },
  remove: (id: number) => queries.run(removeBoard, { id }),

  /** Before `beforeId`, the newest first. */
  withWork: (beforeId: number, limit: number) => queries.all(listWork, { beforeId, limit }),
  /** The boards of one stat whose old values are not deleted yet. */
  resetting: (environmentId: string, key: string) => queries.all(listResetting, { environmentId, key }),
  /** Open boards that end by then, if the next period has no board yet; those with work are left out. */
  ending: (now: string, until: string, page: Page) => queries.all(listEnding, { now, until, ...page }),
  ended: (now: string, page: Page) => queries.all(listEnded, { now, ...page }),
  notSettled: (closedBefore: string, page: Page) => queries.all(listNotSettled, { closedBefore, ...page }),
  closedBefore: (period: LeaderboardPeriod, endedBefore: string, page: Page) =>
    queries.all(listExpired, { period, endedBefore, ...page }),
  allOpen: (page: Page) => queries.all(listAllOpen, page),

  /** True for the one caller that may create the checkpoint now. */
  claimCheckpoint: async (id: number, now: string, until: string) =>
    (await queries.run(claimCheckpoint, { id, now, until })) === 1,
  writeCheckpoint: (checkpoint: Checkpointed) => queries.run(writeCheckpoint, checkpoint),
  readCheckpoint: (id: number) => queries.first(readCheckpoint, { id }),

  async writeWinners(board: StatKey & Label, winners: readonly Winner[]) {
    await queries.run(removeWinners, board)
    for (const [at, winner] of winners.entries())
      await queries.run(insertWinner, { ...board, ...winner, rank: at + 1 })
  },
  removeWinner: (environmentId: string, key: string, playerId: string) =>
    queries.run(removeWinner, { environmentId, key, playerId }),
  winnersOf: (environmentId: string, playerId: string) =>
    queries.all(listWinnersOf, { environmentId, playerId }),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeWinnersOf, { environmentId, playerId }),
})

const OPEN = { closedAt: null, replacedAt: null }

const boards = (q: Kysely<Tables>) => q.selectFrom('leaderboards').select(boardColumns)
const openBoards = (q: Kysely<Tables>) => boards(q).where((e) => e.and(OPEN))
const closedBoards = (q: Kysely<Tables>, { environmentId, key }: StatKey) =>
  boards(q)
    .where((e) => e.and({ environmentId, key, replacedAt: null }))
    .where('closedAt', 'is not', null)
const pageOf = (query: ReturnType<typeof boards>, { afterId, limit }: Page) =>
  query.where('id', '>', afterId).orderBy('id').limit(limit)

const listOpen = statement((q, { environmentId }: { environmentId: string }) =>
  openBoards(q).where('environmentId', '=', environmentId),
)
const listOpenOrNotSettled = statement((q, { environmentId }: { environmentId: string }) =>
  boards(q)
    .where((e) => e.and({ environmentId, replacedAt: null }))
    .where((e) => e.or({ closedAt: null, settledAt: null })),
)
const findBoard = statement(
  (q, { environmentId, key, period, label, signature }: LeaderboardKey & Label & { signature: string }) =>
    boards(q)
      .where((e) => e.and({ environmentId, key, period, label, signature, replacedAt: null }))
      .orderBy('id', 'desc')
      .limit(sql.lit(1)),
)
const findClosed = statement((q, board: LeaderboardKey & Label) =>
  closedBoards(q, board)
    .where((e) => e.and({ period: board.period, label: board.label }))
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)
const findLastClosed = statement((q, board: LeaderboardKey) =>
  closedBoards(q, board)
    .where((e) => e.and({ period: board.period, retiredAt: null }))
    .orderBy('endsAt', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)
const listClosed = statement((q, stat: StatKey) =>
  closedBoards(q, stat)
    .orderBy('endsAt', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(LIMITS.leaderboardPeriodsListed)),
)
const listWithClosed = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('leaderboards')
    .select(['key', 'period'])
    .distinct()
    .where((e) => e.and({ environmentId, replacedAt: null, retiredAt: null }))
    .where('closedAt', 'is not', null),
)
const setRetired = statement(
  (q, { environmentId, key, period, retiredAt }: LeaderboardKey & { retiredAt: string }) =>
    q
      .updateTable('leaderboards')
      .set({ retiredAt })
      .where((e) => e.and({ environmentId, key, period, retiredAt: null }))
      .where('closedAt', 'is not', null),
)
const readBoard = statement((q, { id }: Id) => boards(q).where('id', '=', id))
const insertBoard = statement((q, board: NewBoard) =>
  q.insertInto('leaderboards').values(columns(board, newBoardColumns)).returning('id'),
)
const setClosed = statement((q, { id, closedAt }: Id & { closedAt: string }) =>
  q
    .updateTable('leaderboards')
    .set({ closedAt, checkpoint: sql.lit(null), work: sql.lit(null) })
    .where('id', '=', id),
)
const setCount = statement((q, { id, count }: Id & { count: number }) =>
  q.updateTable('leaderboards').set({ count }).where('id', '=', id),
)
const reopenBoard = statement((q, { id }: Id) =>
  q
    .updateTable('leaderboards')
    .set({
      closedAt: sql.lit(null),
      settledAt: sql.lit(null),
      retiredAt: sql.lit(null),
      count: sql.lit(null),
      checkpointAt: sql.lit(null),
      checkpointDueAt: sql.lit(null),
      work: sql.lit('fill' as const),
      workAfter: sql.lit(''),
    })
    .where('id', '=', id),
)
const setSettled = statement((q, { id, settledAt }: Id & { settledAt: string | null }) =>
  q.updateTable('leaderboards').set({ settledAt }).where('id', '=', id),
)
const replaceBoard = statement(
  (q, { id, replacedAt, work }: Id & { replacedAt: string; work: 'clear' | 'delete' }) =>
    q
      .updateTable('leaderboards')
      .set({ replacedAt, work, workAfter: sql.lit(''), checkpoint: sql.lit(null) })
      .where((e) => e.and({ id, replacedAt: null })),
)
const setWork = statement((q, { id, work, workAfter }: Pick<Board, 'id' | 'work' | 'workAfter'>) =>
  q.updateTable('leaderboards').set({ work, workAfter }).where('id', '=', id),
)
const endReset = statement((q, { environmentId, key, resetAt }: StatKey & { resetAt: string }) =>
  q
    .updateTable('leaderboards')
    .set({ resetAt: sql.lit(null) })
    .where((e) => e.and({ environmentId, key }))
    .where('resetAt', '<=', resetAt),
)
const removeBoard = statement((q, { id }: Id) => q.deleteFrom('leaderboards').where('id', '=', id))

const listWork = statement((q, { beforeId, limit }: { beforeId: number; limit: number }) =>
  boards(q)
    .where('work', 'is not', null)
    .where('id', '<', beforeId)
    // The new board first: values are added to it before they are removed from the board that it replaces.
    .orderBy('id', 'desc')
    .limit(limit),
)
const listResetting = statement((q, { environmentId, key }: StatKey) =>
  boards(q)
    .where((e) => e.and({ environmentId, key }))
    .where('work', '=', sql.lit('delete' as const)),
)
const listEnding = statement((q, page: Page & { now: string; until: string }) =>
  pageOf(openBoards(q), page)
    .where('endsAt', '>', page.now)
    .where('endsAt', '<=', page.until)
    .where('work', 'is', null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('leaderboards as next')
            .select('next.id')
            .whereRef('next.environmentId', '=', 'leaderboards.environmentId')
            .whereRef('next.key', '=', 'leaderboards.key')
            .whereRef('next.period', '=', 'leaderboards.period')
            .whereRef('next.startsAt', '=', 'leaderboards.endsAt')
            .where('next.replacedAt', 'is', null),
        ),
      ),
    ),
)
const listEnded = statement((q, page: Page & { now: string }) =>
  pageOf(openBoards(q), page).where('endsAt', '<=', page.now),
)
const listNotSettled = statement((q, page: Page & { closedBefore: string }) =>
  pageOf(boards(q), page)
    .where((e) => e.and({ settledAt: null, replacedAt: null }))
    .where('closedAt', '<=', page.closedBefore),
)
const listExpired = statement((q, page: Page & { period: LeaderboardPeriod; endedBefore: string }) =>
  pageOf(boards(q), page)
    .where((e) => e.and({ period: page.period, replacedAt: null }))
    .where('closedAt', 'is not', null)
    .where('endsAt', '<=', page.endedBefore),
)
const listAllOpen = statement((q, page: Page) => pageOf(openBoards(q), page))

const claimCheckpoint = statement((q, { id, now, until }: Id & { now: string; until: string }) =>
  q
    .updateTable('leaderboards')
    .set({ checkpointDueAt: until })
    .where('id', '=', id)
    .where((e) => e.or([e('checkpointDueAt', 'is', null), e('checkpointDueAt', '<=', now)])),
)
type Checkpointed = Pick<Row, 'id' | 'checkpoint' | 'checkpointAt' | 'checkpointDueAt' | 'count'>
const writeCheckpoint = statement(
  (q, { id, checkpoint, checkpointAt, checkpointDueAt, count }: Checkpointed) =>
    q
      .updateTable('leaderboards')
      .set({ checkpoint, checkpointAt, checkpointDueAt, count })
      .where((e) => e.and({ id, ...OPEN })),
)
const readCheckpoint = statement((q, { id }: Id) =>
  q
    .selectFrom('leaderboards')
    .select(['checkpoint', 'checkpointAt', 'checkpointDueAt', 'count'])
    .where('id', '=', id),
)

const removeWinners = statement((q, { environmentId, key, label }: StatKey & Label) =>
  q.deleteFrom('leaderboards_winners').where((e) => e.and({ environmentId, key, label })),
)
const insertWinner = insertRow('leaderboards_winners', [
  'environmentId',
  'key',
  'label',
  'rank',
  'playerId',
  'value',
  'tie',
])
const removeWinner = statement((q, { environmentId, key, playerId }: StatKey & PlayerKey) =>
  q.deleteFrom('leaderboards_winners').where((e) => e.and({ environmentId, key, playerId })),
)
const listWinnersOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('leaderboards_winners')
    .select(['key', 'label', 'rank', 'value', 'tie'])
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('key')
    .orderBy('label'),
)
const removeWinnersOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('leaderboards_winners').where((e) => e.and({ environmentId, playerId })),
)
