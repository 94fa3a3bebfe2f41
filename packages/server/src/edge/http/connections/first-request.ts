import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { monotonicMs, SECOND_MS } from '../../../platform/clock.ts'

/** A connection that was open longer before its first request says nothing about when the client sent that request. */
const OPENING_MS_MAX = SECOND_MS

/** On the socket itself: an entry of a WeakMap costs 25 µs of CPU time for a connection that lives as long as a request. */
const ACCEPTED_AT = Symbol('acceptedAt')
type Accepted = Socket & { [ACCEPTED_AT]?: number | undefined }

/**
 * Returns a function that says when a request began that was read at `readAt`, by the monotonic clock: for the first request of a
 * fresh connection when the connection was accepted, for every other one `readAt` (SES-12).
 */
export function watchFirstRequests(server: Server): (socket: Socket, readAt: number) => number {
  server.on('connection', (socket: Accepted) => void (socket[ACCEPTED_AT] = monotonicMs()))

  return (socket: Accepted, readAt) => {
    const acceptedAt = socket[ACCEPTED_AT]
    if (acceptedAt === undefined) return readAt
    socket[ACCEPTED_AT] = undefined
    return readAt - acceptedAt <= OPENING_MS_MAX ? acceptedAt : readAt
  }
}
