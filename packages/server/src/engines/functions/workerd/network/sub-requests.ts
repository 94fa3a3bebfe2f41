import type { WorkInProgress } from '../limits/work.ts'

const WINDOW_MS = 10_000

/** How often a request may pass through functions: code that fetches its own URL would never end. */
const PASSES_MAX = 16
const PASSED = 'svc'

type Window = { endsAt: number; count: number }
type Session = Window & { loop: string | undefined }

export type SubRequestCounter = ReturnType<typeof createSubRequestCounter>

/**
 * Counts outgoing requests outside the sandbox, by the request that makes them. An open WebSocket may send as many as a request, in each
 * window. Those without a known request (events, code that avoids the wrapper) share the limits of all work in progress.
 */
export function createSubRequestCounter(work: WorkInProgress, subRequestsMax: number) {
  const sessions = new Map<string, Session>()
  const unmarked: Window = { endsAt: 0, count: 0 }
  const reason = `subrequest_limit_exceeded: this environment allows ${subRequestsMax} sub-requests per invocation.`

  function countIn(window: Window): number {
    const now = performance.now()
    if (now > window.endsAt) Object.assign(window, { endsAt: now + WINDOW_MS, count: 0 })
    return ++window.count
  }

  return {
    /** Undefined: the request may be sent. */
    count(requestId: string | undefined): string | undefined {
      const one = requestId === undefined ? undefined : work.get(requestId)
      if (one) return ++one.subRequests > subRequestsMax ? reason : undefined
      const session = requestId === undefined ? undefined : sessions.get(requestId)
      if (session) return countIn(session) > subRequestsMax ? reason : undefined
      return countIn(unmarked) > subRequestsMax * (work.size + 1) ? reason : undefined
    },

    /** The header `CDN-Loop` (RFC 8586) of an outgoing request; undefined if it has passed too often. `sent` is what the code has set. */
    loopOf(requestId: string | undefined, sent: string | undefined): string | undefined {
      const known = work.get(requestId ?? '') ?? sessions.get(requestId ?? '')
      return passedOnce((known ? known.loop : sent) ?? '')
    },

    /** A WebSocket is open until the function that is returned is called. */
    beginSession(requestId: string, loop: string | string[] | undefined): () => void {
      sessions.set(requestId, { endsAt: 0, count: 0, loop: loop?.toString() })
      return () => void sessions.delete(requestId)
    },
  }
}

/** The header `CDN-Loop` with one more pass; undefined if there are too many. */
export function passedOnce(before: string): string | undefined {
  const passes = before.split(',').filter((one) => one.trim() === PASSED).length
  if (passes >= PASSES_MAX) return undefined
  return before === '' ? PASSED : `${before}, ${PASSED}`
}
