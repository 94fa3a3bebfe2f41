import type { Entry, Goal } from '../harness.ts'
import { startLoad } from '../load.ts'
import { type RankedRequests, startRanked } from '../targets/ranked.ts'

const atMost = (baseline: string, ratio: number): Goal => ({ number: 9, baseline, atMost: ratio })
const cpuAtMost = (micros: number): Goal => ({ number: 9, metric: 'cpuMicros', atMost: micros })

/** Reports and reads of leaderboards on SQLite, with one million and with fifty thousand entries. */
export async function leaderboardEntries(
  opened: AsyncDisposableStack,
  { connections }: { connections: number },
): Promise<Entry[]> {
  const load = startLoad(opened, connections)
  async function ranked(entries: number, leaderboard?: object) {
    const server = await startRanked(entries, leaderboard)
    opened.defer(server.end)
    return (what: keyof RankedRequests) => (ms: number) =>
      load({ ...server, databases: [] }, server.requests[what], ms)
  }
  const million = { without: await ranked(1_000_000), with: await ranked(1_000_000, {}) }
  const few = { without: await ranked(50_000), with: await ranked(50_000, {}) }

  const report = (name: string, { without, with: on }: typeof million, ratio: number): Entry => ({
    name: `leaderboards report, ${name}`,
    about: `POST /v1/stats with three stats, one of them on a leaderboard of all time with ${name} entries; each report changes the value and moves the player by many places.`,
    comparedMetric: 'cpuMicros',
    baselines: ['without a leaderboard'],
    lines: [
      { name: 'with a leaderboard', measure: on('report'), goals: [atMost('without a leaderboard', ratio)] },
      { name: 'without a leaderboard', measure: without('report') },
    ],
  })
  return [
    report('1 million', million, 1.3),
    report('50 thousand', few, 1.1),
    {
      name: 'leaderboards read',
      about: 'Of 1 million entries. Whole requests: key, token and HTTP are included in the numbers.',
      comparedMetric: 'cpuMicros',
      baselines: [],
      lines: [
        { name: 'first 100, kept for a second', measure: million.with('kept'), goals: [cpuAtMost(100)] },
        {
          name: '91 to 100 of the first 600, with names',
          measure: million.with('top'),
          goals: [cpuAtMost(1_000)],
        },
        { name: '100 of any place, with names', measure: million.with('page') },
        { name: 'own rank, players of all places', measure: million.with('me'), goals: [cpuAtMost(2_000)] },
        { name: 'own rank and 10 around', measure: million.with('around'), goals: [cpuAtMost(1_000)] },
      ],
    },
  ]
}
