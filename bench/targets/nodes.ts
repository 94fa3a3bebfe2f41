import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Server } from '../processes.ts'
import { startService } from './service.ts'

/** Starts nodes of one service: one on SQLite, several on PostgreSQL and Redis. */
export async function startNodes(
  opened: AsyncDisposableStack,
  count: number,
  checkout?: string,
): Promise<{ nodes: Server[]; databases: number[] }> {
  const own = checkout === undefined ? {} : { checkout }
  if (count === 1) {
    const service = await startService(own)
    opened.defer(service.end)
    return { nodes: [service], databases: [] }
  }
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  const redis = await startRedis()
  opened.defer(redis.stop)
  const options = {
    ...own,
    engines: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    settings: { SVC_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
  }
  const nodes: Server[] = []
  for (let i = 0; i < count; i++) {
    const node = await startService(options)
    opened.defer(node.end)
    nodes.push(node)
  }
  return { nodes, databases: [postgres.pid, redis.pid] }
}
