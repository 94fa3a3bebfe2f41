import { join } from 'node:path'

import { freePort, type Server, startServer } from '../processes.ts'
import type { Answer } from './requests.ts'

export type BareKind = 'fastify' | 'node'

const SCRIPT = join(import.meta.dirname, 'bare-http.ts')

/** Starts a server that returns the same response to every request. */
export async function startBare(kind: BareKind, answer: Answer): Promise<Server> {
  const port = await freePort()
  const args = [SCRIPT, '--kind', kind, '--port', String(port), '--answer', JSON.stringify(answer)]
  return startServer({ args, port, path: answer.path })
}
