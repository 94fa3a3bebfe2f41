import { setTimeout as pause } from 'node:timers/promises'

import type { FastifyInstance } from 'fastify'

/** Long enough for clients with open connections to get a response that closes them, short enough for a deploy. */
const CLOSE_GRACE_MS = 500
/** The whole stop takes at most 30 s (`stop` in app.ts). */
const IN_FLIGHT_MAX_MS = 15_000

/**
 * Graceful shutdown: for 500 ms every response carries `Connection: close`, so that clients reconnect elsewhere; then the port is closed
 * and requests in progress are finished. No request fails. `portClosed` is called when no new request can arrive.
 */
export function createDrain(app: FastifyInstance) {
  return async function drain(portClosed: () => Promise<void>) {
    app.server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))
    if (app.server.listening) await pause(CLOSE_GRACE_MS)
    const deadlineTimer = setTimeout(() => app.server.closeAllConnections(), IN_FLIGHT_MAX_MS)
    await Promise.all([app.close(), portClosed()])
    clearTimeout(deadlineTimer)
  }
}
