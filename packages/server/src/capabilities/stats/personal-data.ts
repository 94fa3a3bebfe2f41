import type { DeliveryStore } from './deliveries-store.ts'
import type { BoardStore } from './leaderboards/boards-store.ts'
import { reachedAtOf } from './leaderboards/ties.ts'
import type { SignalStore } from './signals-store.ts'
import type { Signals } from './signals.ts'
import type { StatStore, Transaction } from './store.ts'

type Stores = { stats: StatStore; signals: SignalStore; deliveries: DeliveryStore; boards: BoardStore }

/** Exports and removes everything that stats store about a player. */
export const createPersonalData = (stores: Stores, signals: Signals) => ({
  exportForPlayer: async (environmentId: string, playerId: string) => ({
    stats: await stores.stats.of(environmentId, playerId).list(),
    leaderboardResults: (await stores.boards.winnersOf(environmentId, playerId)).map(
      ({ tie, ...result }) => ({
        ...result,
        reachedAt: reachedAtOf(tie),
      }),
    ),
    statSignals: await signals.of(environmentId, playerId),
    /** What was sent to the developer's server about the player, and its response. */
    statDeliveries: (await stores.deliveries.listMentioning(environmentId, playerId)).map(
      ({ request, ...delivery }) => ({ ...delivery, request: request === null ? null : JSON.parse(request) }),
    ),
  }),

  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string): Promise<void> {
    await stores.stats.removeForPlayer(transaction, environmentId, playerId)
    await stores.boards.in(transaction).removeForPlayer(environmentId, playerId)
    await stores.signals.removeForPlayer(transaction, environmentId, playerId)
    await stores.deliveries.removeMentioning(transaction, environmentId, playerId)
  },
})
