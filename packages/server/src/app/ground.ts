import type { FastifyBaseLogger } from 'fastify'

import { createAudit, createAuditStore } from '../capabilities/audit/index.ts'
import { createConfig, createConfigCache, createConfigStore } from '../capabilities/config/index.ts'
import { createRevocations, createRevocationStore } from '../capabilities/revocations/index.ts'
import { createSecrets, createSecretStore } from '../capabilities/secrets/index.ts'
import { hostedOrigin } from '../edge/http/origins.ts'
import type { formsOn, pagesOn } from '../edge/http/pages.ts'
import { createRateLimits } from '../edge/http/rate-limits.ts'
import type { Route } from '../edge/http/routes.ts'
import type { Blobs } from '../engines/blobs/blobs.ts'
import type { Counters } from '../engines/counters/counters.ts'
import type { Database } from '../engines/database/database.ts'
import type { IdentityProviders, SignInProviders } from '../engines/identity/providers.ts'
import type { Transport } from '../engines/mail/mail.ts'
import type { Turn } from '../engines/turn/turn.ts'
import { createBackground } from '../platform/background.ts'
import type { Bus } from '../platform/bus.ts'
import type { Clock, MovableClock } from '../platform/clock.ts'
import type { Cluster } from '../platform/cluster.ts'
import type { Environment } from '../platform/environment.ts'
import { createFailedAttempts } from '../platform/failed-attempts.ts'
import type { Passwords } from '../platform/passwords.ts'
import { createIds, type Random } from '../platform/random.ts'
import { isRedirectAllowed } from '../platform/redirect-rules.ts'
import type { Vault } from '../platform/vault.ts'
import type { Settings } from '../settings.ts'

export type Engines = {
  db: Database
  purgeEnvironment(environmentId: string): Promise<number>
  bus: Bus
  counters: Counters
  cluster: Cluster
  blobs: Blobs
  mail: Transport
  turn: Turn
  identityProviders: IdentityProviders
  signInProviders: SignInProviders
  clock: Clock | MovableClock
  random: Random
  vault: Vault
  passwords: Passwords
  log: FastifyBaseLogger
}

/** Where a wing opens its doors. */
export type Mouths = { route: Route; page: ReturnType<typeof pagesOn>; form: ReturnType<typeof formsOn> }

/** Topic of the bus: a project was deleted; the message is the id of one of its environments. */
export const ENVIRONMENT_REMOVED = 'environment-removed'

export type Ground = Awaited<ReturnType<typeof layGround>>

const UNLIMITED_FAILURES = { perAddressMax: Infinity, perAccountMax: Infinity }

/** What every wing of the house stands on: engines, secrets, the audit log, the config. */
export async function layGround(settings: Settings, engines: Engines) {
  const { db, bus, counters, clock, random, vault, log } = engines
  const { baseUrl, appsDomain, rateLimits } = settings
  const addresses = { baseUrl, appsDomain }
  const unavailable = new Set(settings.unavailableFeatures)
  const ids = createIds(clock, random)

  const secrets = createSecrets(createSecretStore(db), vault, clock)
  await secrets.verifyKey()
  const audit = createAudit(createAuditStore(db), clock, ids)

  const revocations = createRevocations(createRevocationStore(db), {
    ids,
    report: (error) => log.warn({ err: error }, 'a revocation could not be applied yet'),
  })

  const configStore = createConfigStore(db)
  const currentConfig = createConfigCache(configStore, { bus, unavailable })
  const configOf = async (environmentId: string) => (await currentConfig.current(environmentId)).config
  /** A key that is made once and kept for ever. */
  const keptKey = async (name: string) =>
    Buffer.from(await secrets.obtain(name, () => random.bytes(32).toString('base64')), 'base64')
  const originOf = (environment: Environment) => hostedOrigin(environment, addresses)

  return {
    ...engines,
    settings,
    addresses,
    unavailable,
    ids,
    secrets,
    audit,
    revocations,
    config: createConfig(configStore, {
      clock,
      audit,
      bus,
      unavailable,
      noteChanged: (transaction, environmentId) =>
        revocations.note(transaction, { kind: 'config', environmentId, subject: '' }),
    }),
    currentConfig,
    configOf,
    originOf,
    background: createBackground((error) => log.error({ err: error }, 'background work failed'), random),
    failedAttempts: createFailedAttempts(
      counters,
      rateLimits === 'off' ? UNLIMITED_FAILURES : rateLimits.signInFailures,
    ),
    admit: createRateLimits(counters, rateLimits),

    /** For every one-time code and token that travels in an address of a player's app. */
    async mayRedirect(environment: Environment, url: string) {
      const { redirectUrls } = (await configOf(environment.id)).auth
      return isRedirectAllowed(url, { redirectUrls, environment, hostedOrigin: originOf(environment) })
    },

    keptKey,
    /** Hashes the addresses that accounts were signed in to from. */
    signInAddressKey: () => keptKey('sign-in:addresses'),
  }
}
