import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { freshFolder, type Server } from '../processes.ts'
import type { Request } from './requests.ts'
import { DATA, newGuest, type SaveRequests } from './saves.ts'
import { call, newProject, startService } from './service.ts'

const PLAYERS = 100
/** More than fit into the database's own cache of pages once there are a million rows. */
const ASKED_FOR_MAX = 5_000

/** A service with `rows` saves, and requests for some of them, from all over the table. */
export async function startFilled(rows: number): Promise<Server & { requests: SaveRequests }> {
  const dataDir = freshFolder()
  const first = await startService({ dataDir })
  const { publishable, secret } = await newProject(first.port, 'Filled')
  await call(first.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { saves: true } })
  const tokens: string[] = []
  for (let i = 0; i < PLAYERS; i++) tokens.push(await newGuest(first.port, publishable))
  await first.end()

  fill(join(dataDir, 'svc.sqlite'), tokens, rows / PLAYERS)
  const server = await startService({ dataDir })
  return { ...server, requests: requestsOf(publishable, tokens, rows) }
}

/** By SQL, as a million requests would take too long. */
function fill(path: string, tokens: readonly string[], perPlayer: number) {
  const database = new DatabaseSync(path)
  database.exec('pragma synchronous = off; begin')
  const insert = database.prepare(`
    insert into saves ("environmentId", "playerId", key, version, size, "updatedAt", data)
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :perPlayer)
    select :aud, :sub, 'slot' || n, 1, :size, '2026-01-01T00:00:00.000Z', :data from numbers`)
  for (const { aud, sub } of tokens.map(claimsOf)) {
    insert.run({ aud, sub, perPlayer, size: Buffer.byteLength(DATA), data: DATA })
  }
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
}

function claimsOf(token: string): { aud: string; sub: string } {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string; sub: string }
}

/** Every so many-th row, in an order that jumps about. */
function requestsOf(publishable: string, tokens: readonly string[], rows: number): SaveRequests {
  const count = Math.min(rows, ASKED_FOR_MAX)
  const read = Array.from({ length: count }, (_, i): Request => {
    const row = Math.floor(((i * 7_919) % count) * (rows / count))
    return {
      path: `/v1/saves/slot${Math.floor(row / PLAYERS)}`,
      headers: { 'X-Svc-Key': publishable, Authorization: `Bearer ${tokens[row % PLAYERS]}` },
      status: 200,
    }
  })
  return { read, write: read.map((request) => ({ ...request, method: 'PUT', body: `{"data":${DATA}}` })) }
}
