import type { Entry, Line } from '../harness.ts'
import { startLoad } from '../load.ts'
import { linesOf, PARSE_SERVER, type Peer } from '../targets/peers.ts'
import { type EntryOptions, onPostgres, onSqlite } from '../targets/services.ts'
import { seedStats, startBareStats, type StatRequests } from '../targets/stats.ts'

const BARE = 'bare node:http, one upsert'

export async function statEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
  peers: readonly Peer[],
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const bare = await startBareStats()
  opened.defer(bare.end)
  const services = [
    await onSqlite(opened, seedStats),
    ...(postgres ? [await onPostgres(opened, seedStats)] : []),
  ]

  const lines = (operation: keyof StatRequests): Line[] => [
    ...services.map((service) => ({
      name: service.name,
      measure: (ms: number) => load(service, service.requests[operation], ms),
    })),
    { name: BARE, measure: (ms) => load({ ...bare, databases: [] }, bare.requests[operation], ms) },
  ]

  return [
    {
      name: 'stats submit',
      about:
        'POST /v1/stats with three stats, five hundred players in turn: key, token, ban, cap, rules and four periods each; acknowledged when durable. The bare server on SQLite only adds; parse-server increments two numbers of an object and sets a third.',
      comparedMetric: 'cpuMicros',
      baselines: [BARE, PARSE_SERVER],
      lines: [...lines('submit'), ...linesOf(peers, 'statsSubmit', load)],
    },
    {
      name: 'stats read',
      about: 'GET /v1/stats of the same players.',
      comparedMetric: 'cpuMicros',
      baselines: [BARE],
      lines: lines('read'),
    },
  ]
}
