import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Board, BoardStore, Transaction } from './boards-store.ts'
import type { EntryStore } from './entries-store.ts'
import type { LeftStore } from './left-store.ts'
import { byRank } from './positions.ts'

export type ClosedBoardDeps = { clock: Clock; entries: EntryStore; left: LeftStore }
export type ClosedBoards = ReturnType<typeof createClosedBoards>

const COUNTED_MAX = LIMITS.leaderboardExactRankMax + 1

/** Closes the boards of periods that are over, and counts their winners: the first 100. */
export function createClosedBoards(store: BoardStore, { clock, entries, left }: ClosedBoardDeps) {
  /** The counts that have not begun, by board: all reports that are stored until then wait for the same one. */
  const waiting = new Map<number, Promise<void>>()
  const running = new Map<number, Promise<void>>()

  async function close(transaction: Transaction, board: Board): Promise<void> {
    const { environmentId, key, label } = board
    const queries = store.in(transaction)
    // The same day can occur twice if the time zone is changed; only the second board is kept.
    for (const twin of await queries.closed(environmentId, key))
      if (twin.label === label) await queries.replace(twin.id, timestamp(clock), 'clear')
    await queries.writeWinners({ environmentId, key, label }, [])
    await count(transaction, board)
    await queries.setClosed(board.id, timestamp(clock))
  }

  /**
   * Counts winners and entries. Players who have reported in the next period are no longer on the board: what they had is among the values
   * that have left it, or among the earlier winners. The number of entries never decreases.
   */
  async function count(transaction: Transaction, board: Board): Promise<void> {
    const { id, environmentId, key, label, direction } = board
    const ofBoards = entries.in(transaction)
    const ofLeft = left.in(transaction)
    // The board before those that have left: an entry that leaves in between is found twice, and not missed.
    const top = await ofBoards.top(board, LIMITS.leaderboardWinnersMax)
    const counted = await ofLeft.countAll(board, COUNTED_MAX)
    const gone = await ofLeft.top(id, direction, LIMITS.leaderboardWinnersMax)
    const before = await ofBoards.winners(environmentId, key, label)
    // Of the same player, what is on the board is newer than what has left it, and that newer than the count before.
    const found = new Map([...before, ...gone, ...top].map((winner) => [winner.playerId, winner]))
    const winners = [...found.values()].toSorted(byRank(direction)).slice(0, LIMITS.leaderboardWinnersMax)
    const queries = store.in(transaction)
    await queries.writeWinners({ environmentId, key, label }, winners)
    // Of an open board `count` is that of its last checkpoint, which may be larger than what is true now.
    const known = board.closedAt === null && counted < COUNTED_MAX ? 0 : (board.count ?? 0)
    await queries.setCount(id, Math.max(counted, known, winners.length))
  }

  /** Does the work if the board is closed, with the board as it is now. */
  const onClosed = (
    { id, environmentId, key }: Board,
    work: (transaction: Transaction, board: Board) => Promise<unknown>,
  ): Promise<void> =>
    store.change(environmentId, key, async (transaction) => {
      const board = await store.in(transaction).read(id)
      if (board && board.closedAt !== null && board.replacedAt === null) await work(transaction, board)
    })

  return {
    close,

    /** Closes the board of a period that is over, if that was not done; returns whether it was. */
    end: ({ id, environmentId, key }: Board): Promise<boolean> =>
      store.change(environmentId, key, async (transaction) => {
        const board = await store.in(transaction).read(id)
        if (!board || board.closedAt !== null || board.replacedAt !== null) return false
        await close(transaction, board)
        return true
      }),

    /** Counts again after reports that were in flight are stored. */
    settle: (closed: Board) =>
      onClosed(closed, async (transaction, board) => {
        if (board.settledAt !== null) return
        await count(transaction, board)
        await store.in(transaction).setSettled(board.id, timestamp(clock))
      }),

    /** Counts again after a report was stored on a closed board: before its player can report in the next period. */
    countLate(closed: Board): Promise<void> {
      const known = waiting.get(closed.id)
      if (known) return known
      const before = running.get(closed.id) ?? Promise.resolve()
      const counted = before
        // The failure of the count before is reported to those who wait for it.
        .catch(() => {})
        .then(() => {
          waiting.delete(closed.id)
          running.set(closed.id, counted)
          return onClosed(closed, count)
        })
        .finally(() => {
          if (running.get(closed.id) === counted) running.delete(closed.id)
        })
      waiting.set(closed.id, counted)
      return counted
    },

    /** The period is not over: the clock was ahead when the board was closed. */
    async reopen(transaction: Transaction, board: Board): Promise<Board> {
      const { environmentId, key, label } = board
      const queries = store.in(transaction)
      await queries.writeWinners({ environmentId, key, label }, [])
      await queries.reopen(board.id)
      return (await queries.read(board.id)) ?? board
    },

    /** A clock that was ahead opened it. It begins again when its time has come. */
    async remove(transaction: Transaction, { id, environmentId, key, label }: Board): Promise<void> {
      const queries = store.in(transaction)
      await queries.writeWinners({ environmentId, key, label }, [])
      await queries.replace(id, timestamp(clock), 'clear')
    },
  }
}
