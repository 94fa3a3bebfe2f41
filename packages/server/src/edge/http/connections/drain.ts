import { setTimeout as pause } from 'node:timers/promises'

import type { FastifyInstance } from 'fastify'

/** Long enough for clients with open connections to be told by an answer, short enough for a deploy. */
const FAREWELL_MS = 500
const IN_FLIGHT_MAX_MS = 30_000

/**
 * No request fails: for a moment everything is answered as usual, but with `Connection: close`, so that clients leave by themselves;
 * then the port is closed and what is under way is finished.
 */
export function drainable(app: FastifyInstance) {
  return async function drain() {
    app.server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'))
    if (app.server.listening) await pause(FAREWELL_MS)
    const impatience = setTimeout(() => app.server.closeAllConnections(), IN_FLIGHT_MAX_MS)
    await app.close()
    clearTimeout(impatience)
  }
}
