import type { Entry, Goal, Line } from '../harness.ts'
import { startLoad } from '../load.ts'
import { startFilled } from '../targets/filled-saves.ts'
import type { SaveRequests } from '../targets/saves.ts'

const SMALL = 'svc on SQLite, 1 thousand rows'
const LARGE = 'svc on SQLite, 1 million rows'
const FLAT: Goal = { number: 8, atMost: 1.3 }
const WARM_UP_MS = 2_000

export async function saveGrowthEntries(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  const small = await startFilled(1_000)
  opened.defer(small.end)
  const large = await startFilled(1_000_000)
  opened.defer(large.end)
  const asking = (server: typeof small, what: keyof SaveRequests) => (ms: number) =>
    load({ ...server, databases: [] }, server.requests[what], ms)
  for (const server of [small, large]) {
    for (const what of ['read', 'write'] as const) await asking(server, what)(WARM_UP_MS)
  }

  const lines = (what: keyof SaveRequests): Line[] => [
    { name: LARGE, measure: asking(large, what), goal: FLAT },
    { name: SMALL, measure: asking(small, what) },
  ]
  return (['read', 'write'] as const).map((what) => ({
    name: `growth of saves, ${what}`,
    about: `${what === 'read' ? 'GET' : 'PUT'} /v1/saves/:key, about 500 bytes of data, up to 5,000 rows from all over the table in turn.`,
    compared: 'cpuMicros',
    bare: [SMALL],
    lines: lines(what),
  }))
}
