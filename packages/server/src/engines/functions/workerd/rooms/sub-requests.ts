import { LIMITS } from '@svc/contract/common/limits'

import { MINUTE_MS } from '../../../../platform/clock.ts'
import { passedOnce } from '../network/sub-requests.ts'

/** As often as an open WebSocket of functions may: its limit is for 10 s. */
const PER_MINUTE_FACTOR = 6

type Window = { endsAt: number; count: number }

/**
 * Counts outgoing requests outside the sandbox, by room and minute. Code that avoids the wrapper can name any room, so there are as many
 * windows as a process may have rooms; all others share one.
 */
export function createRoomSubRequests(subRequestsMax: number) {
  const perMinuteMax = subRequestsMax * PER_MINUTE_FACTOR
  const windows = new Map<string, Window>()
  const shared: Window = { endsAt: 0, count: 0 }
  const reason = `subrequest_limit_exceeded: this environment allows ${perMinuteMax} sub-requests per room and minute.`

  function windowOf(roomId: string | undefined, now: number): Window {
    if (roomId === undefined) return shared
    const known = windows.get(roomId)
    if (known) return known
    if (windows.size >= LIMITS.roomsPerProcessMax)
      for (const [id, { endsAt }] of windows) if (endsAt <= now) windows.delete(id)
    if (windows.size >= LIMITS.roomsPerProcessMax) return shared
    const window = { endsAt: 0, count: 0 }
    windows.set(roomId, window)
    return window
  }

  return {
    /** Undefined: the request may be sent. */
    count(roomId: string | undefined): string | undefined {
      const now = performance.now()
      const window = windowOf(roomId, now)
      if (now > window.endsAt) [window.endsAt, window.count] = [now + MINUTE_MS, 0]
      return ++window.count > perMinuteMax ? reason : undefined
    },
    /** The header `CDN-Loop` of an outgoing request; undefined if it has passed too often. `sent` is what the code has set. */
    loopOf: (_roomId: string | undefined, sent: string | undefined) => passedOnce(sent ?? ''),
  }
}
