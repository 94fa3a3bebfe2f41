import { setTimeout as pause } from 'node:timers/promises'

import { buildAgents } from './app/agents.ts'
import { buildAges } from './app/ages.ts'
import { buildBackups } from './app/backups.ts'
import { databaseConnections } from './app/database-connections.ts'
import { buildDevelopers } from './app/developers.ts'
import { buildEdge } from './app/edge.ts'
import { buildEscapedErrors } from './app/escaped-errors.ts'
import { buildEvents } from './app/events.ts'
import { buildFoundation, type Engines, type Mounts } from './app/foundation.ts'
import { buildFunctions } from './app/functions.ts'
import { buildGameData } from './app/game-data.ts'
import { buildHosting } from './app/hosting.ts'
import { buildMembers } from './app/members.ts'
import { buildMoney } from './app/money.ts'
import { buildNews } from './app/news.ts'
import { buildOverview } from './app/overview.ts'
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
 * Builds the app, module by module. A module in `app/` creates its capabilities and connects them. It gets the modules that were
 * built before it; what it does that concerns later ones is an event (`app/in-process-events.ts`).
 */
export async function buildApp(
  settings: Settings,
  engines: Engines,
  /** Further routes, of a test. */
  mountMore?: (mounts: Mounts) => void,
) {
  const foundation = await buildFoundation(settings, engines)
  const money = buildMoney(foundation)
  const members = buildMembers(foundation, money)
  const developers = await buildDevelopers(foundation, money, members)
  const agents = buildAgents(foundation, developers)
  const hosting = buildHosting(foundation, developers)
  const ages = buildAges(foundation)
  const news = await buildNews(foundation, ages)
  const players = await buildPlayers(foundation, { ...developers, ...hosting, ...ages, news })
  const backups = buildBackups(foundation)
  const edge = buildEdge(foundation, { developers, players, hosting, backups, agents })
  const functions = buildFunctions(foundation, { developers, players, edge, money })
  const gameData = buildGameData(foundation, { ...players, postToFunctions: functions.post })
  foundation.events.on('leaderboards.leaving', gameData.leaderboards.leave)
  foundation.events.on('leaderboards.left', gameData.leaderboards.announce)
  const signIn = buildPlayerSignIn(foundation, { ...developers, ...players, money, news, gameData })
  const sharing = buildSharing(foundation, { developers, players, hosting })
  const realtime = buildRealtime(foundation, {
    ...players,
    developers,
    edge,
    money,
    roomCode: functions.roomCode,
  })
  const personalData = buildPersonalData(foundation, {
    ...realtime,
    developers,
    players,
    signIn,
    news,
    gameData,
    sharing,
  })
  const overview = buildOverview(foundation, { developers, players, personalData, hosting, realtime })

  const requestLog = buildRequestLog(foundation, {
    queries: realtime.queries,
    ring: edge.requestRing,
    displayNamesOf: players.displayNamesOf,
  })

  const system = buildSystem(foundation, { backups, edge, realtime })
  const events = buildEvents(foundation, { agents, developers, players, personalData, realtime })

  const escapedErrors = buildEscapedErrors(foundation)

  const modules = [
    foundation,
    edge,
    developers,
    agents,
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
    backups,
    events,
    // After the parts whose usage it charges: what they note in a minute is charged in that minute.
    money,
  ]
  // First, so that a test can replace a path of the service.
  mountMore?.(edge.mounts)
  for (const module of [...modules, overview, requestLog, escapedErrors]) module.mount(edge.mounts)

  applyRevocations(foundation, {
    keys: developers.keys,
    agents: agents.agents,
    deletions: players.deletions,
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
      ageGuard: foundation.ageGuard,
      background,
      report: (failure) => log.warn(failure, 'a scheduled job failed'),
      reportClock: (discarded) =>
        log.warn(discarded, 'a scheduled job was done for a time in the future: the clock was ahead'),
    },
  )
  edge.metrics.add(jobs.metric)
  const periodic = createPeriodic({ everySecond, everyMinute, startJobs: jobs.startDue }, foundation)

  return {
    http: edge.http,
    audit,
    secrets,
    background,
    newsSender: news.sender,
    signUp: developers.signUp,
    agentClients: agents.clients,
    hosting,
    money,
    functions,
    reportEscapedError: escapedErrors.report,
    suspendVoice: realtime.suspendVoice,
    /** When the last backup was written and verified, for metrics. */
    backups: { state: backups.backups.state },
    signals: gameData.signals,
    statsData: gameData.statsData,
    jobs,
    everySecond,
    /** For tests: runs all work of a minute, or of an hour, on this node. */
    everyMinute: () => runSequentially([everyMinute, () => jobs.runNow(MINUTE_MS)]),
    everyHour: () => jobs.runNow(HOUR_MS),

    /** `isCopy`: it has no effect outside. No mail is sent, no function, webhook or job runs. */
    async start({ isCopy = false } = {}) {
      await edge.followTestClock()
      await players.deletions.load()
      await backups.backups.refresh()
      if (!isCopy) {
        foundation.outbox.start()
        await functions.start()
        periodic.start()
      }
      await edge.http.ready()
      const connections = await databaseConnections(foundation)
      if (connections.state === 'warning') log.warn(`connections to the database: ${connections.says}`)
    },

    /**
     * Finishes requests in flight, closes connections, then releases everything: at most 29 s after `SVC_STOP_DELAY_SECONDS`, in which
     * the node works as before and only `/readyz` says that it stops.
     */
    async stop() {
      edge.markNotReady()
      if (settings.stopDelayMs > 0 && edge.http.server.listening) await pause(settings.stopDelayMs)
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
          // Streams of functions may last long: other nodes take them over without waiting for their end. Rooms use the databases of
          // functions, so they make their last turn before.
          step('calls that wait for an approval', 1_000, async () => agents.stop()),
          step('requests in progress', 16_000, () =>
            edge.drain(async () => {
              await realtime.pauseRooms()
              await functions.stop()
            }),
          ),
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
