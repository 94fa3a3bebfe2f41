import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { startPostgres } from '../../scripts/services.ts'
import type { Line } from '../harness.ts'
import type { startLoad, Target } from '../load.ts'
import { freePort, freshFolder, startServer } from '../processes.ts'
import { furnishBetterAuth } from './better-auth.ts'
import { furnishParseServer } from './parse-server.ts'
import type { Request } from './requests.ts'

/** What the entries measure and a peer may know an equivalent of. */
export type Operation = 'guest' | 'profile' | 'logIn' | 'saveRead' | 'saveWrite' | 'statsSubmit'
export type Peer = Target & { name: string; requests: Partial<Record<Operation, Request[]>> }

export const PARSE_SERVER = 'parse-server on PostgreSQL'
export const BETTER_AUTH = 'better-auth on SQLite, session cache'
export const BETTER_AUTH_ON_POSTGRES = 'better-auth on PostgreSQL, session cache'

/** Those that can do it. */
export const linesOf = (
  peers: readonly Peer[],
  operation: Operation,
  load: ReturnType<typeof startLoad>,
): Line[] =>
  peers.flatMap((peer) => {
    const requests = peer.requests[operation]
    return requests ? [{ name: peer.name, measure: (ms) => load(peer, requests, ms) }] : []
  })

const FOLDER = join(import.meta.dirname, '../peers')
const NODE = join(FOLDER, `node_modules/node-linux-${process.arch}/bin/node`)
const INSTALL_TIMEOUT_MS = 600_000

/** What a user would pick in place of svc, each with a PostgreSQL of its own where it has one. */
export async function startPeers(opened: AsyncDisposableStack): Promise<Peer[]> {
  installOnce()
  const parseServer = await onPostgres(opened, 'parse-server.mjs', '/parse/health')
  const cached = await start(opened, 'better-auth.mjs', '/api/auth/ok', [
    '--sqlite',
    join(freshFolder(), 'peer.sqlite'),
  ])
  const onServer = await onPostgres(opened, 'better-auth.mjs', '/api/auth/ok')
  return [
    { name: PARSE_SERVER, ...parseServer, requests: await furnishParseServer(parseServer.port) },
    { name: BETTER_AUTH, ...cached, requests: await furnishBetterAuth(cached.port) },
    { name: BETTER_AUTH_ON_POSTGRES, ...onServer, requests: await furnishBetterAuth(onServer.port) },
  ]
}

function installOnce() {
  if (existsSync(NODE)) return
  console.error('installing the peers into bench/peers/node_modules: about 430 MB, once')
  const args = ['install', '--no-package-lock', '--no-fund', '--no-audit', '--loglevel=error']
  execFileSync('npm', args, { cwd: FOLDER, stdio: 'inherit', timeout: INSTALL_TIMEOUT_MS })
}

async function onPostgres(opened: AsyncDisposableStack, script: string, path: string): Promise<Target> {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const { port, pid } = await start(opened, script, path, ['--postgres', postgres.url])
  return { port, pid, databases: [postgres.pid] }
}

async function start(
  opened: AsyncDisposableStack,
  script: string,
  path: string,
  options: string[],
): Promise<Target> {
  const port = await freePort()
  const args = ['--no-warnings', join(FOLDER, script), '--port', String(port), ...options]
  const { pid, end } = await startServer({ node: NODE, args, port, path })
  opened.defer(end)
  return { port, pid, databases: [] }
}
