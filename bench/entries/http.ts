import type { Entry, Line } from '../harness.ts'
import { startLoad } from '../load.ts'
import { type BareKind, startBare } from '../targets/bare/bare.ts'
import { fetchStoredResponse } from '../targets/requests.ts'
import { seed, type Requests } from '../targets/service.ts'
import { type EntryOptions, onPostgres, onSqlite } from '../targets/services.ts'

const BARE = { fastify: 'bare Fastify', node: 'bare node:http' }

export async function httpEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const embedded = await onSqlite(opened, seed)
  const services = [embedded, ...(postgres ? [await onPostgres(opened, seed)] : [])]

  const serviceLines = (name: keyof Requests, suffix = ''): Line[] =>
    services.map((service) => ({
      name: `${service.name}${suffix}`,
      measure: (ms) => load(service, [service.requests[name]], ms),
    }))

  async function bare(kind: BareKind, name: keyof Requests): Promise<Line> {
    const request = embedded.requests[name]
    const server = await startBare(kind, await fetchStoredResponse(embedded.port, request))
    opened.defer(server.end)
    return { name: BARE[kind], measure: (ms) => load({ ...server, databases: [] }, [request], ms) }
  }

  return [
    {
      name: 'config read',
      about:
        'GET /v1/config with a production secret key: a document of about a kilobyte. The bare servers return the same bytes from memory.',
      comparedMetric: 'cpuMicros',
      baselines: [BARE.fastify, BARE.node],
      lines: [
        ...serviceLines('readConfig'),
        await bare('fastify', 'readConfig'),
        await bare('node', 'readConfig'),
      ],
    },
    {
      name: 'key check',
      about:
        'The edge without a key (GET /healthz), with a valid key (GET /v1/config without a pushed config: one read that finds no row) and with a revoked key (401). The bare server returns the response to the valid key.',
      comparedMetric: 'cpuMicros',
      baselines: [BARE.fastify],
      lines: [
        ...serviceLines('noKey', ', no key required'),
        ...serviceLines('validKey', ', valid key'),
        ...serviceLines('revokedKey', ', revoked key'),
        await bare('fastify', 'validKey'),
      ],
    },
    {
      name: 'project list',
      about: 'GET /v1/projects with the session of a developer who has ten projects.',
      comparedMetric: 'cpuMicros',
      baselines: [BARE.fastify],
      lines: [...serviceLines('listProjects'), await bare('fastify', 'listProjects')],
    },
  ]
}
