import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'

import { createBoardStore } from '../../packages/server/src/capabilities/leaderboards/boards-store.ts'
import { createEntryStore } from '../../packages/server/src/capabilities/leaderboards/entries-store.ts'
import { createRanks } from '../../packages/server/src/capabilities/leaderboards/ranks.ts'
import { openDatabase } from '../../packages/server/src/engines/database/open.ts'
import { createBackground } from '../../packages/server/src/platform/background.ts'
import { createMovableClock, HOUR_MS } from '../../packages/server/src/platform/clock.ts'
import { systemRandom } from '../../packages/server/src/platform/random.ts'
import type { Metrics } from '../metrics.ts'
import { runWorkerLoop } from '../worker-loop.ts'

export type Checkpoints = { ms: number }

const { values } = parseArgs({ options: { data: { type: 'string', default: '' } } })
const clock = createMovableClock()
const db = await openDatabase({ dataDir: values.data, clock, log: () => {} })
const boards = createBoardStore(db)
const background = createBackground((error) => {
  throw error
}, systemRandom)
const entries = createEntryStore(db, () => {
  throw new Error('a checkpoint reads no players')
})
const ranks = createRanks(boards, { clock, background, entries })
const [board] = await boards.allOpen({ afterId: 0, limit: 1 })
if (!board) throw new Error('there is no leaderboard')
await ranks.count(board)

/** Duration of every tick of the event loop, without idle time. */
const loop = monitorEventLoopDelay({ samplePerIteration: true })
loop.enable()

runWorkerLoop(async ({ ms }: Checkpoints): Promise<Metrics> => {
  let made = 0
  loop.reset()
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  for (; performance.now() < startedAt + ms; made++) {
    // The last checkpoint is out of date: the next count starts another one.
    clock.advance(HOUR_MS)
    await ranks.count(board)
    await background.drained()
  }
  const { user, system } = process.cpuUsage(cpu)
  return {
    tickP99Ms: loop.percentile(99) / 1e6,
    blockedMs: loop.max / 1e6,
    wallMs: (performance.now() - startedAt) / made,
    cpuMs: (user + system) / 1_000 / made,
  }
})
