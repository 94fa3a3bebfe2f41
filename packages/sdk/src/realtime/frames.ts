import type { EventOf, ServerEvent } from '@svc/contract/common/frame'
import type * as realtime from '@svc/contract/realtime/realtime'

/** A frame of the service, with its type in `t`. */
export type Received<E extends ServerEvent> = { t: E['t'] } & EventOf<E>

/** The first frame of the service on an authenticated connection. */
export type Welcome = Received<typeof realtime.welcome>
/** The error of a request without `rid`. */
export type Warning = Received<typeof realtime.warn>
/** The reply to a request with the same `rid`. */
export type Reply = Received<typeof realtime.reply>

/** Any frame of the socket; its other fields depend on `t`. */
export type AnyFrame = { t: string }

/** WSK-04: close codes of the service. */
export const CLOSED = {
  unauthorized: 4001,
  tokenExpired: 4002,
  forbidden: 4003,
  replaced: 4004,
  rateLimitAbuse: 4029,
} as const satisfies Partial<typeof realtime.CLOSE_CODES>
