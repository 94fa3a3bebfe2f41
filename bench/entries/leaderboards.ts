import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import type { Metrics } from '../metrics.ts'
import { freshFolder, startScript } from '../processes.ts'
import type { Checkpoints } from '../targets/checkpoints.ts'
import { type Ranked, type RankedRequests, startRanked, startRankedOnPostgres } from '../targets/ranked.ts'
import type { EntryOptions } from '../targets/services.ts'

const atMost = (baseline: string, ratio: number): Goal => ({ number: 10, baseline, atMost: ratio })
/** The CPU time of a report falls by a tenth in the first ten seconds, and more with a leaderboard than without. */
const REPORT_WARM_UP_MS = 15_000

const cpuAtMost = (micros: number): Goal => ({ number: 10, metric: 'cpuMicros', atMost: micros })

type Measure = (what: keyof RankedRequests) => (ms: number) => ReturnType<ReturnType<typeof startLoad>>
type Pair<Server> = { without: Measure; with: Measure; ranked: Server }

/** Reports and reads of leaderboards with one million and with fifty thousand entries; on PostgreSQL with fifty thousand. */
export async function leaderboardEntries(
  opened: AsyncDisposableStack,
  { connections, postgres }: EntryOptions,
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  async function pair<Server extends Ranked>(
    start: (
      opened: AsyncDisposableStack,
      entries: number,
      leaderboard: object | undefined,
    ) => Promise<Server>,
    entries: number,
  ): Promise<Pair<Server>> {
    const [without, ranked] = [await start(opened, entries, undefined), await start(opened, entries, {})]
    const measureOn =
      (server: Server): Measure =>
      (what) =>
      (ms) =>
        load(server, server.requests[what], ms)
    return { without: measureOn(without), with: measureOn(ranked), ranked }
  }
  const million = await pair(startRanked, 1_000_000)
  const few = await pair(startRanked, 50_000)
  const onPostgres = postgres ? await pair(startRankedOnPostgres, 50_000) : undefined

  return [
    report('1 million', million, 1.3),
    report('50 thousand', few, 1.1),
    reads('read', 'Of 1 million entries.', million.with),
    await checkpoints(opened, million.ranked),
    ...(onPostgres
      ? [
          report('50 thousand on PostgreSQL', onPostgres, 1.1),
          reads('read on PostgreSQL', 'Of 50 thousand entries.', onPostgres.with),
        ]
      : []),
  ]
}

/** In a process of its own, with a copy of the database. */
async function checkpoints(
  opened: AsyncDisposableStack,
  { copyDatabase }: Awaited<ReturnType<typeof startRanked>>,
): Promise<Entry> {
  const folder = freshFolder()
  await copyDatabase(folder)
  const script = startScript<Checkpoints, Metrics>('targets/checkpoints.ts', ['--data', folder])
  opened.defer(script.end)
  return {
    name: 'leaderboards checkpoint',
    about:
      'Checkpoints of 1 million entries, one after another: how long requests of the node wait for a step of them, and the time of a checkpoint.',
    comparedMetric: 'tickP99Ms',
    baselines: [],
    lines: [
      {
        name: 'on SQLite',
        measure: (ms) => script.ask({ ms }, ms),
        goals: [{ number: 10, metric: 'tickP99Ms', atMost: 2 }],
      },
    ],
  }
}

const report = (name: string, { without, with: on }: Pair<Ranked>, ratio: number): Entry => ({
  name: `leaderboards report, ${name}`,
  about: `POST /v1/stats with three stats, one of them on a leaderboard of all time: ${name} entries; each report changes the value and moves the player by many places.`,
  comparedMetric: 'cpuMicros',
  warmUpMs: REPORT_WARM_UP_MS,
  baselines: ['without a leaderboard'],
  lines: [
    { name: 'with a leaderboard', measure: on('report'), goals: [atMost('without a leaderboard', ratio)] },
    { name: 'without a leaderboard', measure: without('report') },
  ],
})

const reads = (name: string, about: string, on: Measure): Entry => ({
  name: `leaderboards ${name}`,
  about: `${about} Whole requests: key, token and HTTP are included in the numbers.`,
  comparedMetric: 'cpuMicros',
  baselines: [],
  lines: [
    { name: 'first 100, kept for a second', measure: on('kept'), goals: [cpuAtMost(100)] },
    { name: '91 to 100 of the first 600, with names', measure: on('top'), goals: [cpuAtMost(1_000)] },
    { name: '100 of any place, with names', measure: on('page'), goals: [cpuAtMost(1_000)] },
    { name: 'own rank, players of all places', measure: on('me'), goals: [cpuAtMost(2_000)] },
    { name: 'own rank and 10 around', measure: on('around'), goals: [cpuAtMost(1_000)] },
  ],
})
