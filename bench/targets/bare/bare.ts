import { join } from 'node:path'

import { freePort, type Server, startServer } from '../../processes.ts'
import type { StoredResponse } from '../requests.ts'

export type BareKind = 'fastify' | 'node'

const SCRIPT = join(import.meta.dirname, 'http.ts')

/** Starts a server that returns the same response to every request. */
export async function startBare(kind: BareKind, response: StoredResponse): Promise<Server> {
  const port = await freePort()
  const args = [SCRIPT, '--kind', kind, '--port', String(port), '--response', JSON.stringify(response)]
  return startServer({ args, port, path: response.path })
}
