import type { BoardStore, Transaction } from './boards-store.ts'
import type { LeftStore } from './left-store.ts'
import { reachedAtOf } from './ties.ts'

/** Exports and removes the places of a player on closed boards. The entries of open boards are values of stats. */
export const createPersonalData = (store: BoardStore, left: LeftStore) => ({
  async exportForPlayer(environmentId: string, playerId: string) {
    const results = await store.winnersOf(environmentId, playerId)
    // A period has just ended: its winners are being counted, and this value has no rank yet.
    const waiting = (await left.ofPlayer(environmentId, playerId)).map((value) => ({ ...value, rank: null }))
    return {
      leaderboardResults: [...results, ...waiting].map(({ tie, ...result }) => ({
        ...result,
        reachedAt: reachedAtOf(tie),
      })),
    }
  },
  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string) {
    await store.in(transaction).removeForPlayer(environmentId, playerId)
    await left.in(transaction).removeForPlayer(environmentId, playerId)
  },
})
