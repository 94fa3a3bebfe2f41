import { LIMITS } from '@svc/contract/common/limits'
import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import type { Background } from '../../platform/background.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
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
import type { Board, BoardStore, NewBoard, Transaction } from './boards-store.ts'
import type { EntryStore } from './entries-store.ts'
import { createTies, tieAt } from './ties.ts'

export type BoardRegistryDeps = {
  clock: Clock
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
  entries: EntryStore
  background: Pick<Background, 'run'>
  /** Does the remaining work for boards that were opened, replaced or reset. */
  work(): Promise<unknown>
}
export type BoardRegistry = ReturnType<typeof createBoardRegistry>

type OpenBoards = {
  boards: ReadonlyMap<string, Board>
  /** The stats that reports with these rules in these periods have put on boards. */
  ranked?: { rules: BoardRules; periods: Periods; of: Map<string, RankedStat> }
}

const TOPIC = 'leaderboards'
const ENVIRONMENTS_MAX = 5_000
/** After this time, reports that were in flight when a period was closed are stored. */
export const LATE_REPORTS_MS = 5 * SECOND_MS
/** After this time, nodes that did not know of a new board or a reset have stored their reports. */
export const STALE_NODES_MS = 10 * SECOND_MS

/**
 * Finds the board of a value. The first report or read of a period opens its board, and closes the board of the previous period.
 */
export function createBoardRegistry(store: BoardStore, deps: BoardRegistryDeps) {
  const { clock, bus, entries, background } = deps
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
    // A node whose clock is behind may report into a closed period; its winners are counted again.
    if (found) return { board: found, isNew: false }

    const ofStat = (await queries.open(environmentId)).filter((board) => board.key === rule.key)
    const others = ofStat.filter((board) => board.period === period)
    const last = others[0] ?? (await queries.lastClosed({ environmentId, key: rule.key, period }))
    const now = timestamp(clock)
    const approvedFrom = rule.verifiedOnly ? verifiedFromOf([...ofStat, last]) : null
    const created = newBoard(environmentId, rule, period, periods, now)
    const board = { ...created, verifiedFrom: approvedFrom ?? created.verifiedFrom }
    // The same case, and the period had no board: this board is created closed.
    if (others.some((next) => next.signature === signature && next.label > label))
      return {
        board: await queries.insert({ ...board, closedAt: now, count: 0 }),
        isNew: false,
      }
    for (const before of others) {
      if (before.endsAt !== null && before.endsAt <= now) await close(transaction, before)
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

  /** The first 100 become winners. */
  async function close(transaction: Transaction, board: Board): Promise<void> {
    const { environmentId, key, label } = board
    const queries = store.in(transaction)
    // The same day can occur twice if the time zone is changed; only the second board is kept.
    for (const twin of await queries.closed(environmentId, key))
      if (twin.label === label) await queries.replace(twin.id, timestamp(clock), 'clear')
    await queries.writeWinners({ environmentId, key, label }, [])
    await countWinners(transaction, board)
    const counted = await entries.in(transaction).count(board, LIMITS.leaderboardExactRankMax + 1)
    const count = counted > LIMITS.leaderboardExactRankMax ? Math.max(counted, board.count ?? 0) : counted
    await queries.setClosed(board.id, timestamp(clock), count)
  }

  /** Players who have reported in the next period are no longer on the board, so earlier winners are kept. */
  async function countWinners(transaction: Transaction, board: Board): Promise<void> {
    const { environmentId, key, label, direction } = board
    const ofBoards = entries.in(transaction)
    const top = await ofBoards.top(board, LIMITS.leaderboardWinnersMax)
    const onBoard = new Set(top.map(({ playerId }) => playerId))
    const before = (await ofBoards.winners(environmentId, key, label)).filter(
      ({ playerId }) => !onBoard.has(playerId),
    )
    const sign = direction === 'desc' ? -1 : 1
    const winners = [...top, ...before].toSorted((a, b) => sign * (a.value - b.value || a.tie - b.tie))
    await store
      .in(transaction)
      .writeWinners({ environmentId, key, label }, winners.slice(0, LIMITS.leaderboardWinnersMax))
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
    close,
    drop,
    announce,
    /** The handler gets the environment whose lists must be read again, or an empty text for all. */
    onDrop: (forget: (environmentId: string) => void) => void dropped.add(forget),

    /** Counts the winners again after reports that were in flight are stored. */
    settle: (board: Board) =>
      store.change(board.environmentId, board.key, async (transaction) => {
        const now = await store.in(transaction).read(board.id)
        if (!now || now.settledAt !== null || now.replacedAt !== null) return
        await countWinners(transaction, now)
        await store.in(transaction).setSettled(board.id, timestamp(clock))
      }),

    /** Empties the boards of a stat: new boards replace them, and older values count as absent. */
    async reset(transaction: Transaction, environmentId: string, rule: BoardRule, periods: Periods) {
      const queries = store.in(transaction)
      const now = timestamp(clock)
      const opened = (await queries.open(environmentId)).filter(({ key }) => key === rule.key)
      for (const before of opened) {
        if (before.endsAt !== null && before.endsAt <= now) await close(transaction, before)
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
      known.ranked = { rules, periods, of: new Map() }
    const { of } = known.ranked
    for (const { key } of accepted) {
      const rule = rules.get(key)
      if (rule && !of.has(key)) of.set(key, await rank(environmentId, known, rule, periods))
    }
    return { reachedAt, hidden, isVerified, of }
  }

  async function rank(
    environmentId: string,
    { boards: known }: OpenBoards,
    rule: BoardRule,
    periods: Periods,
  ): Promise<RankedStat> {
    const boards: RankedStat['boards'] = {}
    let resetAt: string | null = null
    let verifiedFrom: number | null = null
    for (const period of rule.periods) {
      const board = await currentIn(known, environmentId, rule, period, periods)
      boards[period] = board.id
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
