import type { Background } from '../background.ts'
import { MINUTE_MS, SECOND_MS } from '../clock.ts'
import type { Random } from '../random.ts'

type Work = () => Promise<unknown>
type PeriodicWork = { everySecond: Work; everyMinute: Work; lookForJobs: () => void }
type PeriodicDeps = { background: Pick<Background, 'run'>; random: Random }

/** Jobs start later than the service, so that they do not slow its start; the random part separates nodes that start together. */
const FIRST_LOOK_MS = 30_000

/** Work that every node repeats while it runs, by real time. */
export function createPeriodic(
  { everySecond, everyMinute, lookForJobs }: PeriodicWork,
  { background, random }: PeriodicDeps,
) {
  const timers: NodeJS.Timeout[] = []
  const repeat = (work: () => void, ms: number) => timers.push(setInterval(work, ms))

  return {
    start() {
      repeat(() => background.run(everySecond), SECOND_MS)
      repeat(() => background.run(everyMinute), MINUTE_MS)
      const firstLookMs = FIRST_LOOK_MS + random.bytes(2).readUInt16BE()
      const startLooking = () => {
        lookForJobs()
        repeat(lookForJobs, SECOND_MS)
      }
      timers.push(setTimeout(startLooking, firstLookMs))
    },
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  }
}
