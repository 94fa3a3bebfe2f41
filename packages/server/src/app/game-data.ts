import { createAdminSaves, createSaves, createSaveStore, savesRoutes } from '../capabilities/saves/index.ts'
import {
  createBoards,
  createBoardStore,
  createBoardWork,
  createDeliveries,
  createDeliveryStore,
  createEntryChangeStore,
  createEntryStore,
  createLeaderboardAdmin,
  createLeaderboards,
  createRanks,
  createServerStats,
  createSignals,
  createSignalStore,
  createStats,
  createStatsPersonalData,
  createStatStore,
  createVerificationWebhook,
  HIDDEN_BY,
  leaderboardRoutes,
  statsRoutes,
  type WebhookDeps,
} from '../capabilities/stats/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { MINUTE_MS } from '../platform/clock.ts'
import { hourly } from '../platform/jobs/jobs.ts'
import { createOutbound } from '../platform/outbound.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Players } from './players.ts'

export type GameData = ReturnType<typeof buildGameData>

/** Saves and stats: the data that a game stores about its players. */
export function buildGameData(
  foundation: Foundation,
  deps: Pick<Players, 'players' | 'playerStatus' | 'profiles' | 'shownAmong' | 'changePlayer'> & {
    postToFunctions: WebhookDeps['postToFunctions']
  },
) {
  const { players, playerStatus, profiles } = deps
  const { db, bus, clock, random, ids, counters, secrets, audit, background, currentConfig, settings } =
    foundation

  const saveStore = createSaveStore(db)
  const saveDeps = { clock, limits: settings.saves, findPlayerStatus: playerStatus }
  const saves = createSaves(saveStore, saveDeps)
  const adminSaves = createAdminSaves(saveStore, { ...saveDeps, audit, findPlayer: players.find })

  const stores = {
    stats: createStatStore(db),
    signals: createSignalStore(db),
    deliveries: createDeliveryStore(db),
    boards: createBoardStore(db),
  }
  const signals = createSignals(stores.signals, { clock, ids, findPlayer: players.find })
  const deliveries = createDeliveries(stores.deliveries, background)
  const webhook = createVerificationWebhook({
    clock,
    random,
    ids,
    secrets,
    outbound: createOutbound(),
    postToFunctions: deps.postToFunctions,
    deliveries,
    config: currentConfig,
    isLocal: settings.isLocal,
  })
  const entries = createEntryStore(db, profiles.join)
  const changes = createEntryChangeStore(db)
  const ofBoards = { clock, config: currentConfig, store: stores.boards, entries, changes, background }
  const work = createBoardWork(stores.boards, {
    ...ofBoards,
    // Work on leaderboards ends after its current step.
    stopping: () => background.stopping.aborted,
    boards: () => boards,
    shownAmong: deps.shownAmong,
  })
  const boards = createBoards(stores.boards, { ...ofBoards, bus, work: work.run })
  const leaderboards = createLeaderboards({
    ...ofBoards,
    boards,
    ranks: createRanks(stores.boards, ofBoards),
    profiles,
  })
  const recordChanged = (transaction: Transaction, environmentId: string) =>
    foundation.revocations.note(transaction, { kind: 'leaderboards', environmentId, subject: '' })
  const leaderboardAdmin = createLeaderboardAdmin({
    ...ofBoards,
    boards,
    audit,
    leaderboards,
    profiles,
    work: work.run,
    changePlayer: deps.changePlayer,
    playerExists: async (transaction, environmentId, playerId) =>
      (await playerStatus(transaction, environmentId, playerId)) !== undefined,
    recordChanged,
  })

  const stats = createStats(stores.stats, {
    clock,
    counters,
    config: currentConfig,
    webhook,
    signals,
    boards,
    requireMayWrite: players.requireMayWrite,
    findPlayer: players.find,
  })

  const serverStats = createServerStats(stores.stats, {
    clock,
    config: currentConfig,
    boards,
    audit,
    changePlayer: deps.changePlayer,
    findStatus: playerStatus,
    isBanned: players.isBanned,
  })

  return {
    saves,
    stats,
    signals,
    statsData: createStatsPersonalData(stores, signals),

    hasAny: async (transaction: Transaction, environmentId: string, playerId: string) =>
      (await saves.hasAny(transaction, environmentId, playerId)) ||
      (await stores.stats.hasAny(transaction, environmentId, playerId)),

    leaderboards: {
      async leave(
        transaction: Transaction,
        environmentId: string,
        playerId: string,
        why: 'ban' | 'choice',
      ): Promise<void> {
        const left = await changes.leaveAll(transaction, environmentId, playerId, HIDDEN_BY[why])
        if (left > 0) await recordChanged(transaction, environmentId)
      },
      announce: boards.announce,
      drop: boards.drop,
      configChanged: work.configChanged,
    },

    jobs: [
      { name: 'stats.leaderboards', everyMs: MINUTE_MS, run: work.everyMinute },
      hourly('stats.purge-leaderboards', work.everyHour),
    ],

    mount({ route }: Mounts) {
      leaderboardRoutes(route, { leaderboards, admin: leaderboardAdmin })
      savesRoutes(route, saves, adminSaves)
      statsRoutes(route, { signals, stats, serverStats, webhook, deliveries })
    },
  }
}
