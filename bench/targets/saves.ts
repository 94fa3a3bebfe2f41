import { join } from 'node:path'

import { freePort, freshFolder, type Server, startServer } from '../processes.ts'
import { newGuest } from './guests.ts'
import type { Request } from './requests.ts'
import { call, newProject } from './service.ts'

export type SaveRequests = { read: Request[]; write: Request[] }
export type BareSaves = { key: string; players: string[]; slot: string; data: string }

const PLAYERS = 100
const SLOT = 'slot1'

/** A small game's save: 500 bytes of JSON. */
const inventory = Array.from({ length: 11 }, (_, i) => ({ id: `item_${i}`, count: i, wear: 0.5 + i / 100 }))
export const DATA = JSON.stringify({ level: 12, name: 'Hêros', position: [10.5, -3.25], inventory })

const requestsOf = (key: string, tokens: readonly string[]): SaveRequests => {
  const requestFor = (token: string) => ({
    path: `/v1/saves/${SLOT}`,
    headers: { 'X-Svc-Key': key, Authorization: `Bearer ${token}` },
    status: 200,
  })
  return {
    read: tokens.map(requestFor),
    write: tokens.map((token) => ({
      ...requestFor(token),
      method: 'PUT' as const,
      body: `{"data":${DATA}}`,
    })),
  }
}

/** Creates guests in production, each with one save. */
export async function seedSaves({ port }: Pick<Server, 'port'>, players = PLAYERS): Promise<SaveRequests> {
  const { publishable, secret } = await newProject(port, 'Saves')
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { saves: true } })
  const tokens: string[] = []
  for (let i = 0; i < players; i++) tokens.push(await newGuest(port, publishable))

  const requests = requestsOf(publishable, tokens)
  for (const { path, headers } of requests.write) {
    await call(port, 'PUT', path, headers, { data: JSON.parse(DATA) as unknown })
  }
  return requests
}

const SCRIPT = join(import.meta.dirname, 'bare/saves.ts')

export async function startBareSaves(): Promise<Server & { requests: SaveRequests }> {
  const port = await freePort()
  // As long as those of the service, because every request contains them.
  const [key, players] = [
    'pk_'.padEnd(40, 'x'),
    Array.from({ length: PLAYERS }, (_, i) => `${i}`.padEnd(400, 'x')),
  ]
  const saves: BareSaves = { key, players, slot: SLOT, data: DATA }
  const options = ['--port', String(port), '--data', freshFolder(), '--saves', JSON.stringify(saves)]
  const args = ['--conditions=source', '--disable-warning=ExperimentalWarning', SCRIPT, ...options]
  const server = await startServer({ args, port, path: '/' })
  return { ...server, requests: requestsOf(key, players) }
}
