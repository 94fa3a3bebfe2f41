import { join } from 'node:path'

import { LIMITS } from '@svc/contract/common/limits'
import { type Logger, pino } from 'pino'

import { buildApp } from './app.ts'
import type { Mounts } from './app/foundation.ts'
import { openBlobs } from './engines/blobs/open.ts'
import { openBus } from './engines/bus/open.ts'
import type { Cards } from './engines/cards/cards.ts'
import { openCards } from './engines/cards/open.ts'
import { openCluster } from './engines/cluster/open.ts'
import { openCounters } from './engines/counters/open.ts'
import type { Database } from './engines/database/database.ts'
import { installationId } from './engines/database/installation.ts'
import { openDatabase } from './engines/database/open.ts'
import { purgeEnvironment } from './engines/database/purge.ts'
import { openFunctions } from './engines/functions/open.ts'
import { createIdentityProviders, createSignInProviders } from './engines/identity/providers.ts'
import { openMail } from './engines/mail/open.ts'
import { openPayments } from './engines/payments/open.ts'
import { createProcessSfu } from './engines/sfu/process.ts'
import type { SfuTimings } from './engines/sfu/sfu.ts'
import { openTurn } from './engines/turn/open.ts'
import { removeLeftStaging } from './operator/backup/staging.ts'
import { openDataFolder } from './operator/data-folder.ts'
import { keepPrivate } from './operator/private-data.ts'
import { prefixOfInstallation, requireCompatibleInstallation } from './operator/redis-prefix.ts'
import { requireSameBaseUrl } from './operator/same-base-url.ts'
import { listenForTasks } from './operator/socket.ts'
import { runTask } from './operator/tasks.ts'
import { type Clock, createMovableClock, systemClock } from './platform/clock.ts'
import { standardOutput } from './platform/log/destination.ts'
import { readableLogs } from './platform/log/lines.ts'
import { systemRandom } from './platform/random.ts'
import { createPasswords, type HashWork } from './platform/security/passwords.ts'
import { createSecretKeys, createVault, keyIdOf, readSecretKeys } from './platform/security/vault.ts'
import type { Settings } from './settings.ts'
import { VERSION } from './version.ts'

/** Options for tests. */
export type ServiceOptions = {
  clock?: Clock
  redisPrefix?: string
  redisCommandTimeoutMs?: number
  passwordWork?: HashWork
  /** Wraps the database. */
  wrapDatabase?: (db: Database) => Database
  /** How long a write may stay in SQLite's log. */
  logKeepMs?: number
  /** Mounts routes, pages and hosts of a test. */
  mount?: (mounts: Mounts) => void
  sfuTimings?: Partial<SfuTimings>
  /** Wraps the card engine, to see what is drawn. */
  watchCards?: (cards: Cards) => Cards
  /** For one operator command: this process does not serve requests. */
  isCommand?: boolean
  /** Opens all connections to PostgreSQL at the start: this process serves requests of players. */
  isEager?: boolean
  /** On a copy of the data that is only checked: it answers requests, and does nothing by itself. */
  isCopy?: boolean
}

export type Service = Awaited<ReturnType<typeof openService>>

/** Settings → engines → app. If a step fails, what was opened before it is closed. */
export async function openService(settings: Settings, options: ServiceOptions = {}) {
  await using opened = new AsyncDisposableStack()
  const log = openLog(settings)
  const clock = options.clock ?? (settings.testClock ? createMovableClock() : systemClock)
  const random = systemRandom
  const { dataDir, redisUrl } = settings

  await keepPrivate(settings)
  await removeLeftStaging(dataDir)
  const existingKeys = await readSecretKeys({ fromEnvironment: settings.secretKey, dataDir })
  const fixedPrefix = options.redisPrefix ?? settings.redisPrefix
  const connectionOptions = {
    log: (line: string) => log.warn(line),
    ...(options.redisCommandTimeoutMs !== undefined && { commandTimeoutMs: options.redisCommandTimeoutMs }),
  }
  const shipping = options.isCommand ? undefined : await openShipping(settings, log)
  const database = opened.adopt(
    await openDatabase({
      url: settings.databaseUrl,
      prepare: settings.postgresPrepare,
      isEager: options.isEager === true,
      dataDir,
      clock,
      version: VERSION,
      log: (line) => log.info(line),
      // A node that may not start must not have migrated the database of the running ones.
      ...(redisUrl !== undefined && {
        beforeMigration: (id) =>
          requireCompatibleInstallation(redisUrl, id, { ...connectionOptions, fixedPrefix }),
      }),
      sqlite: {
        syncMode: settings.sqliteSync,
        shipping,
        ...(options.logKeepMs !== undefined && { logLimits: { keepMs: options.logKeepMs } }),
      },
    }),
    closeEngine,
  )
  const db = options.wrapDatabase?.(database) ?? database
  // A start that the database refuses creates no key.
  const keys = existingKeys ?? (await createSecretKeys(dataDir, random))
  const redisOptions = {
    ...connectionOptions,
    prefix: fixedPrefix ?? (redisUrl === undefined ? '' : prefixOfInstallation(await installationId(db))),
  }
  const bus = opened.adopt(await openBus(redisUrl, redisOptions), closeEngine)
  const counters = opened.adopt(await openCounters(redisUrl, clock, redisOptions), closeEngine)
  const cluster = opened.adopt(
    await openCluster(redisUrl, {
      ...redisOptions,
      clock,
      snapshotFile: join(dataDir, 'realtime-snapshots.json'),
    }),
    closeEngine,
  )
  if (!options.isCommand) await requireSameBaseUrl(cluster, settings.baseUrl)
  const blobs = opened.adopt(await openBlobs(settings.blobs), closeEngine)
  const mail = opened.adopt(await openMail(settings.mail), closeEngine)
  const cards = opened.adopt(await openCards(settings.cards, (line) => log.warn(line)), closeEngine)
  const turn = opened.adopt(
    await openTurn(settings.turn, {
      clock,
      random,
      secret: keys.current,
      log: (line: string) => log.warn(line),
    }),
    closeEngine,
  )

  const payments = await openPayments(settings.payments, { baseUrl: settings.baseUrl, clock })
  const functions = opened.adopt(
    await openFunctions(settings.functions, { clock, blobs, log: (line) => log.warn(line) }),
    closeEngine,
  )
  const sfu = opened.adopt(
    createProcessSfu(settings.voice, {
      log: (line: string) => log.warn(line),
      slots: LIMITS.voiceSlots,
      ...(options.sfuTimings && { timings: options.sfuTimings }),
    }),
    closeEngine,
  )

  const tracing =
    settings.tracing &&
    opened.adopt(
      (await import('./app/tracing.ts')).openTracing({
        ...settings.tracing,
        random,
        resource: {
          'service.name': settings.tracing.serviceName,
          'service.version': VERSION,
          'service.instance.id': cluster.nodeId,
        },
      }),
      closeEngine,
    )

  const identityProviders = createIdentityProviders({ clock, endpoints: settings.providerEndpoints })

  const app = await buildApp(
    settings,
    {
      db: tracing?.wrap('transaction', db, TRANSACTIONS) ?? db,
      tracing,
      purgeEnvironment: (environmentId) => purgeEnvironment(db, environmentId),
      bus,
      counters,
      cluster,
      blobs: tracing?.wrap('blob', blobs, ['put', 'open', 'stat', 'remove']) ?? blobs,
      mail,
      cards: options.watchCards?.(cards) ?? cards,
      turn,
      sfu,
      payments,
      functions: tracing?.functions(functions) ?? functions,
      clock,
      random,
      log,
      logLinesLost: standardOutput().linesLost,
      dataFolder: openDataFolder(settings, db),
      vault: createVault(keys, random),
      passwords: createPasswords(random, options.passwordWork ? { work: options.passwordWork } : {}),
      identityProviders,
      signInProviders: createSignInProviders(identityProviders, settings.developerSignIn),
    },
    options.mount,
  )
  try {
    await app.start({ isCopy: options.isCopy === true })
    await bus.ping()
  } catch (error) {
    // Its own errors would hide the cause.
    await app.stop().catch(() => {})
    throw error
  }
  opened.defer(() => app.stop())

  const operated = { ...app, secretKeyId: keyIdOf(keys.current) }
  const takesTasks = settings.databaseUrl === undefined || settings.isLocal
  if (takesTasks && !options.isCommand && !options.isCopy)
    opened.defer(await listenForTasks(dataDir, (task, output) => runTask(operated, task, output)))

  const started = opened.move()
  let closed: Promise<void> | undefined
  return {
    ...operated,
    db,
    blobs,
    sfu,
    log,
    /** Graceful shutdown: finishes the requests in flight, then stops. */
    close: () => (closed ??= started.disposeAsync()),
  }
}

/** Loaded on demand: many services do not use it. */
async function openShipping(settings: Settings, log: Logger) {
  if (settings.databaseUrl !== undefined || settings.shipping.everyMs === 0) return undefined
  const { createShipping, shippingOptions } = await import('./operator/backup/wal/shipping.ts')
  return createShipping(shippingOptions(settings, (line) => log.warn(line)))
}

function openLog({ logLevel, logFormat }: Settings) {
  const options = { level: logLevel, redact: REDACTED }
  const output = standardOutput()
  const hasColors = logFormat !== 'json' && process.stdout.isTTY && process.stdout.hasColors()
  const log = pino(options, logFormat === 'json' ? output : readableLogs(output.write, { hasColors }))
  output.onLost((lines) => log.warn({ lines }, 'the log could not be written for a time: lines were lost'))
  return log
}

/** On both engines a single statement is a transaction, too. */
const TRANSACTIONS = [
  'first',
  'all',
  'run',
  'search',
  'scan',
  'transaction',
  'pipelined',
  'exclusively',
] as const

const closeEngine = (engine: { close(): Promise<void> | void }) => engine.close()

/** Credentials are never logged. */
const REDACTED = [
  'req.headers.authorization',
  'req.headers["x-svc-key"]',
  'password',
  'token',
  'refreshToken',
]
