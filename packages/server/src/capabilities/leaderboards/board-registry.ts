import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import type { Background } from '../../platform/background.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import {
  type RankedStat,
  rankedStat,
  type Ranking,
  type Rankings,
  type Reporter,
} from '../../platform/ports/ranking.ts'
import type { Periods } from '../../platform/time/periods.ts'
import { createBoardOpening, newBoard, verifiedFromOf } from './board-opening.ts'
import { type BoardRule, type BoardRules, boardRulesOf, type LeaderboardConfig } from './board-rules.ts'
import type { Board, BoardStore, Queries, Transaction } from './boards-store.ts'
import type { ClosedBoards } from './closed-boards.ts'
import type { LeftStore } from './left-store.ts'
import { createTies, tieAt } from './ties.ts'

export type BoardRegistryDeps = {
  clock: Clock
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
  closed: ClosedBoards
  left: LeftStore
  background: Pick<Background, 'run'>
  /** Does the remaining work for boards that were opened, replaced or reset. */
  work(): Promise<unknown>
}
export type BoardRegistry = ReturnType<typeof createBoardRegistry>

type OpenBoards = {
  /** By stat and period: the open ones, and closed ones whose winners are counted once more. */
  boards: ReadonlyMap<string, readonly Board[]>
  /** The stats that reports with these rules in these periods have put on boards. */
  ranked?: RankedStats
}

type RankedStats = {
  rules: BoardRules
  periods: Periods
  of: Map<string, RankedStat>
  /** The boards of a stat whose period is already over for another node. */
  late: Map<string, Board[]>
  /** The boards of earlier periods that a stat leaves, as long as their winners are counted. */
  left: Map<string, readonly Board[]>
}

const TOPIC = 'leaderboards'
const ENVIRONMENTS_MAX = 5_000
/** After this time, reports that were in flight when a period was closed are stored. */
export const LATE_REPORTS_MS = 5 * SECOND_MS
/** Finds the board of a value. The first report or read of a period opens its board, unless a job has done so before. */
export function createBoardRegistry(store: BoardStore, deps: BoardRegistryDeps) {
  const { clock, bus, closed, left, background } = deps
  const reachedNow = createTies(clock)
  const dropped = new Set<(environmentId: string) => void>()
  const ending = new Map<number, Promise<void>>()
  const opening = createBoardOpening(store, {
    clock,
    closed,
    async opened(environmentId) {
      await announce(environmentId)
      background.run(deps.work)
    },
  })

  const open = createCache<OpenBoards>({
    read: async (environmentId) => ({
      boards: Map.groupBy(await store.openOrNotSettled(environmentId), ({ key, period }) =>
        nameOf(key, period),
      ),
    }),
    ttlMs: SECOND_MS,
    entriesMax: ENVIRONMENTS_MAX,
  })

  function drop(environmentId: string) {
    open.drop(environmentId)
    for (const forget of dropped) forget(environmentId)
  }
  bus.subscribe(TOPIC, drop)
  bus.onGap(() => {
    open.clear()
    for (const forget of dropped) forget('')
  })

  /** Call after the transaction: all nodes then read the boards again, this one before it resolves. */
  const announce = (environmentId: string) => bus.publish(TOPIC, environmentId)

  async function current(
    environmentId: string,
    rule: BoardRule,
    period: LeaderboardPeriod,
    periods: Periods,
  ): Promise<Board> {
    const { boards } = await open.get(environmentId)
    const board = await currentIn(boards, environmentId, rule, period, periods)
    endInBackground(boards.get(nameOf(rule.key, period)) ?? [])
    return board
  }

  function currentIn(
    boards: OpenBoards['boards'],
    environmentId: string,
    rule: BoardRule,
    period: LeaderboardPeriod,
    periods: Periods,
  ): Awaitable<Board> {
    const ofPeriod = boards.get(nameOf(rule.key, period)) ?? []
    return (
      opening.currentOf(ofPeriod, { rule, period, periods }) ??
      opening.open({ environmentId, rule, period, periods })
    )
  }

  /** Closes a board whose period is over. Reports do not wait for it. */
  function end(board: Board): Promise<void> {
    const known = ending.get(board.id)
    if (known) return known
    const ended = endOnce(board).finally(() => ending.delete(board.id))
    ending.set(board.id, ended)
    return ended
  }

  async function endOnce(board: Board): Promise<void> {
    if (await closed.end(board)) await announce(board.environmentId)
  }

  function endInBackground(boards: readonly Board[]) {
    for (const board of boards) if (isOver(board)) background.run(() => end(board))
  }

  /** Open, although the period is over. */
  const isOver = ({ endsAt, closedAt }: Board) =>
    closedAt === null && endsAt !== null && endsAt <= timestamp(clock)

  const rankings: Rankings<LeaderboardConfig, Queries> = {
    rankingOf(environmentId, config, accepted, periods, reporter) {
      const rules = boardRulesOf(config)
      if (rules.size === 0 || !accepted.some(({ key }) => rules.has(key))) return undefined
      return rankingFor(environmentId, rules, accepted, periods, reachedNow(), reporter)
    },

    async resetAt(environmentId, config) {
      if (boardRulesOf(config).size === 0) return () => undefined
      const resets = new Map<string, string>()
      for (const { key, resetAt, closedAt } of [...(await open.get(environmentId)).boards.values()].flat())
        if (resetAt !== null && closedAt === null) resets.set(key, resetAt)
      return (key) => resets.get(key)
    },
  }

  return {
    current,
    drop,
    announce,
    end,
    openNext: opening.openNext,
    /** The handler gets the environment whose lists must be read again, or an empty text for all. */
    onDrop: (forget: (environmentId: string) => void) => void dropped.add(forget),

    /** Closes the boards of a stat whose period is over, for a reader who wants to know its winners. */
    async endAll(environmentId: string, key: string): Promise<void> {
      const { boards } = await open.get(environmentId)
      for (const board of [...boards.values()].flat())
        if (board.key === key && isOver(board)) await end(board)
    },

    /** Empties the boards of a stat: new boards replace them, and older values count as absent. */
    async reset(transaction: Transaction, environmentId: string, rule: BoardRule, periods: Periods) {
      await store.excludeChanges(transaction, environmentId, rule.key)
      const queries = store.in(transaction)
      const now = timestamp(clock)
      const opened = (await queries.open(environmentId)).filter(({ key }) => key === rule.key)
      for (const before of opened) {
        if (before.endsAt !== null && before.endsAt <= now) await closed.close(transaction, before)
        else await queries.replace(before.id, now, 'delete')
      }
      const approvedFrom = rule.verifiedOnly ? verifiedFromOf(opened) : null
      for (const period of rule.periods) {
        const created = newBoard({ environmentId, rule, period, periods }, now)
        const board = { ...created, verifiedFrom: approvedFrom ?? created.verifiedFrom }
        // Values of a period that has no board yet are deleted, too.
        if (!opened.some((before) => before.period === period))
          await queries.insert({ ...board, replacedAt: now, work: 'delete', workAfter: '' })
        await queries.insert({ ...board, resetAt: now })
      }
    },

    ...rankings,
  }

  async function rankingFor(
    environmentId: string,
    rules: BoardRules,
    accepted: readonly { key: string }[],
    periods: Periods,
    reachedAt: number,
    { hidden, isVerified }: Reporter,
  ): Promise<Ranking<Queries>> {
    const known = await open.get(environmentId)
    if (known.ranked?.rules !== rules || known.ranked.periods !== periods)
      known.ranked = { rules, periods, of: new Map(), late: new Map(), left: new Map() }
    const { ranked } = known
    for (const { key } of accepted) {
      const rule = rules.get(key)
      if (rule && !ranked.of.has(key))
        ranked.of.set(key, await rank(environmentId, known.boards, rule, ranked))
    }
    return {
      reachedAt,
      hidden,
      isVerified,
      of: ranked.of,
      stored: ranked.late.size === 0 ? undefined : () => countLate(boardsIn(ranked.late, accepted)),
      keep: ranked.left.size === 0 ? undefined : keep(environmentId, boardsIn(ranked.left, accepted)),
    }
  }

  /** Undefined if there is nothing to keep. */
  function keep(environmentId: string, boards: readonly Board[]): Ranking<Queries>['keep'] {
    if (boards.length === 0) return undefined
    endInBackground(boards)
    return (queries, playerId) => left.keep(queries, { environmentId, playerId }, boards)
  }

  /** If it fails, the job counts them: they are not settled. */
  async function countLate(boards: readonly Board[]): Promise<void> {
    await Promise.allSettled(boards.map(closed.countLate))
  }

  async function rank(
    environmentId: string,
    known: OpenBoards['boards'],
    rule: BoardRule,
    { periods, late, left }: RankedStats,
  ): Promise<RankedStat> {
    const { key } = rule
    const boards: RankedStat['boards'] = {}
    const found: Board[] = []
    let resetAt: string | null = null
    let verifiedFrom: number | null = null
    for (const period of rule.periods) {
      const board = await currentIn(known, environmentId, rule, period, periods)
      boards[period] = board.id
      found.push(board)
      resetAt ??= board.resetAt
      // All boards of a stat have the same one.
      if (board.verifiedFrom !== null) verifiedFrom ??= tieAt(Date.parse(board.verifiedFrom))
    }
    const closedOnes = found.filter(({ closedAt }) => closedAt !== null)
    if (closedOnes.length > 0) late.set(key, closedOnes)
    const ended = found.flatMap((board) => leftFor(board, known))
    if (ended.length > 0) left.set(key, ended)
    return rankedStat({ direction: rule.order, verifiedFrom, boards, resetAt })
  }

  /** The boards of periods that are over: a report for this board takes values off them. */
  function leftFor({ id, key, period }: Board, known: OpenBoards['boards']): Board[] {
    const now = timestamp(clock)
    const ofPeriod = known.get(nameOf(key, period)) ?? []
    return ofPeriod.filter((other) => other.id !== id && other.endsAt !== null && other.endsAt <= now)
  }
}

const nameOf = (key: string, period: string) => `${period} ${key}`

const boardsIn = (of: ReadonlyMap<string, readonly Board[]>, accepted: readonly { key: string }[]) =>
  accepted.flatMap(({ key }) => of.get(key) ?? [])
