import { createSaves, createSaveStore, savesRoutes } from '../capabilities/saves/index.ts'
import {
  createDeliveries,
  createDeliveryStore,
  createSignals,
  createSignalStore,
  createStats,
  createStatsPersonalData,
  createStatStore,
  createVerificationWebhook,
  statsRoutes,
} from '../capabilities/stats/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { createOutbound, isThisMachine } from '../platform/outbound.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Players } from './players.ts'

export type GameData = ReturnType<typeof buildGameData>

/** What a game stores about its players: saves and stats. */
export function buildGameData(
  foundation: Foundation,
  { players, playerStatus }: Pick<Players, 'players' | 'playerStatus'>,
) {
  const { db, clock, random, ids, counters, secrets, background, currentConfig, settings } = foundation

  const saves = createSaves(createSaveStore(db), {
    clock,
    limits: settings.saves,
    findPlayerStatus: playerStatus,
  })

  const stores = {
    stats: createStatStore(db),
    signals: createSignalStore(db),
    deliveries: createDeliveryStore(db),
  }
  const signals = createSignals(stores.signals, { clock, ids, findPlayer: players.find })
  const deliveries = createDeliveries(stores.deliveries, background)
  const webhook = createVerificationWebhook({
    clock,
    random,
    ids,
    secrets,
    outbound: createOutbound(),
    deliveries,
    config: currentConfig,
    isLocal: isThisMachine(new URL(settings.baseUrl)),
  })
  const stats = createStats(stores.stats, {
    clock,
    counters,
    config: currentConfig,
    webhook,
    signals,
    requireMayWrite: players.requireMayWrite,
    findPlayer: players.find,
  })

  return {
    saves,
    stats,
    signals,
    statsData: createStatsPersonalData(stores, signals),

    hasAny: async (transaction: Transaction, environmentId: string, playerId: string) =>
      (await saves.hasAny(transaction, environmentId, playerId)) ||
      (await stores.stats.hasAny(transaction, environmentId, playerId)),

    mount({ route }: Mounts) {
      savesRoutes(route, saves)
      statsRoutes(route, { signals, stats, webhook, deliveries })
    },
  }
}
