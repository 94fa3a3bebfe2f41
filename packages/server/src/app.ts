import { buildDevelopers } from './app/developers.ts'
import { buildEdge } from './app/edge.ts'
import { buildFoundation, type Engines } from './app/foundation.ts'
import { buildGameData } from './app/game-data.ts'
import { buildHosting } from './app/hosting.ts'
import { buildNews } from './app/news.ts'
import { buildPersonalData } from './app/personal-data.ts'
import { buildPlayerSignIn } from './app/player-sign-in.ts'
import { buildPlayers } from './app/players.ts'
import { buildRealtime } from './app/realtime.ts'
import { applyRevocations } from './app/revocations.ts'
import { createChores, inTurn } from './platform/chores.ts'
import type { Settings } from './settings.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

/**
 * Builds the app, module by module. A module in `app/` creates its capabilities and connects them; here the modules are connected
 * with each other, through a function where the other module is built later.
 */
export async function buildApp(settings: Settings, engines: Engines) {
  const foundation = await buildFoundation(settings, engines)

  const developers = await buildDevelopers(foundation, {
    players: (environmentId) => personalData.counts(environmentId),
    dailyActives: (environmentId, days) => players.activity.daily(environmentId, days),
    async purgeEnvironment(environmentId) {
      await engines.purgeEnvironment(environmentId)
      await hosting.sweep()
    },
    async removeEnvironment(transaction, environmentId) {
      await foundation.config.removeEnvironment(transaction, environmentId)
      await signIn.removeEnvironment(transaction, environmentId)
      await news.optIn.removeEnvironment(transaction, environmentId)
      await hosting.deployments.removeEnvironment(transaction, environmentId)
    },
  })
  const players = await buildPlayers(foundation, {
    ...developers,
    disconnect: (whom) => realtime.disconnect(whom),
    expel: (environmentId, playerId, reason) => realtime.expel(environmentId, playerId, reason),
    rename: (environmentId, player) => realtime.rename(environmentId, player),
    isHosted: (environment) => hosting.isLive(environment),
    mayGetNews: (environmentId, playerId) => news.optIn.mayGetNews(environmentId, playerId),
    requestNews: (transaction, wish) => news.optIn.requestNews(transaction, wish),
  })
  const signIn = buildPlayerSignIn(foundation, {
    ...developers,
    ...players,
    hasProgress: (transaction, environmentId, playerId) =>
      gameData.hasAny(transaction, environmentId, playerId),
    async forgetEmail(transaction, environmentId, playerId, email) {
      await news.optIn.removeOf(transaction, environmentId, playerId)
      await foundation.outbox.removeTo(transaction, environmentId, email)
    },
  })
  const news = await buildNews(foundation, players)
  const gameData = buildGameData(foundation, players)
  const personalData = buildPersonalData(foundation, {
    players,
    signIn,
    news,
    gameData,
    leaveEverything: (environmentId, playerId) => realtime.leaveEverything(environmentId, playerId),
  })
  const isDeleted = personalData.deletions.has
  const hosting = buildHosting(foundation, developers)
  const edge = buildEdge(foundation, { developers, players, hosting, isDeleted })
  const realtime = buildRealtime(foundation, {
    ...players,
    server: edge.http.server,
    doors: edge.doors,
    onHostUpgrade: edge.onHostUpgrade,
    isDeleted,
  })

  const modules = [
    foundation,
    edge,
    developers,
    players,
    signIn,
    news,
    gameData,
    personalData,
    hosting,
    realtime,
  ]
  for (const module of modules) module.mount(edge.mounts)

  applyRevocations(foundation, { keys: developers.keys, deletions: personalData.deletions, realtime })
  const everySecond = () =>
    inTurn(modules.flatMap((module) => ('everySecond' in module ? [() => module.everySecond()] : [])))
  const everyMinute = () =>
    inTurn(modules.flatMap((module) => ('everyMinute' in module ? [() => module.everyMinute()] : [])))
  const everyHour = () =>
    inTurn(modules.flatMap((module) => ('everyHour' in module ? [() => module.everyHour()] : [])))
  const { background, audit, secrets } = foundation
  const chores = createChores({ everySecond, everyMinute, everyHour }, foundation)

  return {
    http: edge.http,
    mountHost: edge.mouths.host,
    audit,
    secrets,
    background,
    newsSender: news.sender,
    signUp: developers.signUp,
    hosting,
    signals: gameData.signals,
    statsData: gameData.statsData,
    everySecond,
    everyMinute,
    everyHour,

    async start() {
      await edge.followTestClock()
      await personalData.deletions.load()
      foundation.outbox.start()
      chores.start()
      await edge.http.ready()
    },

    /** Finishes requests in flight, closes connections, then releases everything. */
    async stop() {
      edge.markNotReady()
      chores.stop()
      await realtime.tellToGo()
      await edge.drain()
      await realtime.stop()
      await foundation.outbox.stop()
      hosting.stop()
      await background.settled()
      await everyMinute()
    },
  }
}
