import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import { type GrowthRequests, startPrefilled } from '../targets/prefilled.ts'

const SMALL = 'svc on SQLite, 1 thousand rows'
const LARGE = 'svc on SQLite, 1 million rows'
const FLAT: Goal = { number: 8, baseline: SMALL, atMost: 1.3 }

const ABOUT: Record<keyof GrowthRequests, [name: string, about: string]> = {
  saveRead: ['growth of saves, read', 'GET /v1/saves/:key, about 500 bytes of data'],
  saveWrite: ['growth of saves, write', 'PUT /v1/saves/:key, about 500 bytes of data'],
  statsRead: ['growth of stats, read', 'GET /v1/stats, three stats of a player'],
  statsSubmit: ['growth of stats, submit', 'POST /v1/stats with three stats'],
}
const OPERATIONS = Object.keys(ABOUT) as (keyof GrowthRequests)[]

export async function growthEntries(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const small = await startPrefilled(1_000)
  opened.defer(small.end)
  const large = await startPrefilled(1_000_000)
  opened.defer(large.end)
  const measureOf = (server: typeof small, operation: keyof GrowthRequests) => (ms: number) =>
    load({ ...server, databases: [] }, server.requests[operation], ms)

  return OPERATIONS.map((operation) => ({
    name: ABOUT[operation][0],
    about: `${ABOUT[operation][1]}; the requested rows are spread over the whole table.`,
    comparedMetric: 'cpuMicros',
    baselines: [SMALL],
    lines: [
      { name: LARGE, measure: measureOf(large, operation), goals: [FLAT] },
      { name: SMALL, measure: measureOf(small, operation) },
    ],
  }))
}
