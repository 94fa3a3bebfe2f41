import type { LeaderboardPeriod } from '@svc/contract/leaderboard-periods'

import { type Clock, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { boundsOf, type Periods } from '../../platform/time/periods.ts'
import { type BoardRule, labelOf, signatureOf } from './board-rules.ts'
import type { Board, BoardStore, NewBoard, Transaction } from './boards-store.ts'
import type { ClosedBoards } from './closed-boards.ts'

export type BoardOpeningDeps = {
  clock: Clock
  closed: ClosedBoards
  /** Called after a board was opened, before anybody gets it. */
  opened(environmentId: string): Promise<unknown>
}
export type BoardOpening = ReturnType<typeof createBoardOpening>

/** The clocks of nodes may differ this much. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS
/** After this time, nodes that did not know of a new board or a reset have stored their reports. */
export const STALE_NODES_MS = 10 * SECOND_MS

type Wanted = { environmentId: string; rule: BoardRule; period: LeaderboardPeriod; periods: Periods }

/** Opens the board of a stat and period that has none yet. */
export function createBoardOpening(store: BoardStore, { clock, closed, opened }: BoardOpeningDeps) {
  const running = new Map<string, Promise<Board>>()

  /**
   * The clock was ahead when this board was opened. The next one of a period is opened some minutes before it begins, so it is the time of
   * opening that lies in the future.
   */
  function isOfTheFuture({ startsAt, createdAt }: Board): boolean {
    const latest = timestamp(clock, CLOCKS_DIFFER_MS)
    return (startsAt ?? '') > latest && createdAt > latest
  }

  /** Among the boards of a stat and period, the open one that a report belongs to; undefined if there is something to do first. */
  function currentOf(boards: readonly Board[], { rule, period, periods }: Omit<Wanted, 'environmentId'>) {
    const label = labelOf(period, periods)
    const signature = signatureOf(rule, period, periods.zone)
    const isCurrent = (board: Board) =>
      board.closedAt === null && board.label === label && board.signature === signature
    return boards.some(isOfTheFuture) ? undefined : boards.find(isCurrent)
  }

  /** At midnight hundreds of reports need the same board: one of them opens it. */
  function open(wanted: Wanted): Promise<Board> {
    const { environmentId, rule, period, periods } = wanted
    const signature = signatureOf(rule, period, periods.zone)
    const name = JSON.stringify([environmentId, rule.key, period, labelOf(period, periods), signature])
    const known = running.get(name)
    if (known) return known
    const opening = findOrOpen(wanted).finally(() => running.delete(name))
    running.set(name, opening)
    return opening
  }

  async function findOrOpen(wanted: Wanted): Promise<Board> {
    const { environmentId, rule, period } = wanted
    // Another node may have opened it: that needs no lock.
    const found = currentOf(await openBoardsOf(store, wanted), wanted)
    if (found) return found
    const { board, isNew } = await store.opening(environmentId, rule.key, (transaction) =>
      findOrInsert(transaction, wanted),
    )
    if (isNew) await opened(environmentId)
    return board

    async function openBoardsOf(queries: Pick<BoardStore, 'open'>, { environmentId }: Wanted) {
      const boards = await queries.open(environmentId)
      return boards.filter((board) => board.key === rule.key && board.period === period)
    }
  }

  /** The boards of a stat, as far as they matter for a new one. */
  async function read(transaction: Transaction, { environmentId, rule, period, periods }: Wanted) {
    const queries = store.in(transaction)
    const label = labelOf(period, periods)
    const signature = signatureOf(rule, period, periods.zone)
    const now = timestamp(clock)
    const ofStat = (await queries.open(environmentId)).filter(({ key }) => key === rule.key)
    const found = await queries.find({ environmentId, key: rule.key, period, label, signature })
    const ofPeriod = ofStat.filter((board) => board.period === period && board.id !== found?.id)
    const future = [...ofPeriod, ...(await queries.closed(environmentId, rule.key))].filter(
      (board) => board.period === period && isOfTheFuture(board),
    )
    const others = ofPeriod.filter((board) => !isOfTheFuture(board))
    // Those that have ended are closed by a job; the next one of the same leaderboard is opened early.
    const replaced = others.filter(
      ({ endsAt, ...board }) => (endsAt === null || endsAt > now) && board.signature !== signature,
    )
    return { ofStat, found, future, others, replaced }
  }

  async function findOrInsert(
    transaction: Transaction,
    wanted: Wanted,
  ): Promise<{ board: Board; isNew: boolean }> {
    const { environmentId, rule, period } = wanted
    const queries = store.in(transaction)
    let boards = await read(transaction, wanted)
    if (boards.found?.closedAt === null && boards.future.length === 0)
      return { board: boards.found, isNew: false }
    if (boards.found || boards.future.length > 0 || boards.replaced.length > 0) {
      await store.excludeChanges(transaction, environmentId, rule.key)
      boards = await read(transaction, wanted)
    }
    const { ofStat, found, future, others, replaced } = boards
    const now = timestamp(clock)

    for (const board of future) await closed.remove(transaction, board)
    if (found?.closedAt === null) return { board: found, isNew: true }
    if (found && (found.endsAt ?? now) > now && (others.length === 0 || isClosedEarly(found)))
      return { board: await closed.reopen(transaction, found), isNew: true }
    if (found) {
      // This node's clock is behind. Also if this process ends after the report, the winners are counted again.
      if (found.settledAt !== null) await queries.setSettled(found.id, null)
      return { board: found, isNew: false }
    }
    const { label, signature, ...rest } = newBoard(wanted, now)
    const before = others.findLast((board) => board.label < label) ?? others[0]
    const last = before ?? (await queries.lastClosed({ environmentId, key: rule.key, period }))
    const approvedFrom = rule.verifiedOnly ? verifiedFromOf([...ofStat, last]) : null
    const board = { ...rest, label, signature, verifiedFrom: approvedFrom ?? rest.verifiedFrom }
    // The same case, and the period had no board: this board is created closed.
    if (others.some((next) => next.signature === signature && next.label > label && hasBegun(next)))
      return { board: await queries.insert({ ...board, closedAt: now, count: 0 }), isNew: false }
    for (const { id } of replaced) await queries.replace(id, now, 'clear')
    // Values of a new period begin with their first report. It is not known whether values from before `verifiedOnly` were approved.
    // In all other cases existing values must be added.
    const continues = last?.signature === signature && last.label < label
    const isFilled = !continues && (!rule.verifiedOnly || approvedFrom !== null)
    const resetAt = last?.resetAt ?? null
    const inserted = await queries.insert({ ...board, resetAt, ...(isFilled && FILL) })
    return { board: inserted, isNew: true }
  }

  /** By a clock that was ahead. */
  const isClosedEarly = ({ closedAt }: Board) => (closedAt ?? '') > timestamp(clock, CLOCKS_DIFFER_MS)

  return {
    open,
    currentOf,

    /**
     * Opens the board of the next period, some minutes before it begins, like the board of the current one. Returns whether it did: not
     * if that was closed, replaced or reset, or if another node was faster.
     */
    openNext: ({ id, environmentId, key }: Board, rule: BoardRule, next: Periods): Promise<boolean> =>
      store.opening(environmentId, key, async (transaction) => {
        const queries = store.in(transaction)
        const now = await queries.read(id)
        if (!now || now.closedAt !== null || now.replacedAt !== null || now.work !== null) return false
        const created = newBoard({ environmentId, rule, period: now.period, periods: next }, timestamp(clock))
        if (created.signature !== now.signature || (await queries.find(created))) return false
        const { resetAt, verifiedFrom } = now
        await queries.insert({ ...created, resetAt, verifiedFrom })
        return true
      }),
  }
}

const FILL = { work: 'fill', workAfter: '' } as const

/** Opened by a report, and not early: its period has begun for some node. */
const hasBegun = ({ startsAt, createdAt }: Board) => startsAt !== null && createdAt >= startsAt

/** When `verifiedOnly` was turned on; null if it was not on for these boards. */
export const verifiedFromOf = (boards: readonly (Board | undefined)[]): string | null =>
  boards.find((board) => board?.verifiedFrom)?.verifiedFrom ?? null

/** An empty board of the period. */
export function newBoard({ environmentId, rule, period, periods }: Wanted, createdAt: string): NewBoard {
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
