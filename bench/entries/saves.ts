import type { Entry, Goal, Line } from '../harness.ts'
import { startLoad } from '../load.ts'
import { linesOf, PARSE_SERVER, type Peer } from '../targets/peers.ts'
import { seedSaves, type SaveRequests, startBareSaves } from '../targets/saves.ts'
import { type EntryOptions, onPostgres, onSqlite } from '../targets/services.ts'

const BARE = 'bare node:http, same work'

const GOALS: Record<keyof SaveRequests, { sqlite: Goal[]; postgres: Goal[] }> = {
  read: {
    sqlite: [
      { number: 3, baseline: BARE, atMost: 1.2 },
      { number: 1, baseline: PARSE_SERVER, atMost: 1 / 20 },
    ],
    postgres: [{ number: 2, baseline: PARSE_SERVER, atMost: 1 / 10 }],
  },
  write: {
    sqlite: [
      { number: 3, baseline: BARE, atMost: 1.2 },
      { number: 1, baseline: PARSE_SERVER, atMost: 1 / 12 },
    ],
    postgres: [{ number: 2, baseline: PARSE_SERVER, atMost: 1 / 5 }],
  },
}
const ABOUT: Record<keyof SaveRequests, string> = {
  read: 'GET /v1/saves/:key, about 500 bytes of data, a hundred players in turn.',
  write:
    'PUT /v1/saves/:key over an existing save, about 500 bytes of data, a hundred players in turn; acknowledged when durable.',
}
const OF_PEERS = { read: 'saveRead', write: 'saveWrite' } as const

export async function saveEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
  peers: readonly Peer[],
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const embedded = await onSqlite(opened, seedSaves)
  const bare = { ...(await startBareSaves()), databases: [] }
  opened.defer(bare.end)
  const others = postgres ? [await onPostgres(opened, seedSaves)] : []

  const lines = (operation: keyof SaveRequests): Line[] => [
    {
      name: embedded.name,
      measure: (ms) => load(embedded, embedded.requests[operation], ms),
      goals: GOALS[operation].sqlite,
    },
    { name: BARE, measure: (ms) => load(bare, bare.requests[operation], ms) },
    ...others.map((other) => ({
      name: other.name,
      measure: (ms: number) => load(other, other.requests[operation], ms),
      goals: GOALS[operation].postgres,
    })),
    ...linesOf(peers, OF_PEERS[operation], load),
  ]

  return (['read', 'write'] as const).map((operation) => ({
    name: `save ${operation}`,
    about: ABOUT[operation],
    comparedMetric: 'cpuMicros',
    baselines: [BARE, PARSE_SERVER],
    lines: lines(operation),
  }))
}
