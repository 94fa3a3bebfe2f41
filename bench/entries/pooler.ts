import { startPooler } from '../../scripts/pooler.ts'
import { startPostgres, startRedis } from '../../scripts/services.ts'
import type { Entry } from '../harness.ts'
import { startLoad } from '../load.ts'
import { seedSaves, type SaveRequests } from '../targets/saves.ts'
import { startService } from '../targets/service.ts'

const DIRECT = 'PostgreSQL itself'

/** The CPU time of a pooler, and of doing without prepared statements, which its transaction mode requires. */
export async function poolerEntries(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const targets = [
    await target(DIRECT, undefined, {}),
    await target('PostgreSQL itself, SVC_POSTGRES_PREPARE=off', undefined, { SVC_POSTGRES_PREPARE: 'off' }),
    await target('PgBouncer, session mode', 'session', {}),
    await target('PgBouncer, transaction mode, SVC_POSTGRES_PREPARE=off', 'transaction', {
      SVC_POSTGRES_PREPARE: 'off',
    }),
  ]

  async function target(
    name: string,
    mode: 'session' | 'transaction' | undefined,
    settings: Record<string, string>,
  ) {
    const postgres = await startPostgres({ sync: true })
    opened.defer(postgres.stop)
    const redis = await startRedis()
    opened.defer(redis.stop)
    const pooler = mode && (await startPooler({ postgresPort: postgres.port, mode }))
    if (pooler) opened.defer(pooler.stop)
    const engines = { DATABASE_URL: pooler?.url ?? postgres.url, REDIS_URL: redis.url }
    const service = await startService({ engines, settings })
    opened.defer(service.end)
    const databases = [postgres.pid, redis.pid, ...(pooler ? [pooler.pid] : [])]
    return { name, ...service, databases, requests: await seedSaves(service) }
  }

  return (['read', 'write'] as const).map((operation: keyof SaveRequests) => ({
    name: `pooler, save ${operation}`,
    about: `The entry "save ${operation}" on PostgreSQL, directly and through PgBouncer; CPU time includes all three.`,
    comparedMetric: 'cpuMicros',
    baselines: [DIRECT],
    lines: targets.map((each) => ({
      name: each.name,
      measure: (ms: number) => load(each, each.requests[operation], ms),
    })),
  }))
}
