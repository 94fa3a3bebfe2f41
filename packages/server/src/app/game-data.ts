import { createAdminSaves, createSaves, createSaveStore, savesRoutes } from '../capabilities/saves/index.ts'
import {
  createDeliveries,
  createDeliveryStore,
  createServerStats,
  createSignals,
  createSignalStore,
  createStats,
  createStatsPersonalData,
  createStatStore,
  createVerificationWebhook,
  statsRoutes,
  type WebhookDeps,
} from '../capabilities/stats/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { createOutbound } from '../platform/network/outbound.ts'
import type { Foundation, Mounts } from './foundation.ts'
import { buildLeaderboards } from './leaderboards.ts'
import type { Players } from './players.ts'

export type GameData = ReturnType<typeof buildGameData>

/** Saves, stats and leaderboards: the data that a game stores about its players. */
export function buildGameData(
  foundation: Foundation,
  deps: Pick<
    Players,
    'players' | 'playerStatus' | 'selectMayWrite' | 'profiles' | 'shownAmong' | 'changePlayer'
  > & {
    postToFunctions: WebhookDeps['postToFunctions']
  },
) {
  const { players, playerStatus } = deps
  const { tools, db, clock, ids, audit, background, currentConfig, settings } = foundation

  const saveStore = createSaveStore(db, deps.selectMayWrite)
  const saveDeps = {
    clock,
    limits: settings.saves,
    findPlayerStatus: playerStatus,
    isBanned: players.isBanned,
  }
  const saves = createSaves(saveStore, saveDeps)
  const adminSaves = createAdminSaves(saveStore, { ...saveDeps, audit, findPlayer: players.find })

  const stores = {
    stats: createStatStore(db),
    signals: createSignalStore(db),
    deliveries: createDeliveryStore(db),
  }
  const signals = createSignals(stores.signals, { clock, ids, findPlayer: players.find })
  const deliveries = createDeliveries(stores.deliveries, background)
  const webhook = createVerificationWebhook({
    ...tools,
    outbound: createOutbound(),
    postToFunctions: deps.postToFunctions,
    deliveries,
    config: currentConfig,
    isLocal: settings.isLocal,
  })
  const leaderboards = buildLeaderboards(foundation, deps)

  const stats = createStats(stores.stats, {
    ...tools,
    config: currentConfig,
    webhook,
    signals,
    leaderboards,
    requireMayWrite: players.requireMayWrite,
    findPlayer: players.find,
  })

  const serverStats = createServerStats(stores.stats, {
    ...tools,
    config: currentConfig,
    leaderboards,
    changePlayer: deps.changePlayer,
    findStatus: playerStatus,
    isBanned: players.isBanned,
  })

  return {
    saves,
    stats,
    signals,
    statsData: createStatsPersonalData(stores, signals, leaderboards.personalData),

    hasAny: async (transaction: Transaction, environmentId: string, playerId: string) =>
      (await saves.hasAny(transaction, environmentId, playerId)) ||
      (await stores.stats.hasAny(transaction, environmentId, playerId)),

    leaderboards,
    jobs: leaderboards.jobs,

    mount(mounts: Mounts) {
      const { route, metric } = mounts
      metric(deliveries.metric)
      leaderboards.mount(mounts)
      savesRoutes(route, saves, adminSaves)
      statsRoutes(route, { signals, stats, serverStats, webhook, deliveries })
    },
  }
}
