import type { Target } from '../load.ts'
import type { Measured } from '../metrics.ts'
import { cpuMs, writeCalls } from '../process-stats.ts'
import { startScript } from '../processes.ts'
import type { ClientResult, ClientTask } from '../realtime/client-process.ts'
import type { Credentials, DialectName, Participant } from '../realtime/dialects.ts'

/** A realtime server under test, and the protocol of its clients. */
export type RealtimeTarget = Target & {
  name: string
  dialect: DialectName
  /** Creates new players on every call. */
  players(count: number): Promise<Credentials[]>
}

const CONNECT_TIMEOUT_MS = 60_000

export type MessageLoad = Omit<ClientTask & { type: 'send' }, 'type' | 'ms'>

/** Connects clients that stay until the end of the run. */
export async function connectClients(
  opened: AsyncDisposableStack,
  realtimeTarget: RealtimeTarget,
  participants: readonly Participant[],
) {
  const clients = startScript<ClientTask, ClientResult>('realtime/client-process.ts')
  opened.defer(clients.end)
  await clients.ask({ type: 'connect', dialect: realtimeTarget.dialect, participants }, CONNECT_TIMEOUT_MS)

  return {
    leave: (count: number) => clients.ask({ type: 'leave', count }, CONNECT_TIMEOUT_MS),
    sendMessages: (load: MessageLoad, ms: number) =>
      measured(realtimeTarget, () => clients.ask({ type: 'send', ms, ...load }, ms)),
    connectAndLeave: (participants: readonly (readonly Participant[])[], ms: number) =>
      measured(realtimeTarget, () =>
        clients.ask({ type: 'connect and leave', dialect: realtimeTarget.dialect, ms, participants }, ms),
      ),
  }
}

/** Participants that fill `rooms` rooms. The first participant of each room creates it. */
export async function participantsIn(
  { port, players }: RealtimeTarget,
  joins: Participant['joins'],
  { rooms, perRoom, name }: { rooms: number; perRoom: number; name: string },
): Promise<Participant[]> {
  const all = await players(rooms * perRoom)
  return all.map((credentials, i) => {
    const room = Math.floor(i / perRoom)
    return { ...credentials, port, joins, name: `${name}${room}`, isFirst: i % perRoom === 0 }
  })
}

/** CPU of the server per delivery or visit, and its number of write calls, which are most of the cost of a delivery. */
async function measured({ pid }: Target, work: () => Promise<ClientResult>): Promise<Measured> {
  const [cpuBefore, writesBefore] = [cpuMs(pid), writeCalls(pid)]
  const { done, ...metrics } = await work()
  const [cpu, writes] = [cpuMs(pid) - cpuBefore, writeCalls(pid) - writesBefore]
  return { count: done, cpuMicros: (cpu * 1_000) / done, writesEach: writes / done, ...metrics }
}
