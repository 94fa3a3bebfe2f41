import { setTimeout as sleep } from 'node:timers/promises'

import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import type { Measured } from '../metrics.ts'
import { rssMb } from '../process-stats.ts'
import type { Participant } from '../realtime/dialects.ts'
import { connectClients, type RealtimeTarget, participantsIn } from '../targets/client-groups.ts'
import type { Around } from '../targets/games.ts'
import {
  BARE,
  COLYSEUS,
  FRAMED_ONCE,
  SOCKET_IO,
  SOCKET_IO_CHECKED,
  startRealtimePeers,
  restartRealtimeWith,
} from '../targets/realtime-targets.ts'
import { ON_SQLITE } from '../targets/services.ts'

const [ROOMS, CONCURRENCY, PLAYERS_EACH] = [4, 16, 8]
const [IDLE_SOCKETS, IDLE_PER_ROOM] = [3_000, 8]
const IDLE_AFTER_MS = 60_000
const HALF_OF_SOCKET_IO: Goal = { number: 6, baseline: SOCKET_IO, atMost: 0.5 }

export const joinEntry = (opened: AsyncDisposableStack, targets: readonly RealtimeTarget[]): Entry => ({
  name: 'realtime join',
  about:
    'Connect, authenticate, join a room of up to 5, leave it, close: 16 concurrently. The service verifies a signed token (once), checks whether its player is banned, connected or seated elsewhere, and notifies the other players of the room; the peers look a token up in a set and notify no one, except for the line that does the same work.',
  comparedMetric: 'cpuMicros',
  baselines: [SOCKET_IO, SOCKET_IO_CHECKED, COLYSEUS],
  lines: targets
    .filter(({ name }) => name !== BARE && name !== FRAMED_ONCE)
    .map((realtimeTarget) => ({
      name: realtimeTarget.name,
      measure: joining(opened, realtimeTarget),
      goals: realtimeTarget.name === ON_SQLITE ? [HALF_OF_SOCKET_IO] : [],
    })),
})

/** Signs players in, then measures: `around` is called without the sign-in. */
export function joining(opened: AsyncDisposableStack, realtimeTarget: RealtimeTarget) {
  const held = { rooms: ROOMS, perRoom: 1, name: 'JOIN' }
  const connect = lazy(async () =>
    connectClients(opened, realtimeTarget, await participantsIn(realtimeTarget, 'room', held)),
  )

  return async (ms: number, around: Around = (work) => work()): Promise<Measured> => {
    const holders = await connect()
    // Create new players each time: a run may take longer than a token is valid.
    const participants: Participant[][] = []
    for (let i = 0; i < CONCURRENCY; i++) {
      const room = {
        port: realtimeTarget.port,
        joins: 'room',
        name: `JOIN${i % ROOMS}`,
        isFirst: false,
      } as const
      participants.push(
        (await realtimeTarget.players(PLAYERS_EACH)).map((credentials) => ({ ...credentials, ...room })),
      )
    }
    return around(() => holders.connectAndLeave(participants, ms))
  }
}

/** Memory is measured in processes that have done nothing else. */
export function idleEntry(opened: AsyncDisposableStack, withPeers: boolean): Entry {
  const start = lazy(async () => [
    await restartRealtimeWith(opened, IDLE_SOCKETS),
    ...(withPeers ? await startRealtimePeers(opened) : []),
  ])
  const idle = { rooms: IDLE_SOCKETS / IDLE_PER_ROOM, perRoom: IDLE_PER_ROOM, name: 'IDLE' }

  function line(name: string): Line {
    const connect = lazy(async () => {
      const realtimeTarget = (await start()).find((each) => each.name === name)
      if (!realtimeTarget) throw new Error(`${name} was not started`)
      await connectClients(opened, realtimeTarget, await participantsIn(realtimeTarget, 'nothing', idle))
      await sleep(IDLE_AFTER_MS)
      return realtimeTarget
    })
    return { name, measure: async () => ({ rssMb: rssMb((await connect()).pid) }) }
  }
  return {
    name: 'realtime idle',
    about:
      '3,000 authenticated sockets that send nothing; in Colyseus they are in rooms of 8. The memory of the process, a minute after the last connection.',
    comparedMetric: 'rssMb',
    baselines: [BARE, SOCKET_IO, COLYSEUS],
    lines: [
      { ...line(ON_SQLITE), goals: [{ number: 7, metric: 'rssMb', atMost: 150 }] },
      ...(withPeers ? [BARE, SOCKET_IO, COLYSEUS].map(line) : []),
    ],
  }
}
