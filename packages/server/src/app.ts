import { buildDevelopers } from './app/developers.ts'
import { buildEdge } from './app/edge.ts'
import { buildGameData } from './app/game-data.ts'
import { type Engines, layGround } from './app/ground.ts'
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
 * The house, wing by wing. A wing in `app/` builds its capabilities and plugs them together; what it needs of another wing is plugged
 * here, as a function where that one is built later.
 */
export async function buildApp(settings: Settings, engines: Engines) {
  const ground = await layGround(settings, engines)

  const developers = await buildDevelopers(ground, {
    players: (environmentId) => personalData.counts(environmentId),
    dailyActives: (environmentId, days) => players.activity.daily(environmentId, days),
    async purgeEnvironment(environmentId) {
      await engines.purgeEnvironment(environmentId)
      await hosting.sweep()
    },
    async removeEnvironment(transaction, environmentId) {
      await ground.config.removeEnvironment(transaction, environmentId)
      await signIn.removeEnvironment(transaction, environmentId)
      await news.optIn.removeEnvironment(transaction, environmentId)
      await hosting.deployments.removeEnvironment(transaction, environmentId)
    },
  })
  const players = await buildPlayers(ground, {
    ...developers,
    disconnect: (whom) => realtime.disconnect(whom),
    expel: (environmentId, playerId, reason) => realtime.expel(environmentId, playerId, reason),
    rename: (environmentId, player) => realtime.rename(environmentId, player),
    isHosted: (environment) => hosting.isLive(environment),
    mayGetNews: (environmentId, playerId) => news.optIn.mayGetNews(environmentId, playerId),
    requestNews: (transaction, wish) => news.optIn.requestNews(transaction, wish),
  })
  const signIn = buildPlayerSignIn(ground, {
    ...developers,
    ...players,
    hasProgress: (transaction, environmentId, playerId) =>
      gameData.hasAny(transaction, environmentId, playerId),
    async forgetEmail(transaction, environmentId, playerId, email) {
      await news.optIn.removeOf(transaction, environmentId, playerId)
      await developers.outbox.removeTo(transaction, environmentId, email)
    },
  })
  const news = await buildNews(ground, developers, players)
  const gameData = buildGameData(ground, players)
  const personalData = buildPersonalData(ground, {
    developers,
    players,
    signIn,
    news,
    gameData,
    leaveEverything: (environmentId, playerId) => realtime.leaveEverything(environmentId, playerId),
  })
  const isDeleted = personalData.deletions.has
  const hosting = buildHosting(ground, developers)
  const edge = buildEdge(ground, { developers, players, hosting, isDeleted })
  const realtime = buildRealtime(ground, {
    ...players,
    server: edge.http.server,
    doors: edge.doors,
    isDeleted,
  })

  const wings = [edge, developers, players, signIn, news, gameData, personalData, hosting, realtime]
  for (const wing of wings) wing.mount(edge.mouths)

  const { revocations } = ground
  applyRevocations(ground, { keys: developers.keys, deletions: personalData.deletions, realtime })
  const everySecond = revocations.read
  const everyMinute = () =>
    inTurn(wings.flatMap((wing) => ('everyMinute' in wing ? [() => wing.everyMinute()] : [])))
  const everyHour = () =>
    inTurn([
      revocations.tidy,
      ...wings.flatMap((wing) => ('everyHour' in wing ? [() => wing.everyHour()] : [])),
    ])
  const { background, audit, secrets } = ground
  const chores = createChores({ everySecond, everyMinute, everyHour }, ground)

  return {
    http: edge.http,
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
      developers.outbox.start()
      chores.start()
      await edge.http.ready()
    },

    /** Answers what has come, tells connections to go, then lets go of everything. */
    async stop() {
      edge.noteStopping()
      chores.stop()
      await realtime.tellToGo()
      await edge.drain()
      await realtime.stop()
      await developers.outbox.stop()
      hosting.stop()
      await background.settled()
      await everyMinute()
    },
  }
}
