import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { freshFolder, type Server } from '../processes.ts'
import type { Request } from './requests.ts'
import { DATA, newGuest } from './saves.ts'
import { call, newProject, startService } from './service.ts'
import { CONFIG as STATS_CONFIG } from './stats.ts'

export type GrowthRequests = Record<'saveRead' | 'saveWrite' | 'statsRead' | 'statsSubmit', Request[]>

const PLAYERS = 250
const STATS = STATS_CONFIG.stats.map(({ key }) => key)
/** With a million rows, more than fit into the database's page cache. */
const REQUESTS_MAX = 5_000

/** Starts a service with `rows` saves and `rows` stats. The requests are spread over the whole tables. */
export async function startPrefilled(rows: number): Promise<Server & { requests: GrowthRequests }> {
  const dataDir = freshFolder()
  const first = await startService({ dataDir })
  const { publishable, secret } = await newProject(first.port, 'Filled')
  const features = { saves: true, stats: true }
  await call(first.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { ...STATS_CONFIG, features })
  const tokens: string[] = []
  for (let i = 0; i < PLAYERS; i++) tokens.push(await newGuest(first.port, publishable))
  await first.end()

  fill(join(dataDir, 'svc.sqlite'), tokens, rows)
  const server = await startService({ dataDir })
  return { ...server, requests: requestsOf(publishable, tokens, rows) }
}

/** Inserts with SQL, because a million requests would take too long. */
function fill(path: string, tokens: readonly string[], rows: number) {
  const database = new DatabaseSync(path)
  database.exec('pragma synchronous = off; begin')
  const insertSaves = database.prepare(`
    insert into saves ("environmentId", "playerId", key, version, size, "updatedAt", data)
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :count)
    select :aud, :sub, 'slot' || n, 1, :size, '2026-01-01T00:00:00.000Z', :data from numbers`)
  const insertStats = database.prepare(`
    insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month,
      "allTime", daily, weekly, monthly, "updatedAt")
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < :count)
    select :aud, :sub || :suffix || n, :key, 'sum', 'UTC', '2026-01-01', '2026-W01', '2026-01',
      1, 1, 1, 1, '2026-01-01T00:00:00.000Z' from numbers`)

  const perPlayer = rows / PLAYERS
  for (const { aud, sub } of tokens.map(claimsOf)) {
    insertSaves.run({ aud, sub, count: perPlayer, size: Buffer.byteLength(DATA), data: DATA })
    // The first report creates the player's own stats. Rows of other players are between the rows of one player and the next.
    const others = perPlayer - STATS.length
    insertStats.run({ aud, sub, suffix: '-', key: 'games', count: others })
  }
  database.exec('commit; pragma wal_checkpoint(truncate)')
  database.close()
}

function claimsOf(token: string): { aud: string; sub: string } {
  const [, payload = ''] = token.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string; sub: string }
}

/** Requests evenly spaced rows, in a non-sequential order. */
function requestsOf(publishable: string, tokens: readonly string[], rows: number): GrowthRequests {
  const requestFor = (path: string, token: string | undefined): Request => ({
    path,
    headers: { 'X-Svc-Key': publishable, Authorization: `Bearer ${token}` },
    status: 200,
  })
  const count = Math.min(rows, REQUESTS_MAX)
  const saveRead = Array.from({ length: count }, (_, i) => {
    const row = Math.floor(((i * 7_919) % count) * (rows / count))
    return requestFor(`/v1/saves/slot${Math.floor(row / PLAYERS)}`, tokens[row % PLAYERS])
  })
  const statsRead = tokens.map((_, i) => requestFor('/v1/stats', tokens[(i * 7_919) % PLAYERS]))
  const report = JSON.stringify({ stats: Object.fromEntries(STATS.map((key) => [key, 1])) })
  return {
    saveRead,
    saveWrite: saveRead.map((request) => ({ ...request, method: 'PUT', body: `{"data":${DATA}}` })),
    statsRead,
    statsSubmit: statsRead.map((request) => ({ ...request, method: 'POST', body: report })),
  }
}
