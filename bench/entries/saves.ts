import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import { furnishSaves, type SaveRequests, startBareSaves } from '../targets/saves.ts'
import { startService } from '../targets/service.ts'

type Furnished = Target & { name: string; requests: SaveRequests }
export type SaveOptions = { connections: number; postgres: boolean }

const BARE = 'bare node:http, same work'
const READ: Goal = { number: 3, atMost: 1.6 }
const WARM_UP_MS = 3_000
const WRITE: Goal = { number: 3, atMost: 1.5 }

export async function saveEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: SaveOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const embedded = await onSqlite(opened)
  const bare = await startBareSaves()
  opened.defer(bare.end)
  const others = postgres ? [await onPostgres(opened)] : []

  // What Node compiles on the way costs as much as the requests of the first seconds, and falls on the longer code.
  for (const { requests, ...server } of [embedded, { ...bare, databases: [] }, ...others]) {
    for (const what of ['read', 'write'] as const) await load(server, requests[what], WARM_UP_MS)
  }

  const lines = (what: keyof SaveRequests, goal: Goal): Line[] => [
    { name: embedded.name, measure: (ms) => load(embedded, embedded.requests[what], ms), goal },
    { name: BARE, measure: (ms) => load({ ...bare, databases: [] }, bare.requests[what], ms) },
    ...others.map((other) => ({
      name: other.name,
      measure: (ms: number) => load(other, other.requests[what], ms),
    })),
  ]

  return [
    {
      name: 'save read',
      about: 'GET /v1/saves/:key, about 500 bytes of data, a hundred players in turn.',
      compared: 'cpuMicros',
      bare: [BARE],
      lines: lines('read', READ),
    },
    {
      name: 'save write',
      about:
        'PUT /v1/saves/:key over an existing save, about 500 bytes of data, a hundred players in turn; answered when durable.',
      compared: 'cpuMicros',
      bare: [BARE],
      lines: lines('write', WRITE),
    },
  ]
}

async function onSqlite(opened: AsyncDisposableStack): Promise<Furnished> {
  const service = await startService()
  opened.defer(service.end)
  return { name: 'svc on SQLite', ...service, databases: [], requests: await furnishSaves(service) }
}

async function onPostgres(opened: AsyncDisposableStack): Promise<Furnished> {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const redis = await startRedis()
  opened.defer(redis.stop)
  const service = await startService({ engines: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } })
  opened.defer(service.end)
  const databases = [postgres.pid, redis.pid]
  return { name: 'svc on PostgreSQL and Redis', ...service, databases, requests: await furnishSaves(service) }
}
