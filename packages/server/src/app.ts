import { FEATURES } from '@svc/contract/features'
import { openApi } from '@svc/contract/openapi'
import * as platformContract from '@svc/contract/platform'
import type { FastifyBaseLogger } from 'fastify'

import { auditRoutes, createAudit, createAuditStore } from './capabilities/audit/index.ts'
import {
  configRoutes,
  createConfig,
  createConfigCache,
  createConfigStore,
} from './capabilities/config/index.ts'
import {
  createAccounts,
  createAccountStore,
  createDeveloperSessions,
  createSignIn,
  createSignInStore,
  developerPages,
  developersRoutes,
  signInRoutes,
} from './capabilities/developers/index.ts'
import { createAnswers, createAnswerStore } from './capabilities/idempotency/index.ts'
import { createOutbox, createOutboxStore, mailRoutes } from './capabilities/mail/index.ts'
import { createCredentials, createCredentialStore, credentialsRoutes } from './capabilities/oauth/index.ts'
import {
  createKeys,
  createOverview,
  createProjects,
  createProjectStore,
  projectsRoutes,
} from './capabilities/projects/index.ts'
import { createSecrets, createSecretStore } from './capabilities/secrets/index.ts'
import { docsPage } from './edge/http/docs-page/index.ts'
import { drainable } from './edge/http/drain.ts'
import { createGate } from './edge/http/gate.ts'
import { createMetrics } from './edge/http/metrics.ts'
import { operationsRoutes } from './edge/http/operations.ts'
import { pagesOn } from './edge/http/pages.ts'
import { createRateLimits } from './edge/http/rate-limits.ts'
import { routesOn } from './edge/http/routes.ts'
import { createHttpServer } from './edge/http/server.ts'
import { testClockRoutes } from './edge/http/test-clock.ts'
import type { Blobs } from './engines/blobs/blobs.ts'
import type { Bus } from './engines/bus/bus.ts'
import type { Counters } from './engines/counters/counters.ts'
import type { Database } from './engines/database/database.ts'
import type { SignInProviders } from './engines/identity/providers.ts'
import type { Transport } from './engines/mail/mail.ts'
import { createBackground } from './platform/background.ts'
import { type Clock, HOUR_MS, MINUTE_MS, type MovableClock } from './platform/clock.ts'
import { createFailedAttempts } from './platform/failed-attempts.ts'
import { lazy } from './platform/lazy.ts'
import type { Passwords } from './platform/passwords.ts'
import { createIds, createRequestIds, type Random } from './platform/random.ts'
import type { Vault } from './platform/vault.ts'
import type { Settings } from './settings.ts'

export type Engines = {
  db: Database
  bus: Bus
  counters: Counters
  blobs: Blobs
  mail: Transport
  signInProviders: SignInProviders
  clock: Clock | MovableClock
  random: Random
  vault: Vault
  passwords: Passwords
  log: FastifyBaseLogger
}

export type App = ReturnType<typeof buildApp>

export const VERSION = '0.1.0'

/** The only file that knows every capability: read it to see who needs whom. */
export function buildApp(settings: Settings, engines: Engines) {
  const { db, bus, counters, blobs, clock, random, vault, passwords, log } = engines
  const { baseUrl, appsDomain, brand } = settings
  const ids = createIds(clock, random)
  const unavailable = new Set(settings.unavailableFeatures)
  const background = createBackground((error) => log.error({ err: error }, 'background work failed'))
  const failuresMax =
    settings.rateLimits === 'off' ? Number.POSITIVE_INFINITY : settings.rateLimits.signInFailuresMax
  const failedAttempts = createFailedAttempts(counters, failuresMax)

  const secrets = createSecrets(createSecretStore(db), vault, clock)
  const audit = createAudit(createAuditStore(db), clock, ids)
  const answers = createAnswers(createAnswerStore(db), vault, clock)

  const configStore = createConfigStore(db)
  const config = createConfig(configStore, { clock, audit, bus, unavailable })
  const currentConfig = createConfigCache(configStore, { bus, unavailable })

  const credentials = createCredentials(createCredentialStore(db), {
    clock,
    baseUrl,
    sharedXApp: false,
    secrets,
    audit,
  })

  const projectStore = createProjectStore(db)
  const keys = createKeys(projectStore, { clock, random, ids, audit, forgetting: bus, counters })
  const projects = createProjects(projectStore, {
    keys,
    clock,
    random,
    ids,
    audit,
    brand,
    async removeEnvironment(transaction, environmentId) {
      await config.removeEnvironment(transaction, environmentId)
      await credentials.removeEnvironment(transaction, environmentId)
    },
  })
  const overview = createOverview(keys, {
    configVersion: async (environmentId) => (await currentConfig.current(environmentId)).version,
  })

  const accountStore = createAccountStore(db)
  const outbox = createOutbox({
    store: createOutboxStore(db),
    transport: engines.mail,
    clock,
    ids,
    report: (problem) => log.warn(problem, 'mail not delivered'),
    ownerEmail: async (projectId) =>
      (await accountStore.find((await projects.ownerOf(projectId)) ?? ''))?.email,
  })
  const sessions = createDeveloperSessions(accountStore, clock, random, bus)
  const accounts = createAccounts(accountStore, {
    sessions,
    clock,
    random,
    ids,
    passwords,
    failedAttempts,
    counters,
    background,
    baseUrl,
    sendMail: outbox.send,
  })
  const signIn = createSignIn(createSignInStore(db), {
    accounts,
    sessions,
    endSession: sessions.endByHash,
    providers: engines.signInProviders,
    baseUrl,
    clock,
    random,
    reportFailure: (failure) => log.warn(failure, 'external sign-in failed'),
  })

  const http = createHttpServer({
    log,
    trustedProxies: settings.trustedProxies,
    requestIds: createRequestIds(random),
  })
  const metrics = createMetrics(http)
  const gate = createGate({
    doors: {
      findKey: keys.find,
      findDeveloper: sessions.find,
      findProject: projects.find,
      findEnvironment: projects.environment,
    },
    config: currentConfig,
    unavailableFeatures: unavailable,
    addresses: { baseUrl, appsDomain },
    admit: createRateLimits(counters, settings.rateLimits),
    warnOfSecretKeyInBrowser: keys.warnOfUseInBrowser,
  })
  const route = routesOn(http, gate, answers)
  const page = pagesOn(http)
  const drain = drainable(http)
  let stopping = false

  developersRoutes(route, accounts, sessions)
  signInRoutes(route, page, signIn)
  developerPages(page)
  projectsRoutes(route, projects, keys, overview)
  configRoutes(route, config)
  credentialsRoutes(route, credentials)
  auditRoutes(route, audit)
  mailRoutes(route, outbox)
  operationsRoutes(route, page, {
    checks: { database: db.ping, bus: bus.ping, counters: counters.ping, blobs: blobs.ping },
    isStopping: () => stopping,
    metrics,
    metricsToken: settings.metricsToken ?? null,
  })
  const docs = lazy(() => docsPage({ baseUrl, version: VERSION }))
  const openapi = lazy(() => JSON.stringify(openApi({ baseUrl, version: VERSION })))
  page('/docs', async () => docs())
  page('/openapi.json', async () => ({ type: 'application/json; charset=utf-8', body: openapi() }))
  route(platformContract.readPlatformInfo, async () => ({
    oauthProviders: signIn.providers,
    version: VERSION,
    hostingDomain: appsDomain,
    features: Object.fromEntries(
      Object.keys(FEATURES).map((name) => [name, !unavailable.has(name as never)]),
    ),
  }))
  if (settings.testClock && 'advance' in clock) testClockRoutes(route, clock)

  const everyMinute = () => keys.noteUse()
  const everyHour = async () => {
    await accounts.tidy()
    await answers.tidy()
  }
  const timers = [
    { work: everyMinute, everyMs: MINUTE_MS },
    { work: everyHour, everyMs: HOUR_MS },
  ]
  const running: NodeJS.Timeout[] = []

  return {
    http,
    audit,
    secrets,
    background,
    everyMinute,

    async start() {
      await secrets.verifyKey()
      outbox.start()
      for (const { work, everyMs } of timers) running.push(setInterval(() => background.run(work), everyMs))
      await http.ready()
    },

    /** Answers what has come, tells connections to go, then lets go of everything. */
    async stop() {
      stopping = true
      running.forEach((timer) => clearInterval(timer))
      await drain()
      await outbox.stop()
      await background.settled()
      await keys.noteUse()
    },
  }
}
