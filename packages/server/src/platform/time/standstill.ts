import { SECOND_MS, type Monotonic, monotonicMs } from '../clock.ts'
import { lazy } from '../memory/lazy.ts'

/** Knows when this process was paused, and so when data may really have arrived. */
export type Standstill = ReturnType<typeof createStandstill>

const TICK_MS = 10
/**
 * The interval if it was not called recently: an idle process wakes up 20 times per second for this, and still notices every
 * pause of 100 ms.
 */
const IDLE_TICK_MS = 50
const CALLED_RECENTLY_MS = 30 * SECOND_MS
/** As long as a refresh token rotation is delayed anyway: a shorter pause does no harm. */
const LATE_MS = 50
/**
 * After a pause each turn of the event loop accepts one connection, and the next turn reads its data. So all data has been read a
 * few turns after the first turn that accepted no connection, or after as many turns as connections can have waited.
 */
const TURNS_WITHOUT_CONNECTION = 3
const CONNECTIONS_WAITING_MAX = 511
const PAUSES_REMEMBERED_MAX = 16

/** Data that is read from `fromMs` to `untilMs` may have arrived at `fromMs`. */
type Pause = { beganMs: number; fromMs: number; untilMs: number }
type Progress = { turns: number; quietTurns: number; connections: number }

/** How the process waits: replaced by tests. */
type Waiting = { after(ms: number, work: () => void): void; nextTurn(work: () => void): void }

const unreferenced: Waiting = {
  after: (ms, work) => void setTimeout(work, ms).unref(),
  nextTurn: (work) => void setImmediate(work),
}

/**
 * Detects pauses of this process: stopped, not scheduled, or blocked by one task. A timer that fires late reveals a pause. Data
 * that is read right after a pause may have arrived at any time during it, and counts as arrived at its beginning.
 */
export function createStandstill(now: Monotonic = monotonicMs, { after, nextTurn } = unreferenced) {
  /** When the process was last seen to run, and when the next tick is due. */
  let [seenMs, dueMs] = [now(), now()]
  let calledMs = -Infinity
  /** The latest pauses, newest first: the arrival of a request that was read after one pause may be needed after the next. */
  const pauses: Pause[] = []
  let caughtUp: PromiseWithResolvers<void> | undefined
  let connections = 0

  function noteRunning(): void {
    const nowMs = now()
    if (nowMs - Math.max(seenMs, dueMs) > LATE_MS) {
      // A second pause before all data of the first was read: data that is read now may have arrived during the first.
      const [before] = pauses
      const fromMs = caughtUp && before ? before.beganMs : seenMs
      const pause = { beganMs: seenMs, fromMs, untilMs: Infinity }
      pauses.unshift(pause)
      pauses.length = Math.min(pauses.length, PAUSES_REMEMBERED_MAX)
      caughtUp ??= Promise.withResolvers()
      catchUp(pause, { turns: 0, quietTurns: 0, connections })
    }
    seenMs = nowMs
  }

  function catchUp(pause: Pause, { turns, quietTurns, connections: before }: Progress): void {
    if (pauses[0] !== pause) return
    if (quietTurns < TURNS_WITHOUT_CONNECTION && turns < CONNECTIONS_WAITING_MAX + TURNS_WITHOUT_CONNECTION)
      return nextTurn(() => {
        const quiet = connections === before ? quietTurns + 1 : 0
        catchUp(pause, { turns: turns + 1, quietTurns: quiet, connections })
      })
    noteRunning()
    if (pauses[0] !== pause) return
    for (const each of pauses) each.untilMs = Math.min(each.untilMs, seenMs)
    caughtUp?.resolve()
    caughtUp = undefined
  }

  function tick() {
    noteRunning()
    const tickMs = seenMs - calledMs < CALLED_RECENTLY_MS ? TICK_MS : IDLE_TICK_MS
    dueMs = now() + tickMs
    after(tickMs, tick)
  }

  tick()
  return {
    /** Notes that the process runs now: a pause that is noticed later began after this. */
    noteRunning,

    /** A connection was accepted. */
    accepted: () => void connections++,

    /** How long ago data that was read `readMsAgo` may have arrived. */
    arrivedMsAgo(readMsAgo: number): number {
      noteRunning()
      calledMs = seenMs
      const readMs = seenMs - readMsAgo
      const pause = pauses.find(({ fromMs, untilMs }) => fromMs <= readMs && readMs < untilMs)
      return pause ? seenMs - pause.fromMs : readMsAgo
    },

    /** Resolves when all data that arrived before this call has been read, if the process was paused. */
    async caughtUp(): Promise<void> {
      noteRunning()
      await caughtUp?.promise
    },

    /** Resolves when the connections that were opened before this call have been accepted: after some turns without one. */
    async allAccepted(): Promise<void> {
      for (let turns = 0, quietTurns = 0; turns < CONNECTIONS_WAITING_MAX; turns++) {
        const before = connections
        await new Promise<void>(nextTurn)
        quietTurns = connections === before ? quietTurns + 1 : 0
        if (quietTurns === TURNS_WITHOUT_CONNECTION) return
      }
    },
  }
}

/** A process has one event loop. */
export const standstillOfProcess = lazy(() => createStandstill())
