import { LIMITS } from '@svc/contract/common/limits'

import { DAY_MS, timestamp } from '../../platform/clock.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { type BoardRegistry, LATE_REPORTS_MS } from './board-registry.ts'
import type { LeaderboardConfig } from './board-rules.ts'
import { type BoardStepDeps, createBoardSteps } from './board-steps.ts'
import type { Board, BoardStore, Page } from './boards-store.ts'
import type { ClosedBoards } from './closed-boards.ts'
import type { LeftStore } from './left-store.ts'

export type BoardWorkDeps = BoardStepDeps & {
  registry: () => BoardRegistry
  closed: ClosedBoards
  left: LeftStore
  config: { current(environmentId: string): Awaitable<{ config: LeaderboardConfig }> }
  /** True while the service stops: the work ends after a step, and is continued by another node or after the next start. */
  stopping(): boolean
}

const BOARDS_AT_ONCE = 100
/** Of the values that were kept until their winners were counted. */
const REMOVED_AT_ONCE = 1_000

const CLOSING_PERIODS = ['daily', 'weekly', 'monthly'] as const
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
  const { clock, config: configs, stopping } = deps
  const step = createBoardSteps(store, deps)
  let running: Promise<void> | undefined

  /** Works on all boards of a list, page by page; a board that fails does not stop the others. */
  async function onEach(
    list: (lastId: number | undefined) => Promise<Board[]>,
    work: (board: Board) => Promise<unknown>,
  ): Promise<void> {
    const failures: unknown[] = []
    let boards: Board[] = []
    do {
      boards = await list(boards.at(-1)?.id)
      for (const board of boards)
        if (!stopping()) await work(board).catch((error: unknown) => failures.push(error))
    } while (boards.length === BOARDS_AT_ONCE && !stopping())
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} boards failed`)
  }
  const pageAfter = (afterId = 0): Page => ({ afterId, limit: BOARDS_AT_ONCE })

  const doAll = () =>
    onEach(
      (beforeId = Number.MAX_SAFE_INTEGER) => store.withWork(beforeId, BOARDS_AT_ONCE),
      async ({ id }) => {
        while (!stopping() && !(await step(id)));
      },
    )

  /** Closes the boards of periods that have ended, and counts the winners of those that were closed before once more. */
  async function closeEnded(): Promise<void> {
    const now = timestamp(clock)
    await onEach(
      (afterId) => store.ended(now, pageAfter(afterId)),
      (board) => deps.registry().end(board),
    )
    await onEach(
      (afterId) => store.notSettled(timestamp(clock, -LATE_REPORTS_MS), pageAfter(afterId)),
      (board) => deps.closed.settle(board),
    )
    while (!stopping() && (await deps.left.removeCounted(REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
  }

  /** Removes boards from the index whose stat or period is no longer on. */
  async function retire({ id, environmentId, key, period }: Board): Promise<void> {
    if (await isOn(environmentId, key, period)) return
    await store.change(environmentId, key, (transaction) =>
      store.in(transaction).replace(id, timestamp(clock), 'clear'),
    )
  }

  async function isOn(environmentId: string, key: string, period: string): Promise<boolean> {
    const { config } = await configs.current(environmentId)
    const { leaderboard } = config.stats.find((stat) => stat.key === key) ?? {}
    return leaderboard?.periods.some((one) => one === period) ?? false
  }

  async function purge(): Promise<void> {
    for (const period of CLOSING_PERIODS) {
      const endedBefore = timestamp(clock, -KEPT_MS[period])
      await onEach(
        (afterId) => store.closedBefore(period, endedBefore, pageAfter(afterId)),
        ({ id, environmentId, key, label }) =>
          store.change(environmentId, key, async (transaction) => {
            await store.in(transaction).writeWinners({ environmentId, key, label }, [])
            await store.in(transaction).replace(id, timestamp(clock), 'clear')
          }),
      )
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
    closeEnded,
    /** Once a minute, on one node. */
    everyMinute: doAll,
    /** Once an hour, on one node. */
    async everyHour(): Promise<void> {
      await onEach((afterId) => store.allOpen(pageAfter(afterId)), retire)
      await purge()
    },
    /** A board that is turned off and on again is a new one, with the values of the time between. */
    async configChanged(environmentId: string): Promise<void> {
      for (const board of await store.open(environmentId)) await retire(board)
      // The values of the time between are on no board: the next one must be filled.
      for (const { key, period } of await store.withClosed(environmentId))
        if (!(await isOn(environmentId, key, period)))
          await store.setRetired({ environmentId, key, period }, timestamp(clock))
      deps.registry().drop(environmentId)
    },
  }
}
