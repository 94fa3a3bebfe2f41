import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import type { Server } from 'node:http'

/** A full backlog of a unix socket fails connections immediately, instead of letting them wait. */
const BACKLOG = 4_096

/** Listens on a unix socket that the account of the sandbox may use; its folder keeps others out. */
export async function listenOn(server: Server, path: string): Promise<{ close(): void }> {
  server.listen({ path, backlog: BACKLOG })
  await once(server, 'listening')
  // A connection that cannot be accepted must not end the service.
  server.on('error', () => {})
  chmodSync(path, 0o666)
  return {
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
