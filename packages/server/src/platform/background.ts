import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from './api-error.ts'
import type { Random } from './random.ts'

/** Work that outlives the request that started it. */
export type Background = {
  /** Runs work that the caller does not wait for; a failure is logged, never thrown. */
  run(work: () => Promise<unknown>): void
  /**
   * Runs work at a random moment, so that response times reveal nothing about it. While too many are in flight, it resolves only
   * when one has ended, so that their number is bounded.
   */
  runLater(work: () => Promise<unknown>): Promise<void>
  /**
   * Aborted when the service begins to stop. Work of many steps calls `stopping.throwIfAborted()` between them, where the database
   * contains what is left to do; the next start continues it.
   */
  readonly stopping: AbortSignal
  /** Aborts `stopping`. */
  stop(): void
  /** Resolves when all work started so far has ended. */
  drained(): Promise<void>
}

const LATER_MS = 100
const IN_FLIGHT_MAX = 100

/** `onFailure` gets every error of the work, except that of work that ended because the service stops. */
export function createBackground(onFailure: (error: unknown) => void, random: Random): Background {
  const running = new Set<Promise<unknown>>()
  const stop = new AbortController()

  function run(work: () => Promise<unknown>) {
    // Also what throws before its first `await`.
    const task = (async () => work())()
      .catch((error: unknown) => {
        if (!stop.signal.aborted || error !== stop.signal.reason) onFailure(error)
      })
      .finally(() => running.delete(task))
    running.add(task)
  }

  return {
    run,
    async runLater(work) {
      while (running.size >= IN_FLIGHT_MAX) await Promise.race(running)
      run(async () => {
        await pause((random.bytes(2).readUInt16BE() / 0xffff) * LATER_MS)
        await work()
      })
    },
    stopping: stop.signal,
    stop: () => stop.abort(),
    async drained() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

type Log = Record<'debug' | 'error', (about: object, message: string) => void>

/** What the work was about may be gone by now, such as a link of a deleted player: that is no failure of the service. */
export const logFailures =
  (log: Log) =>
  (error: unknown): void => {
    if (error instanceof ApiError && error.status < 500)
      log.debug({ err: error }, 'background work was refused')
    else log.error({ err: error }, 'background work failed')
  }
