import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

import type { LogShipping } from '../../../engines/database/sqlite/shipping.ts'
import { DAY_MS, MINUTE_MS, systemClock } from '../../../platform/clock.ts'
import { OWN_FILES } from '../../../platform/own-files.ts'
import type { Settings } from '../../../settings.ts'
import { keepLeftLog } from './left-log.ts'
import type { StoreSettings } from './open-store.ts'
import type { ShipMessage, ShipReply, ShipWorkerData } from './ship-worker.ts'
import type { Resumed, ShipperLimits } from './shipper.ts'

export type ShippingOptions = {
  /** The database file. */
  path: string
  /** Where segments are stored. */
  store: StoreSettings
  /** A commit is stored after this time at the latest. */
  everyMs: number
  limits: ShipperLimits
  /** The log grows to this size while segments cannot be stored; then a new generation begins. */
  logBytesMax?: number
  /** Between attempts to store, at least. */
  retryMs?: number
  now(): number
  log(line: string): void
}

export type ShippingStatus = {
  /** Everything that was committed until then is stored; null until the first snapshot is. */
  storedAt: string | null
  /** How long the oldest commit waits that may not be stored yet; since the start until the first snapshot is stored. */
  ageSeconds: number
  /** Why nothing can be stored at the moment. */
  lastError: string | null
}

const MIB = 1024 * 1024
const LOG_BYTES_MAX = 256 * MIB
/** So much is stored before its time, so that little is left to read when the log is restarted. */
const EARLY_BYTES = 8 * MIB
/** Writers wait for this answer. */
const ANSWER_TIMEOUT_MS = 2_000
const FINISH_TIMEOUT_MS = 10_000
const END_TIMEOUT_MS = 1_000
const RETRY_MS = 10_000

export type Shipping = LogShipping & { status(): ShippingStatus }

/** Ships the log of a database in a worker thread. It is started by the first timer, and timers run only after writes. */
export function createShipping(options: ShippingOptions): Shipping {
  const { path, store, everyMs, limits, logBytesMax = LOG_BYTES_MAX, retryMs = RETRY_MS, now, log } = options
  const answers = new Map<number, (answer: unknown) => void>()
  let resumed = takeResumed(path)
  let leftLog = keepLeftLog(path, now)
  let finished: Resumed | undefined
  let worker: Worker | undefined
  let asked = 0
  let timer: NodeJS.Timeout | undefined
  let askedAtBytes = 0
  /** Everything committed until then is stored. */
  let storedAt: number | undefined
  let lastCommitAt = now()
  let unstoredSince: number | undefined = lastCommitAt
  let lastError: string | undefined
  let isAbandoned = false

  function start(): Worker {
    if (worker) return worker
    const workerData: ShipWorkerData = { path, store, limits, resumed, leftLog }
    // What is not stored by this thread is lost if it ends: the next one begins a generation.
    resumed = leftLog = undefined
    const started = new Worker(OWN_FILES.walShipping, { workerData })
    started.on('message', receive)
    started.on('error', (error) => void end(started, String(error)))
    started.on('exit', () => void end(started, 'the thread has ended'))
    started.unref()
    return (worker = started)
  }

  function receive(reply: ShipReply) {
    if ('id' in reply) {
      answers.get(reply.id)?.(reply.answer)
      answers.delete(reply.id)
      return
    }
    const { at, error } = reply.status
    if (at !== undefined) {
      storedAt = Date.parse(at)
      unstoredSince = lastCommitAt < storedAt ? undefined : Math.max(unstoredSince ?? 0, storedAt)
      if (lastError !== undefined) log('point in time: the log of the database is copied again')
      lastError = undefined
    }
    if (error !== undefined) {
      if (lastError === undefined)
        log(`point in time: the log of the database cannot be copied; writes go on: ${error}`)
      lastError = error
      shipIn(Math.max(everyMs, retryMs))
    }
  }

  async function end(ended: Worker, reason?: string): Promise<void> {
    if (worker !== ended) return
    worker = undefined
    for (const answer of answers.values()) answer(undefined)
    answers.clear()
    if (reason !== undefined) receive({ status: { error: reason } })
    await Promise.race([ended.terminate(), sleep(END_TIMEOUT_MS, undefined, { ref: false })])
  }

  const send = (message: ShipMessage) => start().postMessage(message)

  /** Undefined if there is no answer in time. */
  function ask(message: (id: number) => ShipMessage, timeoutMs: number): Promise<unknown> {
    const id = ++asked
    return new Promise((resolve) => {
      const late = setTimeout(() => answers.get(id)?.(undefined), timeoutMs)
      answers.set(id, (answer) => {
        answers.delete(id)
        clearTimeout(late)
        resolve(answer)
      })
      send(message(id))
    })
  }

  function shipIn(ms: number) {
    timer ??= setTimeout(() => {
      timer = undefined
      if (!isAbandoned) send({ task: 'ship' })
    }, ms).unref()
  }

  const ageSeconds = () => (unstoredSince === undefined ? 0 : Math.max(0, now() - unstoredSince) / 1_000)

  // The first snapshot does not wait for a write.
  shipIn(everyMs)

  return {
    onCommit() {
      isAbandoned = false
      lastCommitAt = now()
      unstoredSince ??= lastCommitAt
      shipIn(everyMs)
    },

    onSize(logBytes) {
      if (logBytes < askedAtBytes) askedAtBytes = 0
      if (logBytes < askedAtBytes + EARLY_BYTES) return
      askedAtBytes = logBytes
      send({ task: 'ship' })
    },

    async mayRestart(logBytes) {
      const isForced = logBytes >= logBytesMax
      const answer = await ask((id) => ({ task: 'mayRestart', id, isForced }), ANSWER_TIMEOUT_MS)
      if (answer === undefined && isForced && worker) await end(worker, 'no answer of the thread')
      return answer === true || isForced
    },

    onRestart: () => send({ task: 'restarted' }),

    async abandon() {
      isAbandoned = true
      if (worker) await end(worker, 'the log of the database had to be opened again')
      resumed = leftLog = undefined
    },

    async finish() {
      clearTimeout(timer)
      if (worker === undefined && (resumed ?? leftLog) !== undefined) start()
      if (worker === undefined) return
      finished = (await ask((id) => ({ task: 'finish', id }), FINISH_TIMEOUT_MS)) as Resumed | undefined
      if (worker) await end(worker)
      clearTimeout(timer)
    },

    onClosed() {
      if (finished)
        writeFileSync(resumedPath(path), JSON.stringify({ ...finished, file: identityOf(path) }), {
          mode: 0o600,
        })
    },

    ageSeconds,

    status: () => ({
      storedAt: storedAt === undefined ? null : new Date(storedAt).toISOString(),
      ageSeconds: ageSeconds(),
      lastError: lastError ?? null,
    }),
  }
}

const KEEP_MS = 7 * DAY_MS

/** For the database of a data folder. */
export const shippingOptions = (
  { dataDir, backup, shipping }: Pick<Settings, 'dataDir' | 'backup' | 'shipping'>,
  log: (line: string) => void,
): ShippingOptions => ({
  path: join(dataDir, 'svc.sqlite'),
  store: { dataDir, backup },
  everyMs: shipping.everyMs,
  limits: {
    keepMs: KEEP_MS,
    snapshotEveryMs: DAY_MS,
    snapshotRetryMs: MINUTE_MS,
    bytesMax: shipping.bytesMax,
  },
  now: () => systemClock.now().getTime(),
  log,
})

const resumedPath = (path: string) => `${path}.shipped`

/** Changes whenever somebody writes to the file, or puts another one at its place. */
function identityOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/**
 * Where the last service stopped, if it stored everything and nobody changed the database since. It is read only once, so
 * that it never counts after a kill.
 */
function takeResumed(path: string): Resumed | undefined {
  const file = resumedPath(path)
  if (!existsSync(file)) return undefined
  try {
    const { file: identity, ...resumed } = JSON.parse(readFileSync(file, 'utf8')) as Resumed & {
      file: string
    }
    const isSame = existsSync(path) && identity === identityOf(path) && !existsSync(`${path}-wal`)
    return isSame ? resumed : undefined
  } catch {
    return undefined
  } finally {
    rmSync(file, { force: true })
  }
}
