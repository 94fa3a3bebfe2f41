import { join } from 'node:path'

import { freePort, freshFolder, type Server, startServer } from '../processes.ts'
import { newGuest } from './guests.ts'
import type { Request } from './requests.ts'
import { call, newProject } from './service.ts'

export type StatRequests = { submit: Request[]; read: Request[] }

/** Enough players that none reaches 600 reports in a minute. */
const PLAYERS = 500

export const CONFIG = {
  features: { stats: true },
  stats: [{ key: 'games' }, { key: 'points' }, { key: 'best', aggregation: 'max', maxPerSubmit: 1_000_000 }],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

function requestsOf(key: string, tokens: readonly string[]): StatRequests {
  const asking = (token: string) => ({
    path: '/v1/stats',
    headers: { 'X-Svc-Key': key, Authorization: `Bearer ${token}` },
    status: 200,
  })
  return {
    read: tokens.map(asking),
    submit: tokens.map((token, i) => ({
      ...asking(token),
      method: 'POST' as const,
      body: JSON.stringify({ stats: { games: 1, points: 10 + i, best: 100 * i } }),
    })),
  }
}

/** Creates guests in production, each with three stats. */
export async function seedStats({ port }: Pick<Server, 'port'>, players = PLAYERS): Promise<StatRequests> {
  const { publishable, secret } = await newProject(port, 'Stats')
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, CONFIG)
  const tokens: string[] = []
  for (let i = 0; i < players; i++) tokens.push(await newGuest(port, publishable))

  const requests = requestsOf(publishable, tokens)
  for (const { path, headers, body = '' } of requests.submit) {
    await call(port, 'POST', path, headers, JSON.parse(body) as object)
  }
  return requests
}

const SCRIPT = join(import.meta.dirname, 'bare/stats.ts')

export async function startBareStats(): Promise<Server & { requests: StatRequests }> {
  const port = await freePort()
  const options = ['--port', String(port), '--data', freshFolder(), '--players', String(PLAYERS)]
  const args = ['--conditions=source', '--disable-warning=ExperimentalWarning', SCRIPT, ...options]
  const server = await startServer({ args, port, path: '/' })
  return {
    ...server,
    requests: requestsOf(
      BARE_KEY,
      Array.from({ length: PLAYERS }, (_, i) => bareToken(i)),
    ),
  }
}

/** As long as those of the service, because every request contains them. */
export const BARE_KEY = 'pk_'.padEnd(40, 'x')
export const bareToken = (player: number) => String(player).padEnd(400, 'x')
