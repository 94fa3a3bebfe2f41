import { buildDevelopers } from './app/developers.ts'
import { buildEdge } from './app/edge.ts'
import { buildEscapedErrors } from './app/escaped-errors.ts'
import { buildEvents } from './app/events.ts'
import { buildFoundation, type Engines, type Mounts } from './app/foundation.ts'
import { buildFunctions } from './app/functions.ts'
import { buildGameData } from './app/game-data.ts'
import { buildHosting } from './app/hosting.ts'
import { buildMoney } from './app/money.ts'
import { buildNews } from './app/news.ts'
import { buildPersonalData } from './app/personal-data.ts'
import { buildPlayerSignIn } from './app/player-sign-in.ts'
import { buildPlayers } from './app/players.ts'
import { buildRealtime } from './app/realtime.ts'
import { buildRequestLog } from './app/request-log.ts'
import { applyRevocations } from './app/revocations.ts'
import { buildSharing } from './app/sharing.ts'
import { buildSystem } from './app/system.ts'
import { createJobStore } from './capabilities/jobs/index.ts'
import { HOUR_MS, MINUTE_MS } from './platform/clock.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import { createPeriodic } from './platform/jobs/periodic.ts'
import { runSequentially } from './platform/jobs/run-sequentially.ts'
import { runStopSteps } from './platform/stop-steps.ts'
import type { Settings } from './settings.ts'

export type App = Awaited<ReturnType<typeof buildApp>>

/**
 * Builds the app, module by module. A module in `app/` creates its capabilities and connects them; here the modules are connected
 * with each other, through a function where the other module is built later.
 */
export async function buildApp(
  settings: Settings,
  engines: Engines,
  /** Further routes, of a test. */
  mountMore?: (mounts: Mounts) => void,
) {
  const foundation = await buildFoundation(settings, engines, {
    featureProblems: (environment) => sharing.featureProblems(environment),
  })

  const money = buildMoney(foundation, { collectUsage: () => functions.collectUsage() })
  const developers = await buildDevelopers(foundation, {
    invites: money.invites,
    creditSetUp: money.creditSetUp,
    chargeUsage: money.chargeUsage,
    closeMoney: money.close,
    players: (environmentId) => personalData.counts(environmentId),
    dailyActives: (environmentId, days) => players.activity.daily(environmentId, days),
    newPlayers: (environmentId, sinceMs) => personalData.newByDay(environmentId, sinceMs),
    bans: (environmentId, sinceMs) => players.bans.countByDay(environmentId, sinceMs),
    online: (environmentId) => realtime.online(environmentId),
    openAppeals: (environmentId) => players.appeals.countOpen(environmentId),
    firstPlayerAt: (environmentId) => personalData.firstCreatedAt(environmentId),
    firstDeploymentAt: (environmentId) => hosting.deployments.firstCreatedAt(environmentId),
    firstRoomAt: (environmentId) => realtime.firstRoomAt(environmentId),
    async statesOf(environmentIds) {
      const online = await realtime.onlineInEach(environmentIds)
      return Promise.all(
        environmentIds.map(async (id, index) => ({
          players: await personalData.total(id),
          online: online[index] ?? 0,
          liveVersion: await hosting.deployments.liveVersion(id),
        })),
      )
    },
    async purgeEnvironment(environmentId) {
      await sharing.purgeEnvironment(environmentId)
      await engines.purgeEnvironment(environmentId)
      await hosting.sweep()
      await functions.purgeEnvironment(environmentId)
    },
    async removeEnvironment(transaction, environmentId) {
      await foundation.config.removeEnvironment(transaction, environmentId)
      await signIn.removeEnvironment(transaction, environmentId)
      await news.optIn.removeEnvironment(transaction, environmentId)
      await hosting.deployments.removeEnvironment(transaction, environmentId)
      await functions.removeEnvironment(transaction, environmentId)
    },
  })
  const hosting = buildHosting(foundation, developers)
  const players = await buildPlayers(foundation, {
    ...developers,
    findAddress: hosting.findAddress,
    disconnect: (whom) => realtime.disconnect(whom),
    removeFromRooms: (environmentId, playerId, reason) =>
      realtime.removeFromRooms(environmentId, playerId, reason),
    rename: (environmentId, player) => realtime.rename(environmentId, player),
    mayGetNews: (environmentId, playerId) => news.optIn.mayGetNews(environmentId, playerId),
    requestNews: (transaction, wish) => news.optIn.requestNews(transaction, wish),
    leaveLeaderboards: (...left) => gameData.leaderboards.leave(...left),
    announceLeaderboards: (environmentId) => gameData.leaderboards.announce(environmentId),
  })
  const signIn = buildPlayerSignIn(foundation, {
    ...developers,
    ...players,
    isOverdue: money.isOverdue,
    noteUsage: money.noteUsage,
    hasProgress: (transaction, environmentId, playerId) =>
      gameData.hasAny(transaction, environmentId, playerId),
    async deleteEmailData(transaction, environmentId, playerId, email) {
      await news.optIn.removeForPlayer(transaction, environmentId, playerId)
      await foundation.outbox.removeTo(transaction, environmentId, email)
    },
  })
  const news = await buildNews(foundation, players)
  const gameData = buildGameData(foundation, {
    ...players,
    postToFunctions: (...call) => functions.post(...call),
  })
  const sharing = buildSharing(foundation, {
    developers,
    players,
    hosting,
    isDeleted: (environmentId, playerId) => personalData.deletions.has(environmentId, playerId),
  })
  const personalData = buildPersonalData(foundation, {
    developers,
    players,
    signIn,
    news,
    gameData,
    sharing,
    presenceOf: (environmentId, playerId) => realtime.presenceOf(environmentId, playerId),
    onlinePlayers: (environmentId, max) => realtime.onlinePlayers(environmentId, max),
    onlineAmong: (environmentId, playerIds) => realtime.onlineAmong(environmentId, playerIds),
    leaveEverything: (environmentId, playerId) => realtime.leaveEverything(environmentId, playerId),
  })
  const isDeleted = personalData.deletions.has
  const edge = buildEdge(foundation, { developers, players, hosting, isDeleted })
  const functions = buildFunctions(foundation, {
    developers,
    money,
    verifyPlayer: edge.lookups.verifyPlayer,
    requireMayWrite: players.players.requireMayWrite,
    callService: (request, response) => edge.http.routing(request, response),
  })
  const realtime = buildRealtime(foundation, {
    ...players,
    server: edge.http.server,
    lookups: edge.lookups,
    onHostUpgrade: edge.onHostUpgrade,
    isDeleted,
    money,
    findProject: developers.projects.idOf,
  })

  const requestLog = buildRequestLog(foundation, { queries: realtime.queries, ring: edge.requestRing })

  const system = buildSystem(foundation, { edge, realtime })
  const events = buildEvents(foundation, { developers, players, personalData, realtime })

  const escapedErrors = buildEscapedErrors(foundation)

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
    sharing,
    functions,
    realtime,
    system,
    events,
    // After the parts whose usage it charges: what they note in a minute is charged in that minute.
    money,
  ]
  // First, so that a test can replace a path of the service.
  mountMore?.(edge.mounts)
  for (const module of [...modules, requestLog, escapedErrors]) module.mount(edge.mounts)

  applyRevocations(foundation, {
    keys: developers.keys,
    deletions: personalData.deletions,
    money,
    realtime,
    leaderboards: gameData.leaderboards,
  })
  const { background, audit, secrets, log } = foundation
  const everySecond = () =>
    runSequentially(modules.flatMap((module) => ('everySecond' in module ? [module.everySecond] : [])))
  const everyMinute = () =>
    runSequentially(modules.flatMap((module) => ('everyMinute' in module ? [module.everyMinute] : [])))
  const jobs = createJobs(
    modules.flatMap((module) => ('jobs' in module ? module.jobs : [])),
    {
      store: createJobStore(foundation.db),
      clock: foundation.clock,
      background,
      report: (failure) => log.warn(failure, 'a scheduled job failed'),
      reportClock: (discarded) =>
        log.warn(discarded, 'a scheduled job was done for a time in the future: the clock was ahead'),
    },
  )
  const periodic = createPeriodic({ everySecond, everyMinute, lookForJobs: jobs.look }, foundation)

  return {
    http: edge.http,
    audit,
    secrets,
    background,
    newsSender: news.sender,
    signUp: developers.signUp,
    hosting,
    money,
    functions,
    reportEscapedError: escapedErrors.report,
    suspendVoice: realtime.suspendVoice,
    signals: gameData.signals,
    statsData: gameData.statsData,
    jobs,
    everySecond,
    /** For tests: runs all work of a minute, or of an hour, on this node. */
    everyMinute: () => runSequentially([everyMinute, () => jobs.runNow(MINUTE_MS)]),
    everyHour: () => jobs.runNow(HOUR_MS),

    async start() {
      await edge.followTestClock()
      await personalData.deletions.load()
      foundation.outbox.start()
      await functions.start()
      periodic.start()
      await edge.http.ready()
    },

    /** Finishes requests in flight, closes connections, then releases everything: at most 29 s. */
    async stop() {
      edge.markNotReady()
      periodic.stop()
      background.stop()
      const step = (name: string, maxMs: number, run: () => Promise<unknown>) => ({ name, maxMs, run })
      await runStopSteps(
        [
          step('telling other nodes', 1_000, functions.announceStop),
          step('closing connections', 3_000, async () => {
            await realtime.closeConnections()
            events.stop()
          }),
          // Streams of functions may last long: other nodes take them over without waiting for their end.
          step('requests in progress', 16_000, () => edge.drain(functions.stop)),
          step('handing over rooms', 3_000, realtime.releaseActors),
          step('mail and background work', 4_000, async () => {
            hosting.stop()
            // Cards that still wait are drawn for their next request, not now.
            await Promise.all([foundation.outbox.stop(), foundation.cards.close()])
            await background.drained()
          }),
          step('work of the last minute', 2_000, async () => {
            await everyMinute()
            await background.drained()
          }),
        ],
        (name, maxMs) => log.warn({ maxMs }, `stopping: not ended in time, left for the next start: ${name}`),
      )
    },
  }
}
