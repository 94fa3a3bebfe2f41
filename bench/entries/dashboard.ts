import type { Entry } from '../harness.ts'
import { startLoad } from '../load.ts'
import {
  type Filled,
  type ReadName,
  READS,
  startFilled,
  startFilledOnPostgres,
  tablesOf,
} from '../targets/dashboard.ts'
import { fetchStoredResponse, type Request } from '../targets/requests.ts'
import { growthEntry, type GrowthOptions, startGrown } from './growth.ts'

/** Developers are few: these reads do not run at the same time. */
const CONNECTIONS = 1
const entryName = (read: ReadName) => `growth of the dashboard, ${read}`

/** What the dashboard reads, with one thousand and with very many rows in each table. Only tables of selected entries are filled. */
export async function dashboardEntries(
  opened: AsyncDisposableStack,
  options: GrowthOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, CONNECTIONS)
  const reads = (Object.keys(READS) as ReadName[]).filter((read) => options.wants(entryName(read)))
  const tables = tablesOf(reads)
  const engines = await startGrown<Filled>(
    opened,
    {
      onSqlite: (stack, rows) => startFilled(stack, rows, tables),
      onPostgres: (stack, rows) => startFilledOnPostgres(stack, rows, tables),
    },
    options,
  )
  /** The first read counts the days that no read has counted before, which takes a minute among ten million rows. */
  const counted = new Set<Request>()
  async function measure(server: Filled, read: ReadName, ms: number) {
    const requests = server.requests[read]
    for (const request of requests) {
      if (!counted.has(request)) await fetchStoredResponse(server.port, request)
      counted.add(request)
    }
    return load(server, requests, ms)
  }
  return reads.map((read) => ({
    ...growthEntry(entryName(read), `${READS[read].about}: whole requests, one after the other.`, {
      engines,
      measure: (server, ms) => measure(server, read, ms),
    }),
    warmUpMs: 1_500,
  }))
}
