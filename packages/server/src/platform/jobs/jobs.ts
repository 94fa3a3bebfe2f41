import type { Background } from '../background.ts'
import { type Clock, HOUR_MS, millisecondsOf, MINUTE_MS, SECOND_MS } from '../clock.ts'
import { Counts } from '../metrics/metrics.ts'
import type { AgeGuard } from './age-guard.ts'
import { untilRecorded } from './retry.ts'
import { runSequentially } from './run-sequentially.ts'

/**
 * Work that one node does for the whole service, in every slot of `everyMs`: slots begin at multiples of it by the service's clock.
 *
 * A slot is completed at most once. A run that fails is repeated with back-off, on any node; a run whose node dies is repeated when
 * its claim expires. So `run` must be safe to repeat after a part of it was done. Slots that passed while no node was running, or
 * that the clock was moved over, are skipped.
 *
 * `stopping` is aborted when the service stops. A long job calls `stopping.throwIfAborted()` between its steps; its slot is then free
 * immediately, for another node or the next start.
 */
export type Job = {
  /** Unique, and stored: `<module>.<what it does>`. */
  name: string
  everyMs: number
  /** It removes what is old by the clock, so it waits while the clock may be wrong (`age-guard.ts`). */
  removesByAge?: boolean
  run(slotAtMs: number, stopping: AbortSignal): Promise<unknown>
}

/** A job of several steps, once an hour; a step that fails does not stop the others. */
export const hourly = (name: string, ...steps: ((stopping: AbortSignal) => Promise<unknown>)[]): Job => ({
  name,
  everyMs: HOUR_MS,
  run: (_, stopping) =>
    runSequentially(
      steps.map((step) => async () => {
        stopping.throwIfAborted()
        await step(stopping)
      }),
    ),
})

/** An hourly job whose steps remove what is old. */
export const hourlyRemoval = (...job: Parameters<typeof hourly>): Job => ({
  ...hourly(...job),
  removesByAge: true,
})

/** One attempt at one slot; identifies the claim. */
export type JobRun = { name: string; slotAtMs: number; attempts: number }

/** Which node runs which job, in the database. */
export type JobStore = {
  /** Real time, the same on all nodes: claims must not depend on a service clock that tests move. */
  nowMs(): number
  /** Claims the slot until `untilMs` unless it is done, claimed or postponed; returns the number of this attempt, from 1. */
  claim(name: string, slotAtMs: number, nowMs: number, untilMs: number): Promise<number | undefined>
  find(name: string): Promise<{ slotAtMs: number; isDone: boolean; notBeforeMs: number } | undefined>
  /** Removes the row that `find` returned, unless it was changed since. Returns whether it was removed. */
  discard(name: string, row: { slotAtMs: number; notBeforeMs: number }): Promise<boolean>
  /** Extends the claim of a run that has not ended. */
  extend(run: JobRun, untilMs: number): Promise<unknown>
  /** Ends the slot. No effect if another node has claimed it since. */
  complete(run: JobRun, lastError: string | null): Promise<unknown>
  /** The slot may be claimed again from `notBeforeMs`. No effect if another node has claimed it since. */
  postpone(run: JobRun, notBeforeMs: number, lastError: string): Promise<unknown>
}

/** `report` is called for every failed attempt; with `givenUp`, the slot is not tried again. */
export type JobDeps = {
  store: JobStore
  clock: Clock
  ageGuard: Pick<AgeGuard, 'mayRun' | 'note'>
  background: Pick<Background, 'run' | 'stopping'>
  report(failure: { job: string; attempts: number; givenUp: boolean; err: unknown }): void
  /** The clock was ahead once: what is stored for this job lies in the future and was discarded. */
  reportClock(discarded: { job: string; slotAt: string }): void
}

/** A claim is extended three times in this time, so another node takes over at the latest this long after a crash. */
export const CLAIM_MS = MINUTE_MS
/** The pauses between attempts at one slot; after the last one the slot is given up. */
export const RETRY_AFTER_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS]

/** No pause is longer; a later time was written by a clock that was ahead. */
const NOT_BEFORE_MS_MAX = HOUR_MS
/** The clocks of nodes may differ this much, and by the period of the job. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS

/** How often a job that waits because of the clock asks when it was run last, by any node. */
const LOOK_AGAIN_MS = MINUTE_MS

/** The scheduled work of a service, as one node runs it. */
export type Jobs = ReturnType<typeof createJobs>

/** Runs every job on one node per slot. Call `startDue` once a second on every node. */
export function createJobs(jobs: readonly Job[], deps: JobDeps) {
  const { store, clock, ageGuard, background, report, reportClock } = deps
  const running = new Set<string>()
  const givenUpRuns = new Counts(
    'svc_jobs_given_up_total',
    'name',
    jobs.map(({ name }) => name),
  )
  /** Per job: no need to ask the database about slots up to `doneSlotMs`, or before `notBeforeMs`. */
  const known = new Map<string, { doneSlotMs: number; notBeforeMs: number }>()

  const slotOf = ({ everyMs }: Job) => Math.floor(millisecondsOf(clock) / everyMs) * everyMs

  async function attempt(job: Job): Promise<void> {
    const { name } = job
    const slotAtMs = slotOf(job)
    const nowMs = store.nowMs()
    const isAhead = (row: { slotAtMs: number; notBeforeMs: number }) =>
      row.slotAtMs > slotAtMs + Math.max(job.everyMs, CLOCKS_DIFFER_MS) ||
      row.notBeforeMs > nowMs + NOT_BEFORE_MS_MAX
    const { doneSlotMs = -1, notBeforeMs = 0 } = known.get(name) ?? {}
    const isWaiting = slotAtMs <= doneSlotMs || nowMs < notBeforeMs
    if (running.has(name) || (isWaiting && !isAhead({ slotAtMs: doneSlotMs, notBeforeMs }))) return

    running.add(name)
    try {
      if (job.removesByAge && !(await mayRemove(job))) {
        known.set(name, { doneSlotMs: -1, notBeforeMs: nowMs + LOOK_AGAIN_MS })
        return
      }
      const attempts = await store.claim(name, slotAtMs, nowMs, nowMs + CLAIM_MS)
      if (attempts !== undefined) await run(job, { name, slotAtMs, attempts })
      const row = await store.find(name)
      if (!row) return
      if (job.removesByAge) ageGuard.note(job, row.slotAtMs)
      known.set(name, { doneSlotMs: row.isDone ? row.slotAtMs : -1, notBeforeMs: row.notBeforeMs })
      const isClaimed = row.notBeforeMs > nowMs && row.notBeforeMs <= nowMs + NOT_BEFORE_MS_MAX
      if (!isAhead(row) || isClaimed || !(await store.discard(name, row))) return
      known.delete(name)
      reportClock({ job: name, slotAt: new Date(row.slotAtMs).toISOString() })
    } finally {
      running.delete(name)
    }
  }

  async function mayRemove(job: Job): Promise<boolean> {
    const row = await store.find(job.name)
    return !row || ageGuard.mayRun(job, row.slotAtMs)
  }

  async function run(job: Job, claimed: JobRun): Promise<void> {
    const { name, attempts, slotAtMs } = claimed
    const extend = () =>
      store.extend(claimed, store.nowMs() + CLAIM_MS).catch((err: unknown) => {
        report({ job: name, attempts, givenUp: false, err })
      })
    const extending = setInterval(() => void extend(), CLAIM_MS / 3).unref()
    try {
      await job.run(slotAtMs, background.stopping)
    } catch (error) {
      if (background.stopping.aborted) {
        await store.postpone(claimed, store.nowMs(), 'The service stopped while the job ran.')
        return
      }
      const retryAfterMs = RETRY_AFTER_MS[attempts - 1]
      const givenUp = retryAfterMs === undefined
      if (givenUp) givenUpRuns.add(name)
      report({ job: name, attempts, givenUp, err: error })
      const reason = error instanceof Error ? error.message : String(error)
      await untilRecorded(() =>
        givenUp
          ? store.complete(claimed, reason)
          : store.postpone(claimed, store.nowMs() + retryAfterMs, reason),
      )
      return
    } finally {
      clearInterval(extending)
    }
    await untilRecorded(() => store.complete(claimed, null))
  }

  return {
    metric: givenUpRuns,

    /** Starts the jobs whose slot no node has claimed yet; does not wait for them. */
    startDue(): void {
      for (const job of jobs) background.run(() => attempt(job))
    },

    /** Like `startDue`, and waits until the jobs that this node runs have ended. */
    runDue: () => runSequentially(jobs.map((job) => () => attempt(job))),

    /** Runs the jobs of this period now, whether their slot is done or not: for tests. */
    runNow: (everyMs: number) =>
      runSequentially(
        jobs
          .filter((job) => job.everyMs === everyMs)
          .map((job) => async () => job.run(slotOf(job), background.stopping)),
      ),
  }
}
