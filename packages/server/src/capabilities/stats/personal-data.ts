import type { DeliveryStore } from './deliveries-store.ts'
import type { SignalStore } from './signals-store.ts'
import type { Signals } from './signals.ts'
import type { StatStore, Transaction } from './store.ts'

type Stores = { stats: StatStore; signals: SignalStore; deliveries: DeliveryStore }

/** Exports and removes everything that stats and leaderboards store about a player. */
export const createPersonalData = <Results extends object>(
  stores: Stores,
  signals: Signals,
  leaderboards: {
    exportForPlayer(environmentId: string, playerId: string): Promise<Results>
    removeForPlayer(transaction: Transaction, environmentId: string, playerId: string): Promise<unknown>
  },
) => ({
  exportForPlayer: async (environmentId: string, playerId: string) => ({
    stats: await stores.stats.of(environmentId, playerId).list(),
    ...(await leaderboards.exportForPlayer(environmentId, playerId)),
    statSignals: await signals.of(environmentId, playerId),
    /** What was sent to the developer's server about the player, and its response. */
    statDeliveries: (await stores.deliveries.listMentioning(environmentId, playerId)).map(
      ({ request, ...delivery }) => ({ ...delivery, request: request === null ? null : JSON.parse(request) }),
    ),
  }),

  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string): Promise<void> {
    await stores.stats.removeForPlayer(transaction, environmentId, playerId)
    await leaderboards.removeForPlayer(transaction, environmentId, playerId)
    await stores.signals.removeForPlayer(transaction, environmentId, playerId)
    await stores.deliveries.removeMentioning(transaction, environmentId, playerId)
  },
})
