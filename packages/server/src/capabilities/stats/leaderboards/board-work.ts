import { LIMITS } from '@svc/contract/limits'

import type { Awaitable } from '../../../platform/awaitable.ts'
import { type Clock, DAY_MS, SECOND_MS, timestamp } from '../../../platform/clock.ts'
import type { StatsConfig } from '../integrity.ts'
import { isVerifiedOnly, labelOf } from './board-rules.ts'
import type { Board, BoardStore, Transaction } from './boards-store.ts'
import { LATE_REPORTS_MS, type BoardRegistry } from './boards.ts'
import type { EntryChangeStore } from './entry-changes-store.ts'
import { tieAt } from './ties.ts'

export type BoardWorkDeps = {
  clock: Clock
  boards: () => BoardRegistry
  changes: EntryChangeStore
  config: { current(environmentId: string): Awaitable<{ config: StatsConfig }> }
  /** Those of these players that may be shown: they exist, are not banned and have not left the leaderboards. */
  shownAmong(transaction: Transaction, environmentId: string, playerIds: string[]): Promise<Set<string>>
}

/** Small, because on SQLite a step blocks all other requests of the node. */
const STEP_ROWS = 100
const BOARDS_AT_ONCE = 100
/** After this time, nodes that did not know of a reset or a new board have stored their reports. */
const STALE_NODES_MS = 10 * SECOND_MS

const KEPT_MS = {
  daily: LIMITS.leaderboardDaysKept * DAY_MS,
  weekly: LIMITS.leaderboardWeeksKept * 7 * DAY_MS,
  // Months have 28 to 31 days; none is deleted early.
  monthly: LIMITS.leaderboardMonthsKept * 31 * DAY_MS,
}

/**
 * The work on boards that reports do not do: adding existing values, closing periods without a report, resets, and removing old
 * data.
 */
export function createBoardWork(store: BoardStore, deps: BoardWorkDeps) {
  const { clock, changes, config: configs } = deps
  let running: Promise<void> | undefined

  async function doAll(): Promise<void> {
    for (const { id, environmentId, key } of await store.withWork(BOARDS_AT_ONCE)) {
      let isDone = false
      while (!isDone) isDone = await store.change(environmentId, key, (transaction) => step(transaction, id))
    }
  }

  /** True if there is nothing left to do now. */
  async function step(transaction: Transaction, id: number): Promise<boolean> {
    const board = await store.in(transaction).read(id)
    if (!board?.work) return true
    if (board.work === 'fill') return fill(transaction, board)
    if (board.work === 'delete') return deleteOld(transaction, board)
    return clear(transaction, board)
  }

  /** Adds values that existed before the board (LDB-12). */
  async function fill(transaction: Transaction, board: Board): Promise<boolean> {
    const { environmentId, key, period, label, signature } = board
    const rows = await changes.values(transaction, { ...after(board), limit: STEP_ROWS })
    const zone = signature.split(' ')[3]
    const due = rows.filter(
      (row) =>
        row.hidden === null &&
        row[`${period}Board`] !== board.id &&
        (period === 'allTime' || (row.zone === zone && labelOf(period, row) === label)) &&
        (board.resetAt === null || row.updatedAt > board.resetAt) &&
        // For values that are on no board it is not known whether they were approved.
        (!isVerifiedOnly(signature) || row[`${period}Board`] !== null),
    )
    const shown = await deps.shownAmong(
      transaction,
      environmentId,
      due.map(({ playerId }) => playerId),
    )
    for (const { playerId, updatedAt, ...row } of due) {
      if (!shown.has(playerId)) continue
      const reachedAt = Math.abs(row[`${period}Tie`] ?? tieAt(Date.parse(updatedAt)))
      const tie = board.direction === 'desc' ? -reachedAt : reachedAt
      await changes.add(transaction, period, { environmentId, playerId, key, board: board.id, tie })
    }
    const isDone = rows.length < STEP_ROWS
    await store.in(transaction).setWork(board.id, isDone ? null : 'fill', rows.at(-1)?.playerId ?? null)
    return isDone
  }

  /** Deletes the values from before a reset, and later values that a node stored without knowing of it. */
  async function deleteOld(transaction: Transaction, board: Board): Promise<boolean> {
    const { environmentId, key, period, replacedAt } = board
    const resetAt = replacedAt ?? ''
    const rows = await changes.values(transaction, { ...after(board), limit: STEP_ROWS })
    for (const { playerId, aggregation, updatedAt, ...row } of rows) {
      if (updatedAt > resetAt && row[`${period}Board`] !== board.id) continue
      // A report may have been stored since, so the statements check again.
      const of = { environmentId, playerId, key, resetAt, board: board.id }
      await changes.removeOld(transaction, period, of, aggregation)
    }
    const boards = store.in(transaction)
    if (rows.length === STEP_ROWS) {
      await boards.setWork(board.id, 'delete', rows.at(-1)?.playerId ?? '')
      return false
    }
    if (timestamp(clock, -STALE_NODES_MS) < resetAt) {
      await boards.setWork(board.id, 'delete', '')
      return true
    }
    const others = (await boards.resetting(environmentId, key)).filter(({ id }) => id !== board.id)
    if (others.length === 0) await boards.endReset(environmentId, key, resetAt)
    await boards.setWork(board.id, 'clear', '')
    return false
  }

  async function clear(transaction: Transaction, { id, period, replacedAt }: Board): Promise<boolean> {
    if ((await changes.clear(transaction, period, id, STEP_ROWS)) === STEP_ROWS) return false
    if (replacedAt !== null && timestamp(clock, -STALE_NODES_MS) < replacedAt) return true
    await store.in(transaction).setWork(id, null, null)
    await store.in(transaction).remove(id)
    return true
  }

  /** Closes periods that have ended without a report. */
  async function closeEnded(): Promise<void> {
    const now = timestamp(clock)
    for (const { environmentId, key } of await store.ended(now, BOARDS_AT_ONCE))
      await store.change(environmentId, key, async (transaction) => {
        for (const board of await store.in(transaction).open(environmentId))
          if (board.key === key && board.endsAt !== null && board.endsAt <= now)
            await deps.boards().close(transaction, board)
      })
    for (const board of await store.notSettled(timestamp(clock, -LATE_REPORTS_MS), BOARDS_AT_ONCE))
      await deps.boards().settle(board)
  }

  /** Removes boards from the index whose stat or period is no longer on. */
  async function retire(environmentId: string, boards: readonly Board[]): Promise<void> {
    const { config } = await configs.current(environmentId)
    for (const { id, key, period } of boards) {
      const { leaderboard } = config.stats.find((stat) => stat.key === key) ?? {}
      if (!leaderboard?.periods.includes(period))
        await store.change(environmentId, key, (transaction) =>
          store.in(transaction).replace(id, timestamp(clock), 'clear'),
        )
    }
  }

  async function retireAll(): Promise<void> {
    let afterId = 0
    for (;;) {
      const boards = await store.allOpen(afterId, BOARDS_AT_ONCE)
      for (const board of boards) await retire(board.environmentId, [board])
      afterId = boards.at(-1)?.id ?? 0
      if (boards.length < BOARDS_AT_ONCE) return
    }
  }

  async function purge(): Promise<void> {
    for (const [period, keptMs] of Object.entries(KEPT_MS)) {
      for (const board of await store.closedBefore(period, timestamp(clock, -keptMs), BOARDS_AT_ONCE))
        await store.change(board.environmentId, board.key, async (transaction) => {
          const { environmentId, key, label } = board
          await store.in(transaction).writeWinners({ environmentId, key, label }, [])
          await store.in(transaction).replace(board.id, timestamp(clock), 'clear')
        })
    }
  }

  return {
    /** Runs one at a time on a node; the steps of several nodes are serialized. */
    run(): Promise<void> {
      const before = running ?? Promise.resolve()
      const next = before.catch(() => {}).then(doAll)
      running = next
      return next
    },

    /** Once a minute, on one node. */
    async everyMinute(): Promise<void> {
      await closeEnded()
      await doAll()
    },
    /** Once an hour, on one node. */
    async everyHour(): Promise<void> {
      await retireAll()
      await purge()
    },
    /** A board that is turned off and on again is a new one, with the values of the time between. */
    async configChanged(environmentId: string): Promise<void> {
      const boards = await store.open(environmentId)
      if (boards.length > 0) await retire(environmentId, boards)
      deps.boards().drop(environmentId)
    },
  }
}

const after = ({ environmentId, key, workAfter }: Board) => ({ environmentId, key, after: workAfter ?? '' })
