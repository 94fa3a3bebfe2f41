import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { monotonicMs, SECOND_MS } from '../../../platform/clock.ts'

/** A connection that was open longer before its first request says nothing about when the client sent that request. */
const OPENING_MS_MAX = SECOND_MS

/**
 * Returns a function that says when a request began that was read at `readAt`, by the monotonic clock: for the first request of a
 * fresh connection when the connection was accepted, for every other one `readAt` (SES-12).
 */
export function watchFirstRequests(server: Server): (socket: Socket, readAt: number) => number {
  const accepted = new WeakMap<Socket, number>()
  server.on('connection', (socket) => accepted.set(socket, monotonicMs()))

  return (socket, readAt) => {
    const acceptedAt = accepted.get(socket)
    if (acceptedAt === undefined) return readAt
    accepted.delete(socket)
    return readAt - acceptedAt <= OPENING_MS_MAX ? acceptedAt : readAt
  }
}
