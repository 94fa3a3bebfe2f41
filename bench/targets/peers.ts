import { join } from 'node:path'

import { startPostgres } from '../../scripts/services.ts'
import type { Line } from '../harness.ts'
import type { startLoad, Target } from '../load.ts'
import { freshFolder } from '../processes.ts'
import { seedBetterAuth } from './better-auth.ts'
import { seedParseServer } from './parse-server.ts'
import { PARSE_SERVER_NODE, startPeer } from './peer-scripts.ts'
import type { Request } from './requests.ts'

/** The measured operations for which a peer may have an equivalent. */
export type Operation = 'guest' | 'profile' | 'logIn' | 'saveRead' | 'saveWrite' | 'statsSubmit'
export type Peer = Target & { name: string; requests: Partial<Record<Operation, Request[]>> }

export const PARSE_SERVER = 'parse-server on PostgreSQL'
export const BETTER_AUTH = 'better-auth on SQLite, session cache'
export const BETTER_AUTH_ON_POSTGRES = 'better-auth on PostgreSQL, session cache'

/** Lines of the peers that support the operation. */
export const linesOf = (
  peers: readonly Peer[],
  operation: Operation,
  load: ReturnType<typeof startLoad>,
): Line[] =>
  peers.flatMap((peer) => {
    const requests = peer.requests[operation]
    return requests ? [{ name: peer.name, measure: (ms) => load(peer, requests, ms) }] : []
  })

/** Starts the alternatives to svc, each with its own PostgreSQL if it uses one. */
export async function startPeers(opened: AsyncDisposableStack): Promise<Peer[]> {
  const parseServer = await onPostgres(opened, 'parse-server.mjs', '/parse/health')
  const cached = await start(opened, 'better-auth.mjs', '/api/auth/ok', [
    '--sqlite',
    join(freshFolder(), 'peer.sqlite'),
  ])
  const onServer = await onPostgres(opened, 'better-auth.mjs', '/api/auth/ok')
  return [
    { name: PARSE_SERVER, ...parseServer, requests: await seedParseServer(parseServer.port) },
    { name: BETTER_AUTH, ...cached, requests: await seedBetterAuth(cached.port) },
    { name: BETTER_AUTH_ON_POSTGRES, ...onServer, requests: await seedBetterAuth(onServer.port) },
  ]
}

async function onPostgres(opened: AsyncDisposableStack, script: string, path: string): Promise<Target> {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const { port, pid } = await start(opened, script, path, ['--postgres', postgres.url])
  return { port, pid, databases: [postgres.pid] }
}

/** All peers run on the Node version that parse-server requires. */
const start = (opened: AsyncDisposableStack, script: string, path: string, options: string[]) =>
  startPeer(opened, script, { program: PARSE_SERVER_NODE, path, options })
