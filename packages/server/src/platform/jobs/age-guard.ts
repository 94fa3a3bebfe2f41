import { type Clock, DAY_MS, HOUR_MS, millisecondsOf } from '../clock.ts'

/** Delays jobs that remove by age while the clock may be wrong. */
export type AgeGuard = ReturnType<typeof createAgeGuard>

/** `lastRunAt`: by the clock of that time. */
export type ClockLeap = { now: string; lastRunAt: string }

type Deps = {
  clock: Clock
  /** Called once when jobs begin to wait. */
  report(leap: ClockLeap): void
}

type GuardedJob = { name: string; everyMs: number }

/** By the elapsed time of the clock, `sinceMs`: when this process first knew of the last run, `waitsFromMs`: when it first was too long ago. */
type Known = { lastRunMs: number; sinceMs: number; laterMsMax: number; waitsFromMs?: number | undefined }

/**
 * A clock that is a year ahead for a second would remove everything that age removes. So such a job waits if the clock is over a day
 * later than at its last run and this process did not see that time pass. After an hour the clock counts as right: the service was off,
 * or the clock was wrong before. If another node has run the job meanwhile, by another clock, the hour begins again.
 */
export function createAgeGuard({ clock, report }: Deps) {
  const known = new Map<string, Known>()
  const startedMs = clock.elapsedMs()

  const isTooLate = ({ lastRunMs, sinceMs, laterMsMax }: Known) =>
    millisecondsOf(clock) - lastRunMs > laterMsMax + (clock.elapsedMs() - sinceMs)

  const leapTo = ({ lastRunMs }: Known): ClockLeap => ({
    now: clock.now().toISOString(),
    lastRunAt: new Date(lastRunMs).toISOString(),
  })

  /** What the first of the jobs waits for; undefined if none waits now. */
  function waiting(): ClockLeap | undefined {
    const job = known.values().find((one) => one.waitsFromMs !== undefined && isTooLate(one))
    return job && leapTo(job)
  }

  function note({ name, everyMs }: GuardedJob, lastRunMs: number, sinceMs = clock.elapsedMs()): Known {
    const before = known.get(name)
    if (before?.lastRunMs === lastRunMs) return before
    const job = { lastRunMs, sinceMs, laterMsMax: DAY_MS + everyMs }
    known.set(name, job)
    return job
  }

  return {
    waiting,

    /** The slot of a job that was claimed last, by any node. */
    note: (job: GuardedJob, lastRunMs: number): void => void note(job, lastRunMs),

    mayRun(guarded: GuardedJob, lastRunMs: number): boolean {
      const job = note(guarded, lastRunMs, known.has(guarded.name) ? clock.elapsedMs() : startedMs)
      if (!isTooLate(job) || clock.elapsedMs() - (job.waitsFromMs ?? Infinity) >= HOUR_MS) {
        job.waitsFromMs = undefined
        return true
      }
      if (!waiting()) report(leapTo(job))
      job.waitsFromMs ??= clock.elapsedMs()
      return false
    },
  }
}
