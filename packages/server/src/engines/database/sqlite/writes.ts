import { setTimeout as sleep } from 'node:timers/promises'

import { monotonicMs } from '../../../platform/clock.ts'
import { currentEnvironmentId } from '../../../platform/current-environment.ts'
import { Durations } from '../../../platform/metrics/metrics.ts'
import { Turns } from '../turns.ts'
import { commitBatch, type Job } from './batch.ts'
import { isBusy, isSyncError, unavailable } from './connection.ts'
import type { SqliteFile } from './file.ts'

/** A larger batch would delay reads, which share the thread. */
const BATCH_MAX = 64
/** During a sync, smaller batches wait for its end: their writers would have to wait anyway. */
const EARLY_BATCH_MIN = 32
const QUEUE_MAX = 20_000
const RESUME_RETRY_MS = 1_000
const EMPTY_RETRY_MS = 2_000

/**
 * The queue of all writes, in turn by environment. In `group` mode, waiting writes are committed together without a sync, and resolve
 * together after a sync that began after their commit. The sync runs in the thread pool, so the event loop is not blocked.
 */
export function createWrites(file: SqliteFile, onCommit: () => void) {
  const closing = new AbortController()
  const batchMax = file.syncMode === 'each' ? 1 : BATCH_MAX
  const queue = new Turns<Job>(QUEUE_MAX)
  const waits = new Durations('svc_lock_wait_seconds')
  /** Not yet covered by a sync that began after their commit. */
  let committed: Job[] = []
  let working = false
  let syncing = false
  /** Set by a failed sync: writes are rejected until the file has been reopened. */
  let failure: Error | undefined
  let onIdle: (() => void) | undefined
  /** Runs from the first commit after the log was emptied until it has to be emptied again. */
  let emptyTimer: NodeJS.Timeout | undefined
  let emptyingIsDue = false

  /** Starts at the end of the tick, so that all writes of the tick share a commit. */
  function next() {
    const isBatchReady = queue.size >= (syncing ? EARLY_BATCH_MIN : 1)
    working = failure ? !closing.signal.aborted : emptyingIsDue || isBatchReady
    if (working) setImmediate(() => void work())
    else if (!syncing && queue.size === 0) onIdle?.()
  }

  async function work() {
    if (failure) await recover()
    else await commit()
    next()
  }

  async function commit() {
    try {
      if (emptyingIsDue) await emptyLog()
      else await file.checkpointIfNeeded()
    } catch (error) {
      return fail(error)
    }

    const jobs = nextBatch()
    if (jobs.length === 0) return
    const nowMs = monotonicMs()
    for (const { queuedAtMs } of jobs) waits.add(nowMs - queuedAtMs)
    try {
      committed.push(...(await commitBatch(file.writer, jobs)))
      emptyLogIn(file.keepMs)
      file.onCommit()
      onCommit()
      sync()
    } catch (error) {
      refuse(jobs, error)
      // If the file is locked, reject the whole queue: each job would wait for the same timeout.
      if (isBusy(error)) refuse(queue.takeAll(), error)
      // If SQLite's own sync failed, the file must be reopened, too.
      if (file.writer.native.isTransaction || isSyncError(error)) fail(error)
    }
  }

  function nextBatch(): Job[] {
    const jobs: Job[] = []
    while (jobs.length < batchMax) {
      const job = queue.take()
      if (!job) break
      jobs.push(job)
    }
    return jobs
  }

  function emptyLogIn(ms: number) {
    emptyTimer ??= setTimeout(() => {
      emptyTimer = undefined
      emptyingIsDue = true
      if (!working) next()
    }, ms).unref()
  }

  async function emptyLog() {
    emptyingIsDue = false
    if (!(await file.emptyLog())) emptyLogIn(EMPTY_RETRY_MS)
  }

  function sync() {
    if (failure) return refuse(committed.splice(0), failure)
    if (syncing || committed.length === 0) return

    syncing = true
    const covered = committed
    committed = []
    file.sync((error) => {
      syncing = false
      if (error) {
        refuse(covered, error)
        fail(error)
      } else {
        for (const job of covered) job.resolve(job.result)
      }
      sync()
      if (!working) next()
    })
  }

  function fail(error: unknown) {
    failure = error instanceof Error ? error : new Error(String(error))
    refuse(committed.splice(0), error)
    refuse(queue.takeAll(), error)
  }

  async function recover() {
    try {
      await file.abandon()
      await file.resume()
      failure = undefined
    } catch {
      await sleep(RESUME_RETRY_MS, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  return {
    get failure() {
      return failure
    },
    waits,

    write: <T>(task: Job['task']): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (failure || closing.signal.aborted) return reject(unavailable(failure))
        const refused = queue.add({
          environmentId: currentEnvironmentId(),
          task,
          result: undefined,
          queuedAtMs: monotonicMs(),
          resolve: resolve as Job['resolve'],
          reject,
        })
        refused?.reject(unavailable(undefined))
        if (!working) next()
      }),

    /** Rejects new writes, and resolves when the accepted ones are done. */
    async close(): Promise<void> {
      closing.abort()
      clearTimeout(emptyTimer)
      if (!working && !syncing && queue.size === 0) return
      await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}

function refuse(jobs: readonly Job[], error: unknown) {
  for (const job of jobs) job.reject(unavailable(error))
}
