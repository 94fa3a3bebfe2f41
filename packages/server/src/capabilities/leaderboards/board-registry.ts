import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import type { Background } from '../../platform/background.ts'
import { type Clock, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import {
  type RankedStat,
  rankedStat,
  type Ranking,
  type Rankings,
  type Reporter,
} from '../../platform/ports/ranking.ts'
import { boundsOf, type Periods } from '../../platform/time/periods.ts'
import {
  type BoardRule,
  type BoardRules,
  boardRulesOf,
  labelOf,
  type LeaderboardConfig,
  signatureOf,
} from './board-rules.ts'
import type { Board, BoardQueries, BoardStore, NewBoard, Transaction } from './boards-store.ts'
import type { ClosedBoards } from './closed-boards.ts'
import { createTies, tieAt } from './ties.ts'

export type BoardRegistryDeps = {
  clock: Clock
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
  closed: ClosedBoards
  background: Pick<Background, 'run'>
  /** Does the remaining work for boards that were opened, replaced or reset. */
  work(): Promise<unknown>
}
export type BoardRegistry = ReturnType<typeof createBoardRegistry>

type OpenBoards = {
  boards: ReadonlyMap<string, Board>
  /** The stats that reports with these rules in these periods have put on boards. */
  ranked?: RankedStats
}

type RankedStats = {
  rules: BoardRules
  periods: Periods
  of: Map<string, RankedStat>
  /** The boards of a stat whose period is already over for another node. */
  late: Map<string, Board[]>
}

const TOPIC = 'leaderboards'
const ENVIRONMENTS_MAX = 5_000
/** After this time, reports that were in flight when a period was closed are stored. */
export const LATE_REPORTS_MS = 5 * SECOND_MS
/** The clocks of nodes may differ this much. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS
/** After this time, nodes that did not know of a new board or a reset have stored their reports. */
export const STALE_NODES_MS = 10 * SECOND_MS

/**
 * Finds the board of a value. The first report or read of a period opens its board, and closes the board of the previous period.
 */
export function createBoardRegistry(store: BoardStore, deps: BoardRegistryDeps) {
  const { clock, bus, closed, background } = deps
  const reachedNow = createTies(clock)
  const dropped = new Set<(environmentId: string) => void>()

  const open = createCache<OpenBoards>({
    read: async (environmentId) => ({
      boards: new Map(
        (await store.open(environmentId)).map((board) => [nameOf(board.key, board.period), board]),
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
    return currentIn(boards, environmentId, rule, period, periods)
  }

  async function currentIn(
    boards: OpenBoards['boards'],
    environmentId: string,
    rule: BoardRule,
    period: LeaderboardPeriod,
    periods: Periods,
  ): Promise<Board> {
    const board = boards.get(nameOf(rule.key, period))
    const isCurrent =
      board?.label === labelOf(period, periods) && board.signature === signatureOf(rule, period, periods.zone)
    return isCurrent ? board : openBoard(environmentId, rule, period, periods)
  }

  async function openBoard(
    environmentId: string,
    rule: BoardRule,
    period: LeaderboardPeriod,
    periods: Periods,
  ): Promise<Board> {
    const { board, isNew } = await store.change(environmentId, rule.key, (transaction) =>
      findOrInsert(transaction, environmentId, rule, period, periods),
    )
    if (isNew) {
      await announce(environmentId)
      background.run(deps.work)
    }
    return board
  }

  async function findOrInsert(
    transaction: Transaction,
    environmentId: string,
    rule: BoardRule,
    period: LeaderboardPeriod,
    periods: Periods,
  ): Promise<{ board: Board; isNew: boolean }> {
    const queries = store.in(transaction)
    const label = labelOf(period, periods)
    const signature = signatureOf(rule, period, periods.zone)
    const found = await queries.find({ environmentId, key: rule.key, period, label, signature })
    if (found?.closedAt === null) return { board: found, isNew: false }

    for (const board of await ofTheFuture(queries, environmentId, rule.key, period))
      await closed.remove(transaction, board)
    const ofStat = (await queries.open(environmentId)).filter((board) => board.key === rule.key)
    const others = ofStat.filter((board) => board.period === period)
    const now = timestamp(clock)
    if (found && others.length === 0 && (found.endsAt ?? now) > now)
      return { board: await closed.reopen(transaction, found), isNew: true }
    if (found) {
      // This node's clock is behind. Also if this process ends after the report, the winners are counted again.
      if (found.settledAt !== null) await queries.setSettled(found.id, null)
      return { board: found, isNew: false }
    }
    const last = others[0] ?? (await queries.lastClosed({ environmentId, key: rule.key, period }))
    const approvedFrom = rule.verifiedOnly ? verifiedFromOf([...ofStat, last]) : null
    const created = newBoard(environmentId, rule, period, periods, now)
    const board = { ...created, verifiedFrom: approvedFrom ?? created.verifiedFrom }
    // The same case, and the period had no board: this board is created closed.
    if (others.some((next) => next.signature === signature && next.label > label))
      return { board: await queries.insert({ ...board, closedAt: now, count: 0 }), isNew: false }
    for (const before of others) {
      if (before.endsAt !== null && before.endsAt <= now) await closed.close(transaction, before)
      else await queries.replace(before.id, now, 'clear')
    }
    // Values of a new period begin with their first report. It is not known whether values from before `verifiedOnly` were approved.
    // In all other cases existing values must be added.
    const continues = last?.signature === signature && last.label < label
    const isFilled = !continues && (!rule.verifiedOnly || approvedFrom !== null)
    const resetAt = last?.resetAt ?? null
    const inserted = await queries.insert({ ...board, resetAt, ...(isFilled && FILL) })
    return { board: inserted, isNew: true }
  }

  /** The clock was ahead when these boards were opened; those of a node whose clock is a little ahead are none. */
  async function ofTheFuture(
    queries: BoardQueries,
    environmentId: string,
    key: string,
    period: LeaderboardPeriod,
  ): Promise<Board[]> {
    const latest = timestamp(clock, CLOCKS_DIFFER_MS)
    const all = [...(await queries.open(environmentId)), ...(await queries.closed(environmentId, key))]
    return all.filter(
      (board) => board.key === key && board.period === period && (board.startsAt ?? '') > latest,
    )
  }

  const rankings: Rankings<LeaderboardConfig> = {
    rankingOf(environmentId, config, accepted, periods, reporter) {
      const rules = boardRulesOf(config)
      if (rules.size === 0 || !accepted.some(({ key }) => rules.has(key))) return undefined
      return rankingFor(environmentId, rules, accepted, periods, reachedNow(), reporter)
    },

    async resetAt(environmentId, config) {
      if (boardRulesOf(config).size === 0) return () => undefined
      const resets = new Map<string, string>()
      for (const { key, resetAt } of (await open.get(environmentId)).boards.values())
        if (resetAt !== null) resets.set(key, resetAt)
      return (key) => resets.get(key)
    },
  }

  return {
    current,
    drop,
    announce,
    /** The handler gets the environment whose lists must be read again, or an empty text for all. */
    onDrop: (forget: (environmentId: string) => void) => void dropped.add(forget),

    /** Empties the boards of a stat: new boards replace them, and older values count as absent. */
    async reset(transaction: Transaction, environmentId: string, rule: BoardRule, periods: Periods) {
      const queries = store.in(transaction)
      const now = timestamp(clock)
      const opened = (await queries.open(environmentId)).filter(({ key }) => key === rule.key)
      for (const before of opened) {
        if (before.endsAt !== null && before.endsAt <= now) await closed.close(transaction, before)
        else await queries.replace(before.id, now, 'delete')
      }
      const approvedFrom = rule.verifiedOnly ? verifiedFromOf(opened) : null
      for (const period of rule.periods) {
        const created = newBoard(environmentId, rule, period, periods, now)
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
  ): Promise<Ranking> {
    const known = await open.get(environmentId)
    if (known.ranked?.rules !== rules || known.ranked.periods !== periods)
      known.ranked = { rules, periods, of: new Map(), late: new Map() }
    const { of, late } = known.ranked
    for (const { key } of accepted) {
      const rule = rules.get(key)
      if (rule && !of.has(key)) of.set(key, await rank(environmentId, known.boards, rule, periods, late))
    }
    const stored =
      late.size === 0 ? undefined : () => countLate(accepted.flatMap(({ key }) => late.get(key) ?? []))
    return { reachedAt, hidden, isVerified, of, stored }
  }

  /** If it fails, the job counts them: they are not settled. */
  async function countLate(boards: readonly Board[]): Promise<void> {
    await Promise.allSettled(boards.map(closed.countLate))
  }

  async function rank(
    environmentId: string,
    known: OpenBoards['boards'],
    rule: BoardRule,
    periods: Periods,
    late: RankedStats['late'],
  ): Promise<RankedStat> {
    const boards: RankedStat['boards'] = {}
    let resetAt: string | null = null
    let verifiedFrom: number | null = null
    for (const period of rule.periods) {
      const board = await currentIn(known, environmentId, rule, period, periods)
      boards[period] = board.id
      if (board.closedAt !== null) late.set(rule.key, [...(late.get(rule.key) ?? []), board])
      resetAt ??= board.resetAt
      // All boards of a stat have the same one.
      if (board.verifiedFrom !== null) verifiedFrom ??= tieAt(Date.parse(board.verifiedFrom))
    }
    return rankedStat({ direction: rule.order, verifiedFrom, boards, resetAt })
  }
}

const FILL = { work: 'fill', workAfter: '' } as const

/** When `verifiedOnly` was turned on; null if it was not on for these boards. */
const verifiedFromOf = (boards: readonly (Board | undefined)[]): string | null =>
  boards.find((board) => board?.verifiedFrom)?.verifiedFrom ?? null

const nameOf = (key: string, period: string) => `${period} ${key}`

function newBoard(
  environmentId: string,
  rule: BoardRule,
  period: LeaderboardPeriod,
  periods: Periods,
  createdAt: string,
): NewBoard {
  const label = labelOf(period, periods)
  const bounds =
    period === 'allTime' ? { startsAt: null, endsAt: null } : boundsOf(periods.zone, period, label)
  return {
    environmentId,
    key: rule.key,
    period,
    label,
    direction: rule.order,
    signature: signatureOf(rule, period, periods.zone),
    ...bounds,
    createdAt,
    resetAt: null,
    replacedAt: null,
    closedAt: null,
    settledAt: null,
    count: null,
    work: null,
    workAfter: null,
    checkpointDueAt: null,
    checkpointAt: null,
    retiredAt: null,
    // Until then, a node that does not know of it may store a value that was not approved.
    verifiedFrom: rule.verifiedOnly ? new Date(Date.parse(createdAt) + STALE_NODES_MS).toISOString() : null,
  }
}
