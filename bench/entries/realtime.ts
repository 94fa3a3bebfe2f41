import { lazy } from '../../packages/server/src/platform/lazy.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import type { Order } from '../realtime/crowd.ts'
import { enterCrowd, type Meeting, seatsIn } from '../targets/crowds.ts'
import {
  BARE,
  COLYSEUS,
  FRAMED_ONCE,
  SOCKET_IO,
  startMeetingPeers,
  startMeetings,
} from '../targets/meetings.ts'
import { ON_SQLITE } from '../targets/services.ts'
import { idleEntry, joinEntry } from './connections.ts'

const PER_ROOM = 8
const PER_SECOND = 20
/** With what a frame has around them 100 bytes in a room, 200 in a channel. */
const [ROOM_TEXT_BYTES, CHANNEL_TEXT_BYTES] = [60, 132]
const MEMBERS = 1_000

const NOTHING_LOST: Goal = { number: 5, figure: 'lost', atMost: 0 }
const RELAY_GOALS: Goal[] = [
  { number: 5, against: FRAMED_ONCE, atMost: 1.5 },
  { number: 5, against: COLYSEUS, atMost: 0.75 },
  { number: 5, against: SOCKET_IO, atMost: 0.75 },
  NOTHING_LOST,
]
const FULL_GOALS: Goal[] = [{ number: 5, figure: 'p99Ms', atMost: 20 }, NOTHING_LOST]
const BROADCAST_GOALS: Goal[] = [
  { number: 6, against: FRAMED_ONCE, atMost: 1.4 },
  { number: 6, against: SOCKET_IO, atMost: 0.6 },
]
const PER_DELIVERY = { compared: 'cpuMicros', against: [FRAMED_ONCE, BARE, SOCKET_IO, COLYSEUS] } as const

/** People enter at the first measurement of their line and stay; those who are not measured just then say nothing. */
export async function realtimeEntries(opened: AsyncDisposableStack, withPeers: boolean): Promise<Entry[]> {
  const peers = withPeers ? await startMeetingPeers(opened) : []
  const meetings = [await startMeetings(opened), ...peers]
  const relays = meetings.map((meeting) => ({ meeting, relay: relay(opened, meeting, 'RELAY', 25) }))
  const full = meetings
    .filter(({ name }) => name === ON_SQLITE || name === FRAMED_ONCE)
    .map((meeting) => ({ meeting, relay: relay(opened, meeting, 'FULL', 50) }))

  return [
    {
      name: 'realtime relay',
      about:
        '25 rooms of 8; every player says 20 messages a second, of 100 bytes, to the other 7, and those of a room right after each other, as on a common beat. Per delivered message. The bare servers check nothing; framed once and written once per turn of the loop is the limit of Node.',
      ...PER_DELIVERY,
      lines: relays.map((each) => line(each.meeting, (ms) => each.relay('by room', ms), RELAY_GOALS)),
    },
    {
      name: 'realtime relay, no beat',
      about: 'The same, but no two of a room talk at the same time, so that little can be written together.',
      ...PER_DELIVERY,
      lines: relays.map((each) => line(each.meeting, (ms) => each.relay('spread', ms))),
    },
    {
      name: 'realtime relay, full',
      about: '50 rooms of 8: 56,000 deliveries a second.',
      ...PER_DELIVERY,
      lines: full.map((each) => line(each.meeting, (ms) => each.relay('by room', ms), FULL_GOALS)),
    },
    {
      name: 'realtime broadcast',
      about:
        'One member of a channel says 20 messages a second, of 200 bytes, to all 1,000. Per delivered message.',
      ...PER_DELIVERY,
      lines: meetings.map((meeting) => line(meeting, broadcast(opened, meeting), BROADCAST_GOALS)),
    },
    joinEntry(opened, meetings),
    idleEntry(opened, withPeers),
  ]
}

const line = ({ name }: Meeting, measure: Line['measure'], goals: Goal[] = []): Line => ({
  name,
  measure,
  goals: name === ON_SQLITE ? goals : [],
})

export function relay(opened: AsyncDisposableStack, meeting: Meeting, name: string, rooms: number) {
  const enter = lazy(async () =>
    enterCrowd(opened, meeting, await seatsIn(meeting, 'room', { rooms, perRoom: PER_ROOM, name })),
  )
  const [talkers, hearers] = [rooms * PER_ROOM, PER_ROOM - 1]
  return async (order: Order, ms: number) => {
    const crowd = await enter()
    return crowd.talk({ talkers, perSecond: PER_SECOND, bytes: ROOM_TEXT_BYTES, hearers, order }, ms)
  }
}

export function broadcast(opened: AsyncDisposableStack, meeting: Meeting): Line['measure'] {
  const channel = { rooms: 1, perRoom: MEMBERS, name: '@bench' }
  const enter = lazy(async () => enterCrowd(opened, meeting, await seatsIn(meeting, 'channel', channel)))
  // The peers leave out whoever says it.
  const hearers = meeting.dialect === 'svc' ? MEMBERS : MEMBERS - 1
  return async (ms) => {
    const crowd = await enter()
    return crowd.talk(
      { talkers: 1, perSecond: PER_SECOND, bytes: CHANNEL_TEXT_BYTES, hearers, order: 'by room' },
      ms,
    )
  }
}
