import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'
import { LIMITS } from '@svc/contract/limits'
import { sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../../engines/database/database.ts'
import type { PlayerKey } from '../../../platform/player.ts'

export type { Transaction }
export type BoardStore = ReturnType<typeof createBoardStore>
export type Boards = ReturnType<typeof boards>

/** Without the checkpoint, which is read only when a rank needs it. */
export type Board = Omit<Tables['stats_boards'], 'checkpoint' | 'period' | 'direction' | 'work'> & {
  period: LeaderboardPeriod
  direction: 'desc' | 'asc'
  work: 'fill' | 'refill' | 'clear' | 'delete' | null
}
export type Winner = Pick<Tables['stats_winners'], 'playerId' | 'value' | 'tie'>

type OfBoard = { environmentId: string; key: string }
type OfLabel = OfBoard & { label: string }
/** The next boards, in the order of ids. */
export type Page = { afterId: number; limit: number }

export const createBoardStore = (db: Database) => ({
  ...boards(db),
  in: boards,
  transaction: db.transaction,
  /** Serializes opening, closing, resetting and replacing boards of one stat, and steps of their work, on all nodes. */
  change: <T>(environmentId: string, key: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`stats:boards:${environmentId}:${key}`, work),
})

const boardColumns = [
  'id',
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

const boards = (queries: Queries) => ({
  /** The open boards of an environment. */
  open: async (environmentId: string) => (await queries.all(listOpen, { environmentId })) as Board[],
  /** Includes closed boards, but not replaced ones. */
  find: async (board: OfLabel & { period: LeaderboardPeriod; signature: string }) =>
    (await queries.first(findBoard, board)) as Board | undefined,
  findClosed: async (board: OfLabel & { period: LeaderboardPeriod }) =>
    (await queries.first(findClosed, board)) as Board | undefined,
  /** The newest closed board, if its leaderboard was on since then. */
  lastClosed: async (board: OfBoard & { period: LeaderboardPeriod }) =>
    (await queries.first(findLastClosed, board)) as Board | undefined,
  read: async (id: number) => (await queries.first(readBoard, { id })) as Board | undefined,
  closed: async (environmentId: string, key: string) =>
    (await queries.all(listClosed, { environmentId, key })) as Board[],
  async insert(board: Omit<Board, 'id'>, transaction: Transaction): Promise<Board> {
    await transaction.lock('stats:board-ids')
    const { id = 0 } = (await transaction.first(readLastId, {})) ?? {}
    const inserted = { ...board, id: id + 1 }
    await transaction.run(insertBoard, inserted)
    return inserted
  },
  setClosed: (id: number, closedAt: string, count: number) => queries.run(setClosed, { id, closedAt, count }),
  setSettled: (id: number, settledAt: string) => queries.run(setSettled, { id, settledAt }),
  /** The leaderboards that have closed boards. */
  withClosed: (environmentId: string) => queries.all(listWithClosed, { environmentId }),
  setRetired: (board: OfBoard & { period: string }, retiredAt: string) =>
    queries.run(setRetired, { ...board, retiredAt }),
  replace: (id: number, replacedAt: string, work: 'clear' | 'delete') =>
    queries.run(replaceBoard, { id, replacedAt, work }),
  /** `work` null: done. */
  setWork: (id: number, work: string | null, workAfter: string | null) =>
    queries.run(setWork, { id, work, workAfter }),
  endReset: (environmentId: string, key: string, resetAt: string) =>
    queries.run(endReset, { environmentId, key, resetAt }),
  /** Keeps the newest row, because its id must never be used again. */
  remove: (id: number) => queries.run(removeBoard, { id }),

  /** Before `beforeId`, the newest first. */
  withWork: async (beforeId: number, limit: number) =>
    (await queries.all(listWork, { beforeId, limit })) as Board[],
  /** The boards of one stat whose old values are not deleted yet. */
  resetting: async (environmentId: string, key: string) =>
    (await queries.all(listResetting, { environmentId, key })) as Board[],
  ended: async (now: string, page: Page) => (await queries.all(listEnded, { now, ...page })) as Board[],
  notSettled: async (closedBefore: string, page: Page) =>
    (await queries.all(listNotSettled, { closedBefore, ...page })) as Board[],
  closedBefore: async (period: string, endedBefore: string, page: Page) =>
    (await queries.all(listExpired, { period, endedBefore, ...page })) as Board[],
  allOpen: async (page: Page) => (await queries.all(listAllOpen, page)) as Board[],

  /** True for the one caller that may create the checkpoint now. */
  claimCheckpoint: async (id: number, now: string, until: string) =>
    (await queries.run(claimCheckpoint, { id, now, until })) === 1,
  writeCheckpoint: (checkpoint: Checkpointed) => queries.run(writeCheckpoint, checkpoint),
  readCheckpoint: (id: number) => queries.first(readCheckpoint, { id }),

  async writeWinners(ofLabel: OfLabel, winners: readonly Winner[]) {
    await queries.run(removeWinners, ofLabel)
    for (const [at, winner] of winners.entries())
      await queries.run(insertWinner, { ...ofLabel, ...winner, rank: at + 1 })
  },
  removeWinner: (environmentId: string, key: string, playerId: string) =>
    queries.run(removeWinner, { environmentId, key, playerId }),
  winnersOf: (environmentId: string, playerId: string) =>
    queries.all(listWinnersOf, { environmentId, playerId }),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeWinnersOf, { environmentId, playerId }),
})

const listOpen = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('environmentId', '=', environmentId)
    .where('closedAt', 'is', null)
    .where('replacedAt', 'is', null),
)
type OfPeriod = OfLabel & { period: string }
const findBoard = statement(
  (q, { environmentId, key, period, label, signature }: OfPeriod & { signature: string }) =>
    q
      .selectFrom('stats_boards')
      .select(boardColumns)
      .where('environmentId', '=', environmentId)
      .where('key', '=', key)
      .where('period', '=', period)
      .where('label', '=', label)
      .where('signature', '=', signature)
      .where('replacedAt', 'is', null)
      .orderBy('id', 'desc')
      .limit(sql.lit(1)),
)
const findClosed = statement((q, { environmentId, key, period, label }: OfPeriod) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('period', '=', period)
    .where('label', '=', label)
    .where('closedAt', 'is not', null)
    .where('replacedAt', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)
const findLastClosed = statement((q, { environmentId, key, period }: OfBoard & { period: string }) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('period', '=', period)
    .where('closedAt', 'is not', null)
    .where('replacedAt', 'is', null)
    .where('retiredAt', 'is', null)
    .orderBy('endsAt', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)
const listWithClosed = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('stats_boards')
    .select(['key', 'period'])
    .distinct()
    .where('environmentId', '=', environmentId)
    .where('closedAt', 'is not', null)
    .where('replacedAt', 'is', null)
    .where('retiredAt', 'is', null),
)
const setRetired = statement(
  (q, { environmentId, key, period, retiredAt }: OfBoard & { period: string; retiredAt: string }) =>
    q
      .updateTable('stats_boards')
      .set({ retiredAt })
      .where('environmentId', '=', environmentId)
      .where('key', '=', key)
      .where('period', '=', period)
      .where('closedAt', 'is not', null)
      .where('retiredAt', 'is', null),
)
const readBoard = statement((q, { id }: { id: number }) =>
  q.selectFrom('stats_boards').select(boardColumns).where('id', '=', id),
)
const listClosed = statement((q, { environmentId, key }: OfBoard) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('closedAt', 'is not', null)
    .where('replacedAt', 'is', null)
    .orderBy('endsAt', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(LIMITS.leaderboardPeriodsListed)),
)
const readLastId = statement((q) =>
  q.selectFrom('stats_boards').select('id').orderBy('id', 'desc').limit(sql.lit(1)),
)
const insertBoard = statement((q, board: Board) =>
  q.insertInto('stats_boards').values(columns(board, boardColumns)),
)
const setClosed = statement((q, { id, closedAt, count }: { id: number; closedAt: string; count: number }) =>
  q
    .updateTable('stats_boards')
    .set({ closedAt, count, checkpoint: sql.lit(null), work: sql.lit(null) })
    .where('id', '=', id),
)
const setSettled = statement((q, { id, settledAt }: { id: number; settledAt: string }) =>
  q.updateTable('stats_boards').set({ settledAt }).where('id', '=', id),
)
const replaceBoard = statement(
  (q, { id, replacedAt, work }: { id: number; replacedAt: string; work: string }) =>
    q
      .updateTable('stats_boards')
      .set({ replacedAt, work, workAfter: sql.lit(''), checkpoint: sql.lit(null) })
      .where('id', '=', id)
      .where('replacedAt', 'is', null),
)
const setWork = statement(
  (q, { id, work, workAfter }: { id: number; work: string | null; workAfter: string | null }) =>
    q.updateTable('stats_boards').set({ work, workAfter }).where('id', '=', id),
)
const endReset = statement((q, { environmentId, key, resetAt }: OfBoard & { resetAt: string }) =>
  q
    .updateTable('stats_boards')
    .set({ resetAt: sql.lit(null) })
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('resetAt', '<=', resetAt),
)
const removeBoard = statement((q, { id }: { id: number }) =>
  q
    .deleteFrom('stats_boards')
    .where('id', '=', id)
    .where('id', '<', (e) =>
      e.selectFrom('stats_boards as newest').select((f) => f.fn.max('newest.id').as('id')),
    ),
)

const listWork = statement((q, { beforeId, limit }: { beforeId: number; limit: number }) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('work', 'is not', null)
    .where('id', '<', beforeId)
    // The new board first: values are added to it before they are removed from the board that it replaces.
    .orderBy('id', 'desc')
    .limit(limit),
)
const listResetting = statement((q, { environmentId, key }: OfBoard) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('work', '=', sql.lit('delete')),
)
const listEnded = statement((q, { now, afterId, limit }: Page & { now: string }) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('closedAt', 'is', null)
    .where('replacedAt', 'is', null)
    .where('endsAt', '<=', now)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit),
)
const listNotSettled = statement((q, { closedBefore, afterId, limit }: Page & { closedBefore: string }) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('closedAt', '<=', closedBefore)
    .where('settledAt', 'is', null)
    .where('replacedAt', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit),
)
const listExpired = statement(
  (q, { period, endedBefore, afterId, limit }: Page & { period: string; endedBefore: string }) =>
    q
      .selectFrom('stats_boards')
      .select(boardColumns)
      .where('period', '=', period)
      .where('closedAt', 'is not', null)
      .where('replacedAt', 'is', null)
      .where('endsAt', '<=', endedBefore)
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(limit),
)
const listAllOpen = statement((q, { afterId, limit }: Page) =>
  q
    .selectFrom('stats_boards')
    .select(boardColumns)
    .where('id', '>', afterId)
    .where('closedAt', 'is', null)
    .where('replacedAt', 'is', null)
    .orderBy('id')
    .limit(limit),
)

type Claim = { id: number; now: string; until: string }
const claimCheckpoint = statement((q, { id, now, until }: Claim) =>
  q
    .updateTable('stats_boards')
    .set({ checkpointDueAt: until })
    .where('id', '=', id)
    .where((e) => e.or([e('checkpointDueAt', 'is', null), e('checkpointDueAt', '<=', now)])),
)
type Checkpointed = Pick<
  Tables['stats_boards'],
  'id' | 'checkpoint' | 'checkpointAt' | 'checkpointDueAt' | 'count'
>
const writeCheckpoint = statement(
  (q, { id, checkpoint, checkpointAt, checkpointDueAt, count }: Checkpointed) =>
    q
      .updateTable('stats_boards')
      .set({ checkpoint, checkpointAt, checkpointDueAt, count })
      .where('id', '=', id)
      .where('closedAt', 'is', null)
      .where('replacedAt', 'is', null),
)
const readCheckpoint = statement((q, { id }: { id: number }) =>
  q
    .selectFrom('stats_boards')
    .select(['checkpoint', 'checkpointAt', 'checkpointDueAt', 'count'])
    .where('id', '=', id),
)

const removeWinners = statement((q, { environmentId, key, label }: OfLabel) =>
  q
    .deleteFrom('stats_winners')
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('label', '=', label),
)
const insertWinner = statement((q, winner: Tables['stats_winners']) =>
  q
    .insertInto('stats_winners')
    .values(columns(winner, ['environmentId', 'key', 'label', 'rank', 'playerId', 'value', 'tie'])),
)
const removeWinner = statement((q, { environmentId, key, playerId }: OfBoard & PlayerKey) =>
  q
    .deleteFrom('stats_winners')
    .where('environmentId', '=', environmentId)
    .where('key', '=', key)
    .where('playerId', '=', playerId),
)
const listWinnersOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('stats_winners')
    .select(['key', 'label', 'rank', 'value', 'tie'])
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId)
    .orderBy('key')
    .orderBy('label'),
)
const removeWinnersOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('stats_winners').where('environmentId', '=', environmentId).where('playerId', '=', playerId),
)
