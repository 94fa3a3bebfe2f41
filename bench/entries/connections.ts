import { setTimeout as sleep } from 'node:timers/promises'

import { lazy } from '../../packages/server/src/platform/lazy.ts'
import type { Entry, Line } from '../harness.ts'
import { rssMb } from '../proc.ts'
import type { Seat } from '../realtime/dialects.ts'
import { enterCrowd, type Meeting, seatsIn } from '../targets/crowds.ts'
import {
  BARE,
  COLYSEUS,
  FRAMED_ONCE,
  SOCKET_IO,
  startMeetingPeers,
  startMeetingsFor,
} from '../targets/meetings.ts'
import { ON_SQLITE } from '../targets/services.ts'

const [ROOMS, AT_ONCE, PLAYERS_EACH] = [4, 16, 8]
const [IDLE_SOCKETS, IDLE_PER_ROOM] = [3_000, 8]
const IDLE_AFTER_MS = 60_000

export const joinEntry = (opened: AsyncDisposableStack, meetings: readonly Meeting[]): Entry => ({
  name: 'realtime join',
  about:
    'Connect, prove who you are, join a room of up to 5, leave it, close: 16 at once. The service verifies a signed token (once), looks whether its player is banned, connected or seated elsewhere, and tells the others in the room; the peers look a token up in a set and tell nobody.',
  compared: 'cpuMicros',
  against: [SOCKET_IO, COLYSEUS],
  lines: meetings
    .filter(({ name }) => name !== BARE && name !== FRAMED_ONCE)
    .map((meeting) => ({ name: meeting.name, measure: joining(opened, meeting) })),
})

function joining(opened: AsyncDisposableStack, meeting: Meeting): Line['measure'] {
  const held = { rooms: ROOMS, perRoom: 1, name: 'JOIN' }
  const enter = lazy(async () => enterCrowd(opened, meeting, await seatsIn(meeting, 'room', held)))

  return async (ms) => {
    const holders = await enter()
    // New ones every time: tokens do not last as long as a run may.
    const own: Seat[][] = []
    for (let i = 0; i < AT_ONCE; i++) {
      const seat = { port: meeting.port, place: 'room', name: `JOIN${i % ROOMS}`, isFirst: false } as const
      own.push((await meeting.players(PLAYERS_EACH)).map((who) => ({ ...who, ...seat })))
    }
    return holders.comeAndGo(own, ms)
  }
}

/** In processes that have done nothing else. */
export function idleEntry(opened: AsyncDisposableStack, withPeers: boolean): Entry {
  const start = lazy(async () => [
    await startMeetingsFor(opened, IDLE_SOCKETS),
    ...(withPeers ? await startMeetingPeers(opened) : []),
  ])
  const idle = { rooms: IDLE_SOCKETS / IDLE_PER_ROOM, perRoom: IDLE_PER_ROOM, name: 'IDLE' }

  function line(name: string): Line {
    const enter = lazy(async () => {
      const meeting = (await start()).find((each) => each.name === name)
      if (!meeting) throw new Error(`${name} was not started`)
      await enterCrowd(opened, meeting, await seatsIn(meeting, 'nowhere', idle))
      await sleep(IDLE_AFTER_MS)
      return meeting
    })
    return { name, measure: async () => ({ rssMb: rssMb((await enter()).pid) }) }
  }
  return {
    name: 'realtime idle',
    about:
      '3,000 sockets whose players are known and say nothing; in Colyseus they sit in rooms of 8. The memory of the process, a minute after the last has come.',
    compared: 'rssMb',
    against: [BARE, SOCKET_IO, COLYSEUS],
    lines: [
      { ...line(ON_SQLITE), goals: [{ number: 7, figure: 'rssMb', atMost: 150 }] },
      ...(withPeers ? [BARE, SOCKET_IO, COLYSEUS].map(line) : []),
    ],
  }
}
