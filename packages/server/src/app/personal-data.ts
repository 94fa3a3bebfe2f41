import { createChannelData, createChannelStore } from '../capabilities/channels/index.ts'
import { createIdempotencyData, createResponseStore } from '../capabilities/idempotency/index.ts'
import { createDataRequests, personalDataRoutes } from '../capabilities/personal-data/index.ts'
import {
  createAccountOwner,
  createPersonalData,
  createPersonalDataStore,
  createPlayerStore,
  createSearch,
  createSearchStore,
  searchRoutes,
} from '../capabilities/players/index.ts'
import {
  createPlayground,
  createPlaygroundStore,
  playgroundRoutes,
} from '../capabilities/playground/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { MINUTE_MS } from '../platform/clock.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { PersonalData } from '../platform/ports/personal-data.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { GameData } from './game-data.ts'
import type { News } from './news.ts'
import type { PlayerSignIn } from './player-sign-in.ts'
import type { Players } from './players.ts'
import type { buildRealtime } from './realtime.ts'
import type { Sharing } from './sharing.ts'

export type PersonalDataDeps = Pick<
  ReturnType<typeof buildRealtime>,
  | 'connectionsOf'
  | 'roomOf'
  | 'onlinePlayers'
  | 'onlineAmong'
  | 'leaveEverything'
  | 'simulateNetwork'
  | 'keptRoomData'
> & {
  developers: Pick<Developers, 'appKeys' | 'projects'>
  players: Players
  signIn: Pick<PlayerSignIn, 'signInData'>
  news: Pick<News, 'optIn'>
  gameData: GameData
  sharing: Pick<Sharing, 'links'>
}

const BY_THE_SERVICE = { type: 'system', id: 'playground', label: 'the service' } as const

/** Everything about one player, from all modules: search, export, deletion. */
export function buildPersonalData(foundation: Foundation, deps: PersonalDataDeps) {
  const { tools, db, clock, outbox } = foundation
  const { players, activity, chains, ages, appeals, sessionData, moderationData, knownAddresses, deletions } =
    deps.players
  const { saves, stats, signals, statsData, leaderboards } = deps.gameData

  const playerStore = createPlayerStore(db)
  const playground = createPlayground(createPlaygroundStore(db), {
    clock,
    counters: foundation.counters,
    keyOf: deps.developers.appKeys.of,
    signInAsGuest: players.signInAsGuest,
    findEnvironment: deps.developers.projects.findEnvironment,
    deletePlayer: (environment, playerId) => dataRequests.removeFor(environment, BY_THE_SERVICE, playerId),
    playerExists: async (environmentId, playerId) =>
      (await playerStore.findPlayerStatus(environmentId, playerId)) !== undefined,
    simulateNetwork: deps.simulateNetwork,
  })
  /** Every capability that stores something about a player; a test fails for a table that is missing. */
  const parts: PersonalData<Transaction>[] = [
    createPersonalData(playerStore, createPersonalDataStore(db), { mails: outbox }),
    sessionData,
    moderationData,
    deps.signIn.signInData,
    deps.news.optIn,
    saves,
    statsData,
    createChannelData(createChannelStore(db)),
    deps.keptRoomData,
    deps.sharing.links,
    playground,
    createIdempotencyData(createResponseStore(db)),
  ]
  const owner = createAccountOwner(playerStore, {
    ...tools,
    isBanned: players.isBanned,
    knownAddresses,
    sessions: chains,
  })
  const dataRequests = createDataRequests<Transaction>({
    ...tools,
    parts,
    players: {
      exists: async (environmentId, playerId, transaction) =>
        (await (transaction ? playerStore.in(transaction) : playerStore).findPlayerStatus(
          environmentId,
          playerId,
        )) !== undefined,
      change: playerStore.change,
      verifyOwner: owner.verify,
      banned: players.banned,
    },
    deletions,
    async disconnect(environmentId, playerId) {
      await chains.disconnect(environmentId, playerId, { except: null })
      await leaderboards.announce(environmentId)
      await deps.leaveEverything(environmentId, playerId)
    },
  })
  const search = createSearch(createSearchStore(db), {
    players: playerStore,
    isBanned: players.isBanned,
    clock,
    counts: deps.players.counts,
    writeActivity: activity.write,
    ageOf: (environmentId, id) => ages.profile({ environmentId, id }),
    sanctionsOf: appeals.sanctionEntriesOf,
    sessionsOf: deps.players.sessionsOf,
    connectionsOf: deps.connectionsOf,
    roomOf: deps.roomOf,
    onlinePlayers: deps.onlinePlayers,
    onlineAmong: deps.onlineAmong,
    signalsOf: signals.of,
    savesOf: async (environmentId, id) => (await saves.list({ environmentId, id })).saves,
    statsOf: async (environmentId, id) => (await stats.read({ environmentId, id })).stats,
    firstStatAmong: stats.firstStatAmong,
  })

  return {
    playerCounts: search.counts,
    playersTotal: search.total,
    newPlayersByDay: search.newByDay,
    firstPlayerAt: search.firstCreatedAt,
    newestPlayerId: search.newestId,

    mount({ route }: Mounts) {
      personalDataRoutes(route, dataRequests)
      searchRoutes(route, search)
      playgroundRoutes(route, playground)
    },

    jobs: [
      {
        name: 'personal-data.purge',
        everyMs: MINUTE_MS,
        removesByAge: true,
        run: dataRequests.purgeExpired,
      },
      hourlyRemoval('playground.purge', playground.purgeExpired),
    ],
  }
}
