import { parseArgs } from 'node:util'

import { runHostile } from './hostile-run.ts'

/**
 * node --conditions=source packages/server/test/hostile/hostile.ts [--functions 200 --rooms 24 --minutes 20 --visitors 24 --players 10 --seed 1]
 *
 * Hostile functions and rooms share a service with an honest game. Ends with 1 if the service ended, an error escaped, a request of the game
 * failed, sockets or processes are left, or the game's p99 was more than `--ratio` times that without them (0: on a busy machine, any).
 */
const { values } = parseArgs({
  options: {
    functions: { type: 'string', default: '200' },
    rooms: { type: 'string', default: '24' },
    minutes: { type: 'string', default: '20' },
    visitors: { type: 'string', default: '24' },
    players: { type: 'string', default: '10' },
    ratio: { type: 'string', default: '2' },
    quiet: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)
const report = await runHostile(
  {
    functions: Number(values.functions),
    rooms: Number(values.rooms),
    visitors: Number(values.visitors),
    players: Number(values.players),
    seed: Number(values.seed),
    quietSeconds: Number(values.quiet),
    hostileSeconds: Number(values.minutes) * 60,
  },
  log,
)
const { sockets, processes } = report.left
const ratioMax = Number(values.ratio) || Infinity
let isGood = report.escaped === 0 && sockets[1] <= sockets[0] && processes[1] <= processes[0]
for (const [name, { p99, failed, count }] of Object.entries(report.hostile)) {
  // What hostile visitors have started goes on for a while after them, so only the time before is quiet.
  const without = report.quiet[0]?.[name]?.p99 ?? 0
  const ratio = p99 / without
  if (ratio > ratioMax || failed > 0) isGood = false
  log(
    `${name}: p99 ${p99.toFixed(1)} ms, without ${without.toFixed(1)} ms, ratio ${ratio.toFixed(2)}; ${failed} of ${count + failed} failed`,
  )
}
log(
  `answers: ${JSON.stringify(report.statuses)}; escaped errors ${report.escaped}; ${report.frames} hostile frames; sockets ${sockets.join(' → ')}, processes ${processes.join(' → ')}; memory of the service at most ${report.megabytesMax.toFixed(0)} MB`,
)
process.exit(isGood ? 0 : 1)
