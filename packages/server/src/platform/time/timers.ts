import type { Clock, MovableClock } from '../clock.ts'

/** A timer that has not run yet. */
export type Timer = {
  /** No effect if it has already run. */
  cancel(): void
}

/**
 * Timers of the injected clock, by the time that has passed: setting the time of day neither delays them nor makes them due. When a test
 * lets time pass, those that are due run immediately, in order.
 */
export type Timers = {
  /** Runs `work` once, after `ms`. */
  after(ms: number, work: () => void): Timer
  /** Runs `work` every `ms`, until it is cancelled. */
  every(ms: number, work: () => void): Timer
  /** Cancels all timers. */
  stop(): void
}

type Waiting = { dueMs: number; work: () => void; handle?: NodeJS.Timeout }

/** Minimum interval between two checks of a clock that does not move. */
const LOOK_AGAIN_MS = 50
const NODE_TIMER_MAX_MS = 2_147_483_647

/** Timers of this clock. */
export function createTimers(clock: Clock | MovableClock): Timers {
  const waiting = new Set<Waiting>()
  if ('onAdvance' in clock) clock.onAdvance(runDue)

  function arm(timer: Waiting, leastMs = 0) {
    const ms = Math.min(NODE_TIMER_MAX_MS, Math.max(leastMs, timer.dueMs - clock.elapsedMs()))
    const armedMs = clock.elapsedMs()
    timer.handle = setTimeout(() => {
      if (timer.dueMs <= clock.elapsedMs()) return run(timer)
      // Timers of Node can be a millisecond early: only a clock that stands still is looked at rarely.
      arm(timer, clock.elapsedMs() > armedMs ? 1 : LOOK_AGAIN_MS)
    }, ms)
    timer.handle.unref()
  }

  function run(timer: Waiting) {
    if (!waiting.delete(timer)) return
    clearTimeout(timer.handle)
    timer.work()
  }

  /** One at a time, because a timer may cancel others or add some that are due. */
  function runDue() {
    for (;;) {
      const nowMs = clock.elapsedMs()
      const next = [...waiting].filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs)[0]
      if (!next) return
      run(next)
    }
  }

  function after(ms: number, work: () => void): Timer {
    const timer: Waiting = { dueMs: clock.elapsedMs() + ms, work }
    waiting.add(timer)
    arm(timer)
    return { cancel: () => void (waiting.delete(timer) && clearTimeout(timer.handle)) }
  }

  function every(ms: number, work: () => void): Timer {
    let current: Timer
    const again = () => {
      current = after(ms, again)
      work()
    }
    current = after(ms, again)
    return { cancel: () => current.cancel() }
  }

  function stop() {
    waiting.forEach(({ handle }) => clearTimeout(handle))
    waiting.clear()
  }

  return { after, every, stop }
}
