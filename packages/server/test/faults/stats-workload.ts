import { runPlayers } from './player-process.ts'
import { REPORTERS, reportedValue } from './workloads.ts'

const config = {
  features: { stats: true },
  stats: [
    { key: 'points', aggregation: 'sum' },
    { key: 'best', aggregation: 'max' },
    { key: 'level', aggregation: 'latest' },
  ],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

await runPlayers(config, async (player, call, note) => {
  const report = async (reporter: number) => {
    for (let count = 1; ; count++) {
      const value = reportedValue(reporter, count)
      await call('POST', '/v1/stats', { stats: { points: count, best: value, level: value } })
      note(`${player} ${reporter} ${count}`)
    }
  }
  await Promise.all(Array.from({ length: REPORTERS }, (_, reporter) => report(reporter)))
})
