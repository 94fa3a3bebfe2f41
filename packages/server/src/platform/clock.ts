/** Time is an argument everywhere: this is the only file that reads the machine’s clocks. */
export type Clock = WallClock & {
  /**
   * Milliseconds since some moment, for durations and time-outs: setting the machine's time changes nothing. Whole numbers, so that sums
   * and differences are exact. Each process has its own: never store or send them.
   */
  elapsedMs(): number
}

/** The time of day, for dates. It can be set back or forward at any moment, so it measures no duration. */
export type WallClock = {
  /** The current time. */
  now(): Date
}

/** The machine’s clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => Math.floor(performance.now()),
}

/** Avoids creating a Date: two Dates take about 7 % of the time of a room message. */
export const millisecondsOf = (clock: WallClock): number =>
  clock === systemClock ? Date.now() : clock.now().getTime()

/** A clock that tests move forward. */
export type MovableClock = Clock & {
  /** Lets `ms` pass. */
  advance(ms: number): void
  /** Sets the time of day forward, or back if `ms` is negative, as NTP or the resume of a machine does. No time passes. */
  step(ms: number): void
  /** Sets the total advance, which all nodes share; a smaller total than the current one has no effect. */
  advanceTo(totalMs: number): void
  /** Runs whenever the clock was advanced, so that timers that are due run immediately. */
  onAdvance(handler: () => void): void
}

/** The machine's time plus what `POST /v1/dev/clock` has added; only with SVC_TEST_CLOCK=on. */
export function createMovableClock(base: Clock = systemClock): MovableClock {
  let addedMs = 0
  let steppedMs = 0
  let totalMs = 0
  const handlers: (() => void)[] = []
  function advance(ms: number) {
    if (ms < 0) throw new RangeError('time does not run backwards: use step')
    addedMs += ms
    handlers.forEach((handler) => handler())
  }
  return {
    now: () => new Date(base.now().getTime() + addedMs + steppedMs),
    elapsedMs: () => base.elapsedMs() + addedMs,
    advance,
    step: (ms) => void (steppedMs += ms),
    advanceTo(newTotalMs) {
      if (newTotalMs <= totalMs) return
      const ms = newTotalMs - totalMs
      totalMs = newTotalMs
      advance(ms)
    },
    onAdvance: (handler) => void handlers.push(handler),
  }
}

/** A clock that does not move by itself, for tests. */
export const createStoppedClock = (startsAt = '2026-01-01T00:00:00.000Z'): MovableClock =>
  createMovableClock({ now: () => new Date(startsAt), elapsedMs: () => 0 })

/** Milliseconds that never go back, even if the system clock is corrected. */
export type Monotonic = () => number

/** Since the start of the process: for durations and time-outs. */
export const monotonicMs: Monotonic = () => performance.now()

/** Unix time in ms, with fractions, derived from the monotonic clock: for ordering events, not for showing the time. */
export const epochMs = (): number => performance.timeOrigin + performance.now()

/** Milliseconds of a second. */
export const SECOND_MS = 1_000
/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000
/** Milliseconds of an hour. */
export const HOUR_MS = 3_600_000
/** Milliseconds of 24 hours. A day of a time zone may be shorter or longer. */
export const DAY_MS = 86_400_000

/** The day in UTC, as in `2026-01-31`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The format of every `*At` field of the API (GEN-01). */
export const timestamp = (clock: WallClock, plusMs = 0): string =>
  (plusMs === 0 ? nowText : laterText)(millisecondsOf(clock) + plusMs)

const [nowText, laterText] = [formatter(), formatter()]

/**
 * Keeps the last formatted time. Formatting takes as long as looking up the key of a request, and under load many requests need the same
 * times: now, and when something expires.
 */
function formatter() {
  let [lastMs, text] = [Number.NaN, '']
  return (ms: number): string => {
    if (ms !== lastMs) [lastMs, text] = [ms, new Date(ms).toISOString()]
    return text
  }
}
