import { setTimeout as sleep } from 'node:timers/promises'

import { commitBatch, type Job } from './sqlite-batch.ts'
import { isBusy, isIoError, unavailable } from './sqlite-connection.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** More in one commit would keep the reads waiting: they share the thread. */
const BATCH_MAX = 64
/** While the disk is busy a smaller batch waits for it, as its writers would have to anyway. */
const EARLY_BATCH_MIN = 32
const QUEUE_MAX = 20_000
const RESUME_RETRY_MS = 1_000
const EMPTY_RETRY_MS = 2_000

/**
 * Every write goes through here. Those that wait are committed together, without a sync, and then answered together, by a sync of
 * the log that began after their commit. The disk works in the thread pool; the event loop goes on.
 */
export function createWrites(file: SqliteFile, onCommit: () => void) {
  const closing = new AbortController()
  const batchMax = file.syncMode === 'each' ? 1 : BATCH_MAX
  const queue: Job[] = []
  /** Not yet covered by a sync that began after their commit. */
  let committed: Job[] = []
  let working = false
  let syncing = false
  /** Set by a failed sync: no write is taken until the file has been reopened. */
  let failure: Error | undefined
  let onIdle: (() => void) | undefined
  /** Runs from the first commit after the log was emptied until it has to be emptied again. */
  let emptyTimer: NodeJS.Timeout | undefined
  let emptyingIsDue = false

  /** Waits for the end of the event loop's turn, so that all that arrive in it share a commit. */
  function next() {
    const isBatchReady = queue.length >= (syncing ? EARLY_BATCH_MIN : 1)
    working = failure ? !closing.signal.aborted : emptyingIsDue || isBatchReady
    if (working) setImmediate(() => void work())
    else if (!syncing && queue.length === 0) onIdle?.()
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

    const jobs = queue.splice(0, batchMax)
    if (jobs.length === 0) return
    try {
      committed.push(...(await commitBatch(file.writer, jobs)))
      emptyLogIn(file.keepMs)
      onCommit()
      sync()
    } catch (error) {
      refuse(jobs, error)
      // The others would each wait as long again.
      if (isBusy(error)) refuse(queue.splice(0), error)
      // After a failed sync of its own commit, too, SQLite must read the file again.
      if (file.writer.native.isTransaction || isIoError(error)) fail(error)
    }
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
    refuse(queue.splice(0), error)
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

    write: <T>(task: Job['task']): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const isFull = queue.length >= QUEUE_MAX
        if (failure || isFull || closing.signal.aborted) return reject(unavailable(failure))
        queue.push({ task, result: undefined, resolve: resolve as Job['resolve'], reject })
        if (!working) next()
      }),

    /** Takes no more and ends when those that were taken are answered. */
    async close(): Promise<void> {
      closing.abort()
      clearTimeout(emptyTimer)
      if (!working && !syncing && queue.length === 0) return
      await new Promise<void>((resolve) => (onIdle = resolve))
    },
  }
}

function refuse(jobs: readonly Job[], error: unknown) {
  for (const job of jobs) job.reject(unavailable(error))
}
