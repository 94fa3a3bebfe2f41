import type { Figures } from '../figures.ts'
import type { Target } from '../load.ts'
import { cpuMs, writeCalls } from '../proc.ts'
import { startScript } from '../processes.ts'
import type { CrowdResult, CrowdTask } from '../realtime/crowd.ts'
import type { DialectName, Seat, Who } from '../realtime/dialects.ts'

/** A server that people meet on, and how they talk to it. */
export type Meeting = Target & {
  name: string
  dialect: DialectName
  /** New ones every time. */
  players(count: number): Promise<Who[]>
}

const ENTER_MS = 60_000

export type Talk = Omit<CrowdTask & { do: 'talk' }, 'do' | 'ms'>

/** People who enter now and stay until the end. */
export async function enterCrowd(opened: AsyncDisposableStack, meeting: Meeting, seats: readonly Seat[]) {
  const crowd = startScript<CrowdTask, CrowdResult>('realtime/crowd.ts')
  opened.defer(crowd.end)
  await crowd.ask({ do: 'enter', dialect: meeting.dialect, seats }, ENTER_MS)

  return {
    talk: (talk: Talk, ms: number) => measured(meeting, () => crowd.ask({ do: 'talk', ms, ...talk }, ms)),
    comeAndGo: (own: readonly (readonly Seat[])[], ms: number) =>
      measured(meeting, () => crowd.ask({ do: 'come and go', dialect: meeting.dialect, ms, seats: own }, ms)),
  }
}

/** Names and seats of so many rooms, full; the first in each makes it. */
export async function seatsIn(
  { port, players }: Meeting,
  place: Seat['place'],
  { rooms, perRoom, name }: { rooms: number; perRoom: number; name: string },
): Promise<Seat[]> {
  const all = await players(rooms * perRoom)
  return all.map((who, i) => {
    const room = Math.floor(i / perRoom)
    return { ...who, port, place, name: `${name}${room}`, isFirst: i % perRoom === 0 }
  })
}

/** What the server spent on it, each delivery or each visit; and how many writes, which are most of what a delivery costs. */
async function measured({ pid }: Target, work: () => Promise<CrowdResult>): Promise<Figures> {
  const [cpuBefore, writesBefore] = [cpuMs(pid), writeCalls(pid)]
  const { done, ...figures } = await work()
  const [cpu, writes] = [cpuMs(pid) - cpuBefore, writeCalls(pid) - writesBefore]
  return { cpuMicros: (cpu * 1_000) / done, writesEach: writes / done, ...figures }
}
