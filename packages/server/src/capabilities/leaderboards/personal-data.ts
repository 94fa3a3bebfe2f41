import type { BoardStore, Transaction } from './boards-store.ts'
import { reachedAtOf } from './ties.ts'

/** Exports and removes the places of a player on closed boards. The entries of open boards are values of stats. */
export const createPersonalData = (store: BoardStore) => ({
  exportForPlayer: async (environmentId: string, playerId: string) => ({
    leaderboardResults: (await store.winnersOf(environmentId, playerId)).map(({ tie, ...result }) => ({
      ...result,
      reachedAt: reachedAtOf(tie),
    })),
  }),
  removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    store.in(transaction).removeForPlayer(environmentId, playerId),
})
