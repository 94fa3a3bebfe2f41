import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import type { Target } from '../load.ts'
import { freshFolder } from '../processes.ts'
import { claimsOf, newSession, renewSessions, type Session } from './guests.ts'
import type { Request } from './requests.ts'
import { DATA } from './saves.ts'
import { call, newProject, startService } from './service.ts'
import { startOnPostgres } from './services.ts'
import { CONFIG as STATS_CONFIG } from './stats.ts'

export type GrowthRequests = Record<'saveRead' | 'saveWrite' | 'statsRead' | 'statsSubmit', Request[]>
export type Prefilled = Target & { requests: GrowthRequests; renew(): Promise<void> }
/** The tables that are filled: only those that are measured, because ten million saves take 6 GB. */
export type GrowthTable = 'saves' | 'stats'

const PLAYERS = 250
const STATS = STATS_CONFIG.stats.map(({ key }) => key)
/** With a million rows, more than fit into the database's page cache. */
const REQUESTS_MAX = 5_000

/** Starts a service with `rows` rows of each of the tables. The requests are spread over the whole tables. */
export async function startPrefilled(
  opened: AsyncDisposableStack,
  rows: number,
  tables: readonly GrowthTable[],
): Promise<Prefilled> {
  const dataDir = freshFolder()
  const first = await startService({ dataDir })
  const seeded = await seed(first.port)
  await first.end()

  const database = new DatabaseSync(join(dataDir, 'svc.sqlite'))
  database.exec('pragma synchronous = off; pragma cache_size = -2000000')
  await fill(async (sql) => database.exec(sql), seeded.sessions, rows, tables)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()

  const server = await startService({ dataDir })
  opened.defer(server.end)
  return { ...server, databases: [], ...readyFor(server.port, seeded, rows) }
}

/** The same on PostgreSQL. */
export async function startPrefilledOnPostgres(
  opened: AsyncDisposableStack,
  rows: number,
  tables: readonly GrowthTable[],
): Promise<Prefilled> {
  const server = await startOnPostgres(opened)
  const seeded = await seed(server.port)
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  try {
    await fill((sql) => client.query(sql), seeded.sessions, rows, tables)
    await client.query('vacuum analyze')
    // So that the checkpoint of the filled rows does not happen during the measurement.
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
  return { ...server, ...readyFor(server.port, seeded, rows) }
}

type Seeded = { publishable: string; sessions: Session[] }

async function seed(port: number): Promise<Seeded> {
  const { publishable, secret } = await newProject(port, 'Filled')
  const features = { saves: true, stats: true }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { ...STATS_CONFIG, features })
  const sessions: Session[] = []
  for (let i = 0; i < PLAYERS; i++) sessions.push(await newSession(port, publishable))
  return { publishable, sessions }
}

function readyFor(port: number, { publishable, sessions }: Seeded, rows: number) {
  const requests = requestsOf(publishable, sessions, rows)
  const renew = () => renewSessions(port, publishable, sessions, Object.values(requests).flat())
  return { requests, renew }
}

/** Inserts with SQL, because a million requests would take too long. */
async function fill(
  run: (sql: string) => Promise<unknown>,
  sessions: readonly Session[],
  rows: number,
  tables: readonly GrowthTable[],
): Promise<void> {
  const perPlayer = rows / PLAYERS
  const numbers = (count: number) =>
    `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${count})`
  for (const { aud, sub } of sessions.map(claimsOf)) {
    if (tables.includes('saves'))
      await run(`
        insert into saves ("environmentId", "playerId", key, version, size, "updatedAt", data)
        ${numbers(perPlayer)}
        select '${aud}', '${sub}', 'slot' || n, 1, ${Buffer.byteLength(DATA)}, '2026-01-01T00:00:00.000Z', '${DATA}' from numbers`)
    // The first report creates the player's own stats. Rows of other players are between the rows of one player and the next.
    if (tables.includes('stats') && perPlayer > STATS.length)
      await run(`
        insert into stats ("environmentId", "playerId", key, aggregation, zone, day, week, month,
          "allTime", daily, weekly, monthly, "updatedAt")
        ${numbers(perPlayer - STATS.length)}
        select '${aud}', '${sub}-' || n, 'games', 'sum', 'UTC', '2026-01-01', '2026-W01', '2026-01',
          1, 1, 1, 1, '2026-01-01T00:00:00.000Z' from numbers`)
  }
}

/** Requests evenly spaced rows, in a non-sequential order. */
function requestsOf(publishable: string, sessions: readonly Session[], rows: number): GrowthRequests {
  const requestFor = (path: string, session: Session | undefined): Request => ({
    path,
    headers: { 'X-Svc-Key': publishable, Authorization: `Bearer ${session?.accessToken}` },
    status: 200,
  })
  const count = Math.min(rows, REQUESTS_MAX)
  const saveRead = Array.from({ length: count }, (_, i) => {
    const row = Math.floor(((i * 7_919) % count) * (rows / count))
    return requestFor(`/v1/saves/slot${Math.floor(row / PLAYERS)}`, sessions[row % PLAYERS])
  })
  const statsRead = sessions.map((_, i) => requestFor('/v1/stats', sessions[(i * 7_919) % PLAYERS]))
  const report = JSON.stringify({ stats: Object.fromEntries(STATS.map((key) => [key, 1])) })
  return {
    saveRead,
    saveWrite: saveRead.map((request) => ({ ...request, method: 'PUT', body: `{"data":${DATA}}` })),
    statsRead,
    statsSubmit: statsRead.map((request) => ({ ...request, method: 'POST', body: report })),
  }
}
