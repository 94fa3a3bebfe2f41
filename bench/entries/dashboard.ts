import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import {
  type Filled,
  type ReadName,
  READS,
  startFilled,
  startFilledOnPostgres,
} from '../targets/dashboard.ts'
import type { EntryOptions } from '../targets/services.ts'

const [FEW, MANY] = [1_000, 1_000_000]
/** Developers are few: these reads do not run at the same time. */
const CONNECTIONS = 1

/** What the dashboard reads, with one thousand and with one million rows in each table. */
export async function dashboardEntries(
  opened: AsyncDisposableStack,
  { postgres }: EntryOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, CONNECTIONS)
  const engines = [
    { engine: 'SQLite', few: await startFilled(opened, FEW), many: await startFilled(opened, MANY) },
  ]
  if (postgres)
    engines.push({
      engine: 'PostgreSQL',
      few: await startFilledOnPostgres(opened, FEW),
      many: await startFilledOnPostgres(opened, MANY),
    })
  const measure = (server: Filled, name: ReadName) => (ms: number) => load(server, server.requests[name], ms)
  const small = (engine: string) => `${engine}, 1 thousand rows`
  const goal = (engine: string): Goal => ({ number: 8, baseline: small(engine), atMost: 1.3 })

  return (Object.keys(READS) as ReadName[]).map((name) => ({
    name: `growth of the dashboard, ${name}`,
    about: `${READS[name]}: whole requests, one after the other.`,
    comparedMetric: 'cpuMicros',
    baselines: engines.map(({ engine }) => small(engine)),
    lines: engines.flatMap(({ engine, few, many }) => [
      { name: `${engine}, 1 million rows`, measure: measure(many, name), goals: [goal(engine)] },
      { name: small(engine), measure: measure(few, name) },
    ]),
    warmUpMs: 1_500,
  }))
}
