import type { Background } from './background.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.ts'
import type { Random } from './random.ts'

type Work = () => Promise<unknown>
type Chores = { everySecond: Work; everyMinute: Work; everyHour: Work }
type ChoreNeeds = { background: Pick<Background, 'run'>; random: Random }

const FIRST_HOURLY_MS = 30_000

/** What is done again and again while the service runs. */
export function createChores(
  { everySecond, everyMinute, everyHour }: Chores,
  { background, random }: ChoreNeeds,
) {
  const running: NodeJS.Timeout[] = []
  const repeat = (work: Work, ms: number) => running.push(setInterval(() => background.run(work), ms))

  return {
    start() {
      repeat(everySecond, SECOND_MS)
      repeat(everyMinute, MINUTE_MS)
      repeat(everyHour, HOUR_MS)
      // A service that is restarted more often than hourly would never come to it. Chance keeps nodes that are started together apart.
      const soonMs = FIRST_HOURLY_MS + random.bytes(2).readUInt16BE()
      running.push(setTimeout(() => background.run(everyHour), soonMs))
    },
    stop: () => running.forEach((timer) => clearTimeout(timer)),
  }
}

/** One after the other; one that fails keeps no other from its turn. */
export async function inTurn(works: readonly Work[]): Promise<void> {
  const failures: unknown[] = []
  for (const work of works) await work().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${works.length} failed`)
}
