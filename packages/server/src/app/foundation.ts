import type { FastifyBaseLogger } from 'fastify'

import { auditRoutes, createAudit, createAuditStore } from '../capabilities/audit/index.ts'
import {
  configRoutes,
  createConfig,
  createConfigCache,
  createConfigStore,
  createDefinitions,
} from '../capabilities/config/index.ts'
import { createAccountStore, createProjectOwners } from '../capabilities/developers/index.ts'
import { createFunctionsStore } from '../capabilities/functions/index.ts'
import {
  createMailLimits,
  createOutbox,
  createOutboxStore,
  createSendStore,
  mailRoutes,
} from '../capabilities/mail/index.ts'
import { createMemberStore } from '../capabilities/members/index.ts'
import { createProjectStore } from '../capabilities/projects/index.ts'
import { createRevocations, createRevocationStore } from '../capabilities/revocations/index.ts'
import { createSecrets, createSecretStore } from '../capabilities/secrets/index.ts'
import { hostedOrigin } from '../edge/http/callers/origins.ts'
import { createRateLimits } from '../edge/http/callers/rate-limits.ts'
import type { MountHost } from '../edge/http/hosts/hosts.ts'
import type { Metrics } from '../edge/http/operations/metrics.ts'
import type { createFormBinder, createPageBinder } from '../edge/http/pages.ts'
import type { Route } from '../edge/http/routes.ts'
import type { Blobs } from '../engines/blobs/blobs.ts'
import type { Cards } from '../engines/cards/cards.ts'
import type { Counters } from '../engines/counters/counters.ts'
import type { Database } from '../engines/database/database.ts'
import type { IdentityProviders, SignInProviders } from '../engines/identity/providers.ts'
import type { Transport } from '../engines/mail/mail.ts'
import type { DataFolder } from '../operator/data-folder.ts'
import { createBackground, logFailures } from '../platform/background.ts'
import { type Clock, MINUTE_MS, type MovableClock } from '../platform/clock.ts'
import type { Environment } from '../platform/environment.ts'
import { createAgeGuard } from '../platform/jobs/age-guard.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { single } from '../platform/metrics/metrics.ts'
import { isRedirectAllowed } from '../platform/network/redirect-rules.ts'
import type { Bus } from '../platform/ports/bus.ts'
import type { Cluster } from '../platform/ports/cluster.ts'
import type { FunctionsEngine } from '../platform/ports/functions-engine.ts'
import type { Payments } from '../platform/ports/payments.ts'
import type { Sfu } from '../platform/ports/sfu.ts'
import type { Turn } from '../platform/ports/turn.ts'
import { createIds, type Random } from '../platform/random.ts'
import { createFailedAttempts } from '../platform/security/failed-attempts.ts'
import type { Passwords } from '../platform/security/passwords.ts'
import type { Vault } from '../platform/security/vault.ts'
import type { Settings } from '../settings.ts'
import { createInProcessEvents } from './in-process-events.ts'
import type { Tracing } from './tracing.ts'

export type Engines = {
  db: Database
  purgeEnvironment(environmentId: string): Promise<number>
  bus: Bus
  counters: Counters
  cluster: Cluster
  blobs: Blobs
  mail: Transport
  cards: Cards
  turn: Turn
  sfu: Sfu
  /** Undefined when nothing is charged. */
  payments: Payments | undefined
  functions: FunctionsEngine
  identityProviders: IdentityProviders
  signInProviders: SignInProviders
  clock: Clock | MovableClock
  random: Random
  vault: Vault
  passwords: Passwords
  log: FastifyBaseLogger
  /** Since the start of this process. */
  logLinesLost(): number
  dataFolder: DataFolder
  /** Undefined: this service records no traces. */
  tracing?: Tracing | undefined
}

/** Where a module adds its endpoints, pages and forms. */
export type Mounts = {
  route: Route
  page: ReturnType<typeof createPageBinder>
  form: ReturnType<typeof createFormBinder>
  /** Paths on the hosts of apps, and further hosts. */
  host: MountHost
  /** A metric on the metrics page. */
  metric: Metrics['add']
}

/** Topic of the bus: a project was deleted; the message is the id of one of its environments. */
export const ENVIRONMENT_REMOVED = 'environment-removed'
/** Topic of the bus: a project was renamed; the message is its slug. */
export const PROJECT_RENAMED = 'project-renamed'

export type Foundation = Awaited<ReturnType<typeof buildFoundation>>

const UNLIMITED_FAILURES = { perAddressMax: Infinity, perAccountMax: Infinity }

/** What every module uses: engines, secrets, audit log, mail, config. */
export async function buildFoundation(settings: Settings, engines: Engines) {
  const { db, bus, counters, clock, random, vault, log } = engines
  const { baseUrl, appsDomain, rateLimits } = settings
  const addresses = { baseUrl, appsDomain }
  const unavailable: ReadonlySet<string> = new Set(settings.unavailableFeatures)
  const ids = createIds(clock, random)
  const events = createInProcessEvents()

  const secrets = createSecrets(createSecretStore(db), vault, clock)
  await secrets.verifyKey()
  const audit = createAudit(createAuditStore(db), clock, ids)
  const background = createBackground(logFailures(log), random)
  const failedAttempts = createFailedAttempts(
    counters,
    rateLimits === 'off' ? UNLIMITED_FAILURES : rateLimits.signInFailures,
  )
  const { passwords } = engines
  const ageGuard = createAgeGuard({
    clock,
    report: (leap) =>
      log.warn(
        leap,
        'the clock is over a day later than when jobs last removed what is old: they wait an hour, in case that it is wrong',
      ),
  })
  /** What many capabilities need; the type of a factory's parameter says which of them it uses. */
  const tools = {
    clock,
    random,
    ids,
    bus,
    counters,
    audit,
    secrets,
    background,
    passwords,
    failedAttempts,
    baseUrl,
  }

  const revocations = createRevocations(createRevocationStore(db), {
    ids,
    report: (error) => log.warn({ err: error }, 'a revocation could not be applied yet'),
  })

  const configStore = createConfigStore(db)
  const currentConfig = createConfigCache(configStore, { bus, unavailable })
  const configOf = async (environmentId: string) => (await currentConfig.current(environmentId)).config
  /** A random key that is created once and never changes. */
  const persistentKey = async (name: string) =>
    Buffer.from(await secrets.getOrCreate(name, () => random.bytes(32).toString('base64')), 'base64')

  const projectStore = createProjectStore(db)
  const owners = createProjectOwners(createAccountStore(db), {
    ownerOf: (projectId, transaction) =>
      (transaction ? projectStore.in(transaction) : projectStore).ownerOf(projectId),
    sendsMail: settings.mail.smtpUrl !== undefined,
  })
  const mailLimits = createMailLimits(createSendStore(db), {
    clock,
    key: await persistentKey('mail:recipients'),
    ownerEmail: owners.emailOf,
  })
  const outbox = createOutbox({
    ...tools,
    store: createOutboxStore(db),
    transport: engines.mail,
    limits: mailLimits,
    report: (problem) => log.warn(problem, 'mail not delivered'),
    reportLimit: (mail) =>
      log.warn(mail, 'mail not sent: the limit of this address or environment is reached'),
    ownerEmail: owners.emailOf,
    wasShared: createMemberStore(db).wasShared,
  })
  const functionsStore = createFunctionsStore(db)
  const config = createConfig(configStore, {
    ...tools,
    unavailable,
    recordChanged: (transaction, environmentId) =>
      revocations.note(transaction, { kind: 'config', environmentId, subject: '' }),
    async problemsOf(environment) {
      const problems = new Map<string, string[]>()
      await events.emit('features.checking', environment, problems)
      return problems
    },
    hasFunctions: async (environmentId) => (await functionsStore.find(environmentId))?.enabledAt != null,
  })
  events.on('environment.removing', config.removeEnvironment)
  const originOf = (environment: Environment) => hostedOrigin(environment, addresses)

  return {
    ...engines,
    ...tools,
    tools,
    events,
    settings,
    addresses,
    unavailable,
    ageGuard,
    revocations,
    owners,
    outbox,
    config,
    currentConfig,
    configOf,
    originOf,
    enforceRateLimit: createRateLimits(counters, rateLimits),

    /** For every one-time code and token that is sent in a URL of a player's app. */
    async mayRedirect(environment: Environment, url: string) {
      const { redirectUrls } = (await configOf(environment.id)).auth
      return isRedirectAllowed(url, { redirectUrls, environment, hostedOrigin: originOf(environment) })
    },

    persistentKey,
    /** Key of the hashes of addresses that accounts signed in from. */
    signInAddressKey: () => persistentKey('sign-in:addresses'),

    mount({ route, metric }: Mounts) {
      for (const { metrics } of [db, engines.cluster, engines.functions, engines.cards, engines.turn])
        metrics?.forEach(metric)
      if (engines.tracing) metric(engines.tracing.metric)
      if (engines.mail.name === 'smtp')
        metric(single('svc_mail_waiting', async () => (await outbox.countQueue()).pending))
      auditRoutes(route, audit)
      configRoutes(route, config, createDefinitions(currentConfig))
      mailRoutes(route, outbox)
    },

    everySecond: revocations.read,
    jobs: [
      hourlyRemoval('revocations.purge', revocations.purgeExpired),
      {
        name: 'mail.purge',
        everyMs: 10 * MINUTE_MS,
        removesByAge: true,
        run: (_: number, stopping: AbortSignal) => outbox.purgeExpired(stopping),
      },
      hourlyRemoval('mail.purge-limits', mailLimits.purgeExpired),
    ],
  }
}
