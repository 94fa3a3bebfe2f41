import type { Background } from '../background.ts'
import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Random } from '../random.ts'

type Work = () => Promise<unknown>
type PeriodicWork = { everySecond: Work; everyMinute: Work; startJobs: () => void }
type PeriodicDeps = { background: Pick<Background, 'run'>; random: Random }

/** Jobs start later than the service, so that they do not slow its start; the random part separates nodes that start together. */
const FIRST_START_MS = 30_000

/** Work that every node repeats while it runs, by real time. */
export function createPeriodic(
  { everySecond, everyMinute, startJobs }: PeriodicWork,
  { background, random }: PeriodicDeps,
) {
  const timers: NodeJS.Timeout[] = []
  const repeat = (work: () => void, ms: number) => timers.push(setInterval(work, ms))

  return {
    start() {
      repeat(() => background.run(everySecond), SECOND_MS)
      repeat(() => background.run(everyMinute), MINUTE_MS)
      const firstStartMs = FIRST_START_MS + random.bytes(2).readUInt16BE()
      const startAll = () => {
        startJobs()
        repeat(startJobs, SECOND_MS)
      }
      timers.push(setTimeout(startAll, firstStartMs))
    },
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  }
}
