import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { REALTIME_PATH } from '@svc/contract/realtime/realtime'

import { createIdempotentResponses, createResponseStore } from '../capabilities/idempotency/index.ts'
import { createRequestRing } from '../capabilities/requests/index.ts'
import { createPlayerCheck } from '../capabilities/sessions/index.ts'
import { createAuthorizer } from '../edge/http/callers/authorize.ts'
import type { CallerLookups } from '../edge/http/callers/callers.ts'
import { createClientAddress } from '../edge/http/callers/client-address.ts'
import { createOwnMachine } from '../edge/http/callers/own-machine.ts'
import { createDrain } from '../edge/http/connections/drain.ts'
import { dashboardPages } from '../edge/http/dashboard/dashboard-pages.ts'
import { docsPages } from '../edge/http/docs/docs-pages.ts'
import { openBuiltFolder } from '../edge/http/files/built-folder.ts'
import { openFolder, openUncachedFolder } from '../edge/http/files/folder.ts'
import { createResponses } from '../edge/http/files/responses.ts'
import { createHosts } from '../edge/http/hosts/hosts.ts'
import { mountMcp } from '../edge/http/mcp/mcp.ts'
import { createMetrics } from '../edge/http/operations/metrics.ts'
import { operationsRoutes } from '../edge/http/operations/operations.ts'
import { createPartStates } from '../edge/http/operations/parts.ts'
import { createReadiness } from '../edge/http/operations/readiness.ts'
import { testClockRoutes } from '../edge/http/operations/test-clock.ts'
import { packagePages } from '../edge/http/packages/package-pages.ts'
import { createFormBinder, createPageBinder } from '../edge/http/pages.ts'
import { createRouteBinder, type Handlers, readerOf } from '../edge/http/routes.ts'
import { createHttpServer } from '../edge/http/server.ts'
import { ApiError } from '../platform/api-error.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { OWN_FILES } from '../platform/own-files.ts'
import { createRequestIds } from '../platform/random.ts'
import { standstillOfProcess } from '../platform/time/standstill.ts'
import { createTestClock } from '../platform/time/test-clock.ts'
import { VERSION } from '../version.ts'
import type { AgentsModule } from './agents.ts'
import type { BackupsModule } from './backups.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import { functionsLevel } from './functions-level.ts'
import type { Hosting } from './hosting.ts'
import { partsOf } from './parts.ts'
import type { Players } from './players.ts'

/** Loads the builder only when the dashboard is opened in a checkout. */
const buildDashboard = async () => (await import('@svc/dashboard/build')).upToDateFolder()

/** The packages for games of a checkout, packed by another process if a source has changed. */
async function packForGames(): Promise<string> {
  const { currentPackages } = (await import(pathToFileURL(OWN_FILES.currentPackages).href)) as {
    currentPackages(): Promise<string>
  }
  return currentPackages()
}

type EdgeDeps = {
  developers: Developers
  players: Players
  hosting: Hosting
  backups: BackupsModule
  agents: AgentsModule
}

export type Edge = ReturnType<typeof buildEdge>

/** The HTTP server: authenticates callers, and has the endpoints that belong to no other module. */
export function buildEdge(
  foundation: Foundation,
  { developers, players, hosting, backups, agents }: EdgeDeps,
) {
  const { db, bus, cluster, counters, blobs, clock, random, vault, log, addresses, unavailable } = foundation
  const { currentConfig, enforceRateLimit, settings, tracing } = foundation
  const { baseUrl } = settings
  const clientAddressOf = createClientAddress(settings.trustedProxies, (line) => log.warn(line))

  const lookups: CallerLookups = {
    findKey: developers.keys.find,
    verifyPlayer: createPlayerCheck(players.accessTokens, players.deletions.has),
    findDeveloper: developers.find,
    findProject: developers.projects.find,
    findEnvironment: developers.projects.environment,
    agents: { ...agents.calls, find: agents.agents.find },
  }
  const respond = createResponses(blobs)
  const ownMachine = settings.isLocal ? createOwnMachine(addresses) : undefined
  const hosts = createHosts({
    addresses,
    ownMachine,
    apps: hosting.apps,
    respond,
    count: (status, startedAt) => countHosted(status, startedAt),
    clientAddressOf,
    missing: blobs.missing,
  })
  const http = createHttpServer({
    log,
    clientAddressOf,
    requestIds: createRequestIds(random),
    hosts,
    trace: tracing?.requests,
  })
  http.server.on('connection', standstillOfProcess().accepted)
  const requestRing = createRequestRing(clock)
  const metrics = createMetrics(http, requestRing.add, ({ agent, tool }, refusal) =>
    agents.calls.note(agent, tool, refusal ?? 'ok'),
  )
  const countHosted = metrics.of('any', 'app')
  const authorizer = createAuthorizer({
    lookups,
    config: currentConfig,
    unavailableFeatures: unavailable,
    addresses,
    ownMachine,
    enforceRateLimit,
    warnOfSecretKeyInBrowser: developers.keys.warnOfUseInBrowser,
    requireMayWrite: players.players.requireMayWrite,
  })
  const answers = createIdempotentResponses(createResponseStore(db), vault, clock)
  const handlers: Handlers = new Map()
  agents.readWith(readerOf(handlers))
  const mounts: Mounts = {
    route: createRouteBinder(http, authorizer, answers, handlers),
    page: createPageBinder(http, respond, blobs.missing, ownMachine),
    form: createFormBinder(http, ownMachine),
    host: hosts.mount,
    metric: metrics.add,
  }
  const drain = createDrain(http)
  const checks = {
    database: () => Promise.all([db.ping(), db.requireWritable()]),
    bus: bus.ping,
    counters: counters.ping,
    blobs: blobs.ping,
  }
  const findDown = createReadiness(checks)
  const partStates = createPartStates(partsOf(foundation, backups))
  let isStopping = false
  const testClock =
    settings.testClock && 'advance' in clock ? createTestClock(clock, { cluster, bus }) : undefined

  return {
    http,
    lookups,
    requestRing,
    metrics,
    checks,
    findDown,
    partStates,
    mounts,
    onHostUpgrade: hosts.onUpgrade,
    clientAddressOf,

    mount({ route, page, host }: Mounts) {
      operationsRoutes(route, page, {
        checks,
        findDown,
        partStates,
        functionsLevel: () => functionsLevel(foundation),
        backups: backups.backups.health,
        databaseStandby: db.standby,
        isStopping: () => isStopping,
        answersOn: hosts.answersOn,
        metrics,
        operator: settings.metricsReaders,
      })
      const upgrade = async () => {
        throw new ApiError('upgrade_required')
      }
      page(REALTIME_PATH, upgrade, { isForPlayers: true })
      host({ path: '.auth/' }, 'router')
      const dashboard = openBuiltFolder(OWN_FILES.dashboard, buildDashboard)
      dashboardPages(page, dashboard, addresses)
      const docs = {
        docs: openFolder(OWN_FILES.docs),
        pictures: openUncachedFolder(join(OWN_FILES.docs, 'pictures')),
        built: dashboard,
      }
      docsPages(page, docs, { baseUrl, version: VERSION })
      packagePages(page, openBuiltFolder(OWN_FILES.packages, packForGames), VERSION)
      if (testClock) testClockRoutes(route, testClock)
      mountMcp(http, {
        baseUrl,
        version: VERSION,
        resourceMetadataUrl: agents.resourceMetadataUrl,
        findAgent: agents.agents.find,
        count: agents.calls.count,
        approveByForm: agents.approvals.approveByForm,
        waitForDecision: agents.approvals.waitForDecision,
        reportError: (error) => log.error({ err: error }, 'a tool of an agent failed'),
      })
    },

    /** Sets the test clock of a node that starts later to that of the others. */
    followTestClock: async () => testClock?.reread(),
    async everyMinute() {
      metrics.endMinute()
      await testClock?.reread().catch(() => {})
    },
    jobs: [hourlyRemoval('idempotency.purge', answers.purgeExpired)],
    /** Call before the port is closed, so that load balancers stop sending requests. */
    markNotReady: () => void (isStopping = true),
    /** Finishes the requests in flight. */
    drain,
  }
}
