import type { WorkInProgress } from './work.ts'

const WINDOW_MS = 10_000

/**
 * Counts outgoing requests outside the sandbox, by the request that makes them. Those without a known one (events, work after the
 * answer, code that avoids the wrapper) share the limits of all work in progress.
 */
export function createSubRequestCounter(work: WorkInProgress, subRequestsMax: number) {
  let windowEndsAt = 0
  let unmarked = 0
  const reason = `subrequest_limit_exceeded: this environment allows ${subRequestsMax} sub-requests per invocation.`

  return (requestId: string | undefined): string | undefined => {
    const one = requestId === undefined ? undefined : work.get(requestId)
    if (one) return ++one.subRequests > subRequestsMax ? reason : undefined

    const now = performance.now()
    if (now > windowEndsAt) [windowEndsAt, unmarked] = [now + WINDOW_MS, 0]
    return ++unmarked > subRequestsMax * (work.size + 1) ? reason : undefined
  }
}
