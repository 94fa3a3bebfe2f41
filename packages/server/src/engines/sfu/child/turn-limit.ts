/** Later than this a packet is of no use to a listener. */
const TURN_MAX_MS = 500

/**
 * The engine delivers all packets that wait in one turn of the event loop. Without a limit, a process that gets too little CPU time
 * would forward old packets for seconds, and would neither read commands nor report.
 */
export class TurnLimit {
  #startedAtMs: number | undefined

  /** False: packets have been forwarded for too long in this turn. */
  admits(nowMs: number): boolean {
    if (this.#startedAtMs === undefined) {
      this.#startedAtMs = nowMs
      setImmediate(() => (this.#startedAtMs = undefined))
    }
    return nowMs - this.#startedAtMs <= TURN_MAX_MS
  }
}
