import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Target } from '../load.ts'
import type { Server } from '../processes.ts'
import { type ServiceOptions, startService } from './service.ts'

export type SeededService<Requests> = Target & { name: string; requests: Requests }
export type EntryOptions = { connections: number; postgres: boolean }

export const ON_SQLITE = 'svc on SQLite'
export const ON_POSTGRES = 'svc on PostgreSQL and Redis'

export async function onSqlite<Requests>(
  opened: AsyncDisposableStack,
  seed: (service: Server) => Promise<Requests>,
): Promise<SeededService<Requests>> {
  const service = await startService()
  opened.defer(service.end)
  return { name: ON_SQLITE, ...service, databases: [], requests: await seed(service) }
}

export async function onPostgres<Requests>(
  opened: AsyncDisposableStack,
  seed: (service: Server) => Promise<Requests>,
): Promise<SeededService<Requests>> {
  const service = await startOnPostgres(opened)
  return { name: ON_POSTGRES, ...service, requests: await seed(service) }
}

/** PostgreSQL runs with sync, as in production. */
export async function startOnPostgres(opened: AsyncDisposableStack, options: ServiceOptions = {}) {
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const redis = await startRedis()
  opened.defer(redis.stop)
  const engines = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const service = await startService({ ...options, engines })
  opened.defer(service.end)
  return { ...service, databaseUrl: postgres.url, databases: [postgres.pid, redis.pid] }
}
