import { setImmediate as nextTurn } from 'node:timers/promises'

import { LIMITS } from '@svc/contract/common/limits'

import type { Background } from '../../platform/background.ts'
import {
  type Clock,
  millisecondsOf,
  MINUTE_MS,
  monotonicMs,
  SECOND_MS,
  timestamp,
} from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Board, BoardStore } from './boards-store.ts'
import type { EntryStore, Position } from './entries-store.ts'
import { afterAll, byRank, isTied, positionAfter } from './positions.ts'

export type RankDeps = { clock: Clock; background: Pick<Background, 'run'>; entries: EntryStore }
export type Ranks = ReturnType<typeof createRanks>

/**
 * The position of every 250th place, best first, and how many entries there were. `after` is a part of a player's id, and only where
 * the next entry has the same value and tie: a checkpoint must not contain ids of players who are deleted later.
 */
type Checkpoint = { positions: StoredPosition[]; count: number; at: string; dueAtMs: number }
type StoredPosition = [value: number, tie: number, after?: string]

const BLOCK = 250
const EXACT_MAX = LIMITS.leaderboardExactRankMax
/** Larger than EXACT_MAX, because a checkpoint may be slightly out of date. */
const COUNTED_MAX = EXACT_MAX + 1_000
const CLAIM_MS = MINUTE_MS
const AGE_MIN_MS = 10 * SECOND_MS
const AGE_PER_COST = 100
const CHECKPOINTS_MAX = 200

/**
 * Ranks are counted in the index: up to place 5,000 from the top, below that from the nearest position of a checkpoint. Counting a
 * million entries takes 57 ms on SQLite; this takes less than 1 ms.
 */
export function createRanks(store: BoardStore, { clock, background, entries }: RankDeps) {
  const known = new Map<number, Checkpoint>()
  const making = new Map<number, Promise<Checkpoint>>()

  async function read(board: Board): Promise<Checkpoint> {
    // Reports may arrive while it is read: it is as old as its start.
    const startMs = millisecondsOf(clock)
    const positions: Checkpoint['positions'] = []
    let costMs = 0
    let last: Position | undefined
    for (;;) {
      const startedAt = monotonicMs()
      const [at, next] = await entries.step(board, last, BLOCK - 1)
      costMs += monotonicMs() - startedAt
      if (!at) break
      last = at
      const { value, tie, playerId } = positionAfter(board.direction, at, next)
      positions.push(isTied(at, next) ? [value, tie, playerId] : [value, tie])
      // Lets other requests run between the steps: a step takes 0.1 ms on SQLite, all steps of a million entries 100 ms.
      await nextTurn()
    }
    const rest = last ? await entries.countWorse(board, last, BLOCK) : await entries.count(board, BLOCK)
    const dueAtMs = startMs + Math.max(AGE_MIN_MS, Math.round(AGE_PER_COST * costMs))
    return { positions, count: positions.length * BLOCK + rest, at: isoAt(startMs), dueAtMs }
  }

  async function make(board: Board): Promise<Checkpoint> {
    const checkpoint = await read(board)
    remember(board.id, checkpoint)
    await store.writeCheckpoint({
      id: board.id,
      checkpoint: JSON.stringify(checkpoint.positions),
      checkpointAt: checkpoint.at,
      checkpointDueAt: isoAt(checkpoint.dueAtMs),
      count: checkpoint.count,
    })
    return checkpoint
  }

  function makeOnce(board: Board): Promise<Checkpoint> {
    const running = making.get(board.id)
    if (running) return running
    const made = make(board).finally(() => making.delete(board.id))
    making.set(board.id, made)
    return made
  }

  const remember = (id: number, checkpoint: Checkpoint) => setBounded(known, id, checkpoint, CHECKPOINTS_MAX)

  /** A clock that was ahead has created it: it would last until then. */
  const isOfTheFuture = (at: string) => at > timestamp(clock, CLAIM_MS)

  /** Returns the last checkpoint while a new one is created; callers wait only for the first one of a board. */
  async function checkpointOf(board: Board): Promise<Checkpoint> {
    const cached = known.get(board.id)
    if (cached && millisecondsOf(clock) < cached.dueAtMs && !isOfTheFuture(cached.at)) return cached

    const stored = await store.readCheckpoint(board.id)
    if (!stored?.checkpoint || !stored.checkpointAt || !stored.checkpointDueAt) return makeOnce(board)
    if (isOfTheFuture(stored.checkpointAt)) return makeOnce(board)
    const checkpoint =
      cached?.at === stored.checkpointAt
        ? cached
        : {
            positions: JSON.parse(stored.checkpoint) as Checkpoint['positions'],
            count: stored.count ?? 0,
            at: stored.checkpointAt,
            dueAtMs: Date.parse(stored.checkpointDueAt),
          }
    remember(board.id, checkpoint)
    if (millisecondsOf(clock) >= checkpoint.dueAtMs) {
      // Until then this node does not try again.
      checkpoint.dueAtMs = millisecondsOf(clock) + SECOND_MS
      background.run(() => renew(board))
    }
    return checkpoint
  }

  /** Creates the checkpoint, on one node. */
  async function renew(board: Board): Promise<void> {
    if (await store.claimCheckpoint(board.id, timestamp(clock), timestamp(clock, CLAIM_MS)))
      await makeOnce(board)
  }

  return {
    async count(board: Board): Promise<number> {
      if (board.closedAt !== null) return board.count ?? 0
      const counted = await entries.count(board, EXACT_MAX + 1)
      return counted <= EXACT_MAX ? counted : Math.max(counted, (await checkpointOf(board)).count)
    },

    /** `count` is the number of entries of the board. */
    async rankOf(board: Board, mine: Position, count: number): Promise<{ rank: number; exact: boolean }> {
      if (count <= EXACT_MAX)
        return { rank: (await entries.countBetter(board, mine, COUNTED_MAX)) + 1, exact: true }

      const { positions } = await checkpointOf(board)
      const blocks = betterThan(positions, mine, board.direction)
      if (blocks < EXACT_MAX / BLOCK) {
        const better = await entries.countBetter(board, mine, COUNTED_MAX)
        return { rank: better + 1, exact: better < COUNTED_MAX }
      }
      const [value, tie, after] = positions[blocks - 1] ?? [0, 0]
      const from = { value, tie, playerId: after ?? afterAll(board.direction) }
      const inBlock = await entries.countBetween(board, from, mine)
      return { rank: blocks * BLOCK + inBlock + 1, exact: false }
    },
  }
}

/** How many of the positions are better; they are in order. */
function betterThan(positions: Checkpoint['positions'], mine: Position, direction: 'desc' | 'asc'): number {
  const compare = byRank(direction)
  const isBetter = ([value, tie, after = afterAll(direction)]: StoredPosition) =>
    compare({ value, tie, playerId: after }, mine) < 0
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const position = positions[middle]
    if (position && isBetter(position)) low = middle + 1
    else high = middle
  }
  return low
}

const isoAt = (atMs: number) => new Date(atMs).toISOString()
