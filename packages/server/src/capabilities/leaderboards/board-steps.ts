import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { STALE_NODES_MS } from './board-opening.ts'
import { labelOf } from './board-rules.ts'
import type { Board, BoardStore, Transaction } from './boards-store.ts'
import { ADDED_MAX, type EntryChangeStore, type StoredValue } from './entry-changes-store.ts'
import { tieAt } from './ties.ts'

export type BoardStepDeps = {
  clock: Clock
  changes: EntryChangeStore
  /** Those of these players that may be shown: they exist, are not banned and have not left the leaderboards. */
  shownAmong(transaction: Transaction, environmentId: string, playerIds: string[]): Promise<Set<string>>
}

/** Small, because on SQLite a step blocks all other requests of the node: 11 ms (median, on a busy machine). */
const STEP_ROWS = ADDED_MAX
/** The rows of a step that usually changes nothing. */
const REFILL_ROWS = 2_000
/** A report is stored at the latest this long after it began. */
const REPORT_MS = MINUTE_MS

/** The steps of the work on a board. Each is a transaction, so that the work can end after any of them and be continued later. */
export function createBoardSteps(store: BoardStore, { clock, changes, shownAmong }: BoardStepDeps) {
  const isEarly = (at: string) => timestamp(clock, -STALE_NODES_MS) < at

  /** The values of the next step, and its last player; undefined if it is the last step. */
  async function read(board: Board): Promise<{ rows: StoredValue[]; last: string | undefined }> {
    const step = after(board)
    if (board.work === 'fill') {
      const rows = await changes.values({ ...step, limit: STEP_ROWS })
      return { rows, last: rows[STEP_ROWS - 1]?.playerId }
    }
    const last = await changes.lastOfStep(step, REFILL_ROWS)
    const updatedFrom = new Date(Date.parse(board.createdAt) - REPORT_MS).toISOString()
    return { rows: await changes.recent({ ...step, last: last ?? AFTER_ALL, updatedFrom }), last }
  }

  /** Adds values that existed before the board (LDB-12). */
  async function fill(board: Board): Promise<boolean> {
    const { id, environmentId, key, period, direction, work } = board
    if (work === 'refill' && isEarly(board.createdAt)) return true
    // Read before the transaction, which other changes of these boards wait for.
    const { rows, last } = await read(board)
    const due = rows.filter((row) => isDue(board, row))

    return store.change(environmentId, key, async (transaction) => {
      const queries = store.in(transaction)
      const now = await queries.read(id)
      // Another node has done this step, or the board was closed, replaced or reset: the next step continues there.
      if (now?.work !== work || now.workAfter !== board.workAfter) return false
      const ids = due.map(({ playerId }) => playerId)
      const shown = ids.length > 0 ? await shownAmong(transaction, environmentId, ids) : new Set()
      const added = due
        .filter(({ playerId }) => shown.has(playerId))
        .map(({ playerId, updatedAt, ...row }) => {
          const reachedAt = Math.abs(row[`${period}Tie`] ?? tieAt(Date.parse(updatedAt)))
          return { playerId, tie: direction === 'desc' ? -reachedAt : reachedAt }
        })
      await changes.add(transaction, board, added)
      if (last !== undefined) await queries.setWork(id, work, last)
      // Reports that began before the board may be stored after the step of their player.
      else await queries.setWork(id, work === 'fill' ? 'refill' : null, work === 'fill' ? '' : null)
      return false
    })
  }

  /** Deletes the values from before a reset, and later values that a node stored without knowing of it. */
  async function deleteOld(transaction: Transaction, board: Board): Promise<boolean> {
    const { id, environmentId, key, period, replacedAt } = board
    const resetAt = replacedAt ?? ''
    const queries = store.in(transaction)
    const players = await changes.players(transaction, { ...after(board), limit: STEP_ROWS })
    const last = players.at(-1)?.playerId
    if (last !== undefined)
      await changes.removeOld(transaction, period, { ...after(board), last, resetAt, board: id })
    if (players.length === STEP_ROWS) {
      await queries.setWork(id, 'delete', last ?? '')
      return false
    }
    if (isEarly(resetAt)) {
      await queries.setWork(id, 'delete', '')
      return true
    }
    const others = (await queries.resetting(environmentId, key)).filter((other) => other.id !== id)
    if (others.length === 0) await queries.endReset(environmentId, key, resetAt)
    await queries.setWork(id, 'clear', '')
    return false
  }

  async function clear(transaction: Transaction, { id, period, replacedAt }: Board): Promise<boolean> {
    if ((await changes.clear(transaction, period, id, STEP_ROWS)) === STEP_ROWS) return false
    if (replacedAt !== null && isEarly(replacedAt)) return true
    await store.in(transaction).setWork(id, null, null)
    await store.in(transaction).remove(id)
    return true
  }

  /** Does the next step. True if there is nothing left to do now. */
  return async function step(id: number): Promise<boolean> {
    const board = await store.read(id)
    if (!board?.work) return true
    if (board.work === 'fill' || board.work === 'refill') return fill(board)
    return store.change(board.environmentId, board.key, async (transaction) => {
      const now = await store.in(transaction).read(id)
      if (now?.work === 'delete') return deleteOld(transaction, now)
      if (now?.work === 'clear') return clear(transaction, now)
      return true
    })
  }
}

/** Sorts after every id. */
const AFTER_ALL = '~'
const after = ({ environmentId, key, workAfter }: Board) => ({ environmentId, key, after: workAfter ?? '' })

/** Whether a value belongs on the board and is not there yet. */
function isDue(board: Board, row: StoredValue): boolean {
  const { id, period, label, signature, resetAt, verifiedFrom } = board
  if (row.hidden !== null || (resetAt !== null && row.updatedAt <= resetAt)) return false
  if (period !== 'allTime' && (row.zone !== signature.split(' ')[3] || labelOf(period, row) !== label))
    return false
  if (verifiedFrom !== null)
    return (
      row[`${period}Board`] !== id && Math.abs(row[`${period}Tie`] ?? 0) >= tieAt(Date.parse(verifiedFrom))
    )
  return row[`${period}Board`] !== id || row[`${period}Ranked`] !== row[period]
}
