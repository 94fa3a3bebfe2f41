import type { Entry, Goal } from '../harness.ts'
import { startLoad, type Target } from '../load.ts'
import { type GrowthRequests, startPrefilled, startPrefilledOnPostgres } from '../targets/prefilled.ts'
import { type RankedRequests, startRanked, startRankedOnPostgres } from '../targets/ranked.ts'
import type { Request } from '../targets/requests.ts'

/** `rows`: how many rows the large tables have, instead of the default. `wants`: whether an entry is selected. */
export type GrowthOptions = {
  connections: number
  postgres: boolean
  rows: number | undefined
  wants(entry: string): boolean
}

const FEW = 1_000
/** On PostgreSQL fewer, to keep the run short: filling takes longer there. */
const [MANY, MANY_ON_POSTGRES] = [1_000_000, 200_000]

/** Tables that are filled together, and the entries that read or write them. */
type Growth<Name extends string> = {
  entries: Record<Name, [name: string, about: string]>
  onSqlite(opened: AsyncDisposableStack, rows: number): Promise<Signed<Name>>
  onPostgres(opened: AsyncDisposableStack, rows: number): Promise<Signed<Name>>
}
/** A server with requests of players, who have to be signed in again after all tables are filled. */
type Signed<Name extends string> = Target & { requests: Record<Name, Request[]>; renew(): Promise<void> }

const SAVES: Growth<'saveRead' | 'saveWrite'> = {
  entries: {
    saveRead: ['growth of saves, read', 'GET /v1/saves/:key, about 500 bytes of data'],
    saveWrite: ['growth of saves, write', 'PUT /v1/saves/:key, about 500 bytes of data'],
  } satisfies Partial<Record<keyof GrowthRequests, [string, string]>>,
  onSqlite: (opened, rows) => startPrefilled(opened, rows, ['saves']),
  onPostgres: (opened, rows) => startPrefilledOnPostgres(opened, rows, ['saves']),
}
const STATS: Growth<'statsRead' | 'statsSubmit'> = {
  entries: {
    statsRead: ['growth of stats, read', 'GET /v1/stats, three stats of a player'],
    statsSubmit: ['growth of stats, submit', 'POST /v1/stats with three stats'],
  } satisfies Partial<Record<keyof GrowthRequests, [string, string]>>,
  onSqlite: (opened, rows) => startPrefilled(opened, rows, ['stats']),
  onPostgres: (opened, rows) => startPrefilledOnPostgres(opened, rows, ['stats']),
}
const LEADERBOARDS: Growth<'page' | 'me' | 'around'> = {
  entries: {
    page: ['growth of leaderboards, page', '100 entries of any place, with names'],
    me: ['growth of leaderboards, own rank', 'the rank of a player'],
    around: ['growth of leaderboards, around', 'the rank of a player and the 10 around'],
  } satisfies Partial<Record<keyof RankedRequests, [string, string]>>,
  onSqlite: (opened, rows) => startRanked(opened, rows, {}),
  onPostgres: (opened, rows) => startRankedOnPostgres(opened, rows, {}),
}

export const saveGrowthEntries = (opened: AsyncDisposableStack, options: GrowthOptions) =>
  entriesOf(opened, SAVES, options)
export const statGrowthEntries = (opened: AsyncDisposableStack, options: GrowthOptions) =>
  entriesOf(opened, STATS, options)
export const leaderboardGrowthEntries = (opened: AsyncDisposableStack, options: GrowthOptions) =>
  entriesOf(opened, LEADERBOARDS, options)

async function entriesOf<Name extends string>(
  opened: AsyncDisposableStack,
  { entries, onSqlite, onPostgres }: Growth<Name>,
  options: GrowthOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, options.connections)
  const engines = await startGrown(opened, { onSqlite, onPostgres }, options)
  for (const { few, many } of engines) await Promise.all([few.renew(), many.renew()])
  return (Object.keys(entries) as Name[]).map((operation) =>
    growthEntry(
      entries[operation][0],
      `${entries[operation][1]}; the rows are spread over the whole table.`,
      {
        engines,
        measure: (server, ms) => load(server, server.requests[operation], ms),
      },
    ),
  )
}

/** A service with few and one with many rows. */
type Grown<Server> = { engine: string; rows: number; few: Server; many: Server }

/** On SQLite, and on PostgreSQL if it is selected. */
export async function startGrown<Server>(
  opened: AsyncDisposableStack,
  {
    onSqlite,
    onPostgres,
  }: Record<'onSqlite' | 'onPostgres', (opened: AsyncDisposableStack, rows: number) => Promise<Server>>,
  { postgres, rows }: Pick<GrowthOptions, 'postgres' | 'rows'>,
): Promise<Grown<Server>[]> {
  const started: Grown<Server>[] = []
  async function start(engine: string, many: number, open: typeof onSqlite) {
    started.push({ engine, rows: many, few: await open(opened, FEW), many: await open(opened, many) })
  }
  await start('SQLite', rows ?? MANY, onSqlite)
  if (postgres) await start('PostgreSQL', rows ?? MANY_ON_POSTGRES, onPostgres)
  return started
}

/** Compares many rows with few. */
export function growthEntry<Server>(
  name: string,
  about: string,
  {
    engines,
    measure,
  }: {
    engines: readonly Grown<Server>[]
    measure(server: Server, ms: number): ReturnType<Entry['lines'][0]['measure']>
  },
): Entry {
  const line = (engine: string, rows: number) => `svc on ${engine}, ${inWords(rows)} rows`
  const goal = (engine: string): Goal => ({ number: 8, baseline: line(engine, FEW), atMost: 1.3 })
  return {
    name,
    about,
    comparedMetric: 'cpuMicros',
    baselines: engines.map(({ engine }) => line(engine, FEW)),
    lines: engines.flatMap(({ engine, rows, few, many }) => [
      { name: line(engine, rows), measure: (ms: number) => measure(many, ms), goals: [goal(engine)] },
      { name: line(engine, FEW), measure: (ms: number) => measure(few, ms) },
    ]),
  }
}

const inWords = (rows: number): string =>
  rows % 1_000_000 === 0 ? `${rows / 1_000_000} million` : `${rows / 1_000} thousand`
