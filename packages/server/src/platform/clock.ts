/** Time is an argument everywhere: this is the only file that asks the machine what time it is. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** Without a Date to carry it: two of them are a fourteenth of what a message of a room costs. */
export const millisecondsOf = (clock: Clock): number =>
  clock === systemClock ? Date.now() : clock.now().getTime()

export type MovableClock = Clock & {
  advance(ms: number): void
  /** To this much in all, as counted by every node together; a smaller total than before changes nothing. */
  advanceTo(totalMs: number): void
  /** Runs whenever the clock was moved, so that what is due by then happens at once. */
  onAdvance(handler: () => void): void
}

/** The machine's time plus what `POST /v1/dev/clock` has added; only with SVC_TEST_CLOCK=on. */
export function createMovableClock(base: Clock = systemClock): MovableClock {
  let addedMs = 0
  let totalMs = 0
  const handlers: (() => void)[] = []
  function advance(ms: number) {
    addedMs += ms
    handlers.forEach((handler) => handler())
  }
  return {
    now: () => new Date(base.now().getTime() + addedMs),
    advance,
    advanceTo(newTotalMs) {
      if (newTotalMs <= totalMs) return
      const ms = newTotalMs - totalMs
      totalMs = newTotalMs
      advance(ms)
    },
    onAdvance: (handler) => void handlers.push(handler),
  }
}

/** A clock that stands still until it is moved: what tests run on. */
export const createStoppedClock = (startsAt = '2026-01-01T00:00:00.000Z'): MovableClock =>
  createMovableClock({ now: () => new Date(startsAt) })

/** Real time in milliseconds with fractions, whatever is done to the clock: for what happened before what, not for what time it is. */
export const wallMs = (): number => performance.timeOrigin + performance.now()

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Every `*At` field of the API (GEN-01). */
export function timestamp(clock: Clock, plusMs = 0): string {
  const ms = millisecondsOf(clock) + plusMs
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString() }
  return written.text
}

/** To write a time out costs as much as to look for the key of a request, and under load many need the same one. */
let written = { ms: Number.NaN, text: '' }
