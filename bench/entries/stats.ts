import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Entry, Line } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import { startService } from '../targets/service.ts'
import { furnishStats, startBareStats, type StatRequests } from '../targets/stats.ts'

type Furnished = Target & { name: string; requests: StatRequests }
export type StatOptions = { connections: number; postgres: boolean }

const BARE = 'bare node:http, one upsert'

export async function statEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: StatOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const bare = await startBareStats()
  opened.defer(bare.end)
  const services = [await onSqlite(opened), ...(postgres ? [await onPostgres(opened)] : [])]

  const lines = (what: keyof StatRequests): Line[] => [
    ...services.map((service) => ({
      name: service.name,
      measure: (ms: number) => load(service, service.requests[what], ms),
    })),
    { name: BARE, measure: (ms) => load({ ...bare, databases: [] }, bare.requests[what], ms) },
  ]

  return [
    {
      name: 'stats submit',
      about:
        'POST /v1/stats with three stats, five hundred players in turn: key, token, ban, cap, rules and four periods each; answered when durable. The bare server on SQLite only adds.',
      compared: 'cpuMicros',
      bare: [BARE],
      lines: lines('submit'),
    },
    {
      name: 'stats read',
      about: 'GET /v1/stats of the same players.',
      compared: 'cpuMicros',
      bare: [BARE],
      lines: lines('read'),
    },
  ]
}

async function onSqlite(opened: AsyncDisposableStack): Promise<Furnished> {
  const service = await startService()
  opened.defer(service.end)
  return { name: 'svc on SQLite', ...service, databases: [], requests: await furnishStats(service) }
}

async function onPostgres(opened: AsyncDisposableStack): Promise<Furnished> {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const redis = await startRedis()
  opened.defer(redis.stop)
  const service = await startService({ engines: { DATABASE_URL: postgres.url, REDIS_URL: redis.url } })
  opened.defer(service.end)
  const databases = [postgres.pid, redis.pid]
  return { name: 'svc on PostgreSQL and Redis', ...service, databases, requests: await furnishStats(service) }
}
