import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import type { Entry, Goal, Line } from '../harness.ts'
import type { Order } from '../realtime/client-process.ts'
import { connectClients, type RealtimeTarget, participantsIn } from '../targets/client-groups.ts'
import {
  BARE,
  COLYSEUS,
  FRAMED_ONCE,
  SOCKET_IO,
  startCheckedSocketIo,
  startRealtimePeers,
  startRealtime,
} from '../targets/realtime-targets.ts'
import { ON_SQLITE } from '../targets/services.ts'
import { idleEntry, joinEntry } from './connections.ts'

const PER_ROOM = 8
const PER_SECOND = 20
/** With the rest of the frame this makes 100 bytes in a room and 200 in a channel. */
const [ROOM_TEXT_BYTES, CHANNEL_TEXT_BYTES] = [60, 132]
const MEMBERS = 1_000

const NOTHING_LOST: Goal = { number: 5, metric: 'lost', atMost: 0 }
const RELAY_GOALS: Goal[] = [
  { number: 5, baseline: FRAMED_ONCE, atMost: 1.2 },
  { number: 5, baseline: COLYSEUS, atMost: 0.5 },
  { number: 5, baseline: SOCKET_IO, atMost: 0.5 },
  NOTHING_LOST,
]
const FULL_GOALS: Goal[] = [{ number: 5, metric: 'p99Ms', atMost: 20 }, NOTHING_LOST]
const BROADCAST_GOALS: Goal[] = [
  { number: 6, baseline: FRAMED_ONCE, atMost: 1.2 },
  { number: 6, baseline: SOCKET_IO, atMost: 0.5 },
]
const PER_DELIVERY = {
  comparedMetric: 'cpuMicros',
  baselines: [FRAMED_ONCE, BARE, SOCKET_IO, COLYSEUS],
} as const

/**
 * The clients of a line connect at its first measurement and stay connected. Clients of other lines send nothing during a
 * measurement.
 */
export async function realtimeEntries(opened: AsyncDisposableStack, withPeers: boolean): Promise<Entry[]> {
  const peers = withPeers ? await startRealtimePeers(opened) : []
  const targets = [await startRealtime(opened), ...peers]
  const relays = targets.map((realtimeTarget) => ({
    realtimeTarget,
    relay: relay(opened, realtimeTarget, 'RELAY', 25),
  }))
  const full = targets
    .filter(({ name }) => name === ON_SQLITE || name === FRAMED_ONCE)
    .map((realtimeTarget) => ({ realtimeTarget, relay: relay(opened, realtimeTarget, 'FULL', 50) }))

  return [
    {
      name: 'realtime relay',
      about:
        '25 rooms of 8; every player sends 20 messages of 100 bytes per second to the other 7; the players of a room send right after each other, as with a common game tick. Per delivered message. The bare servers check nothing; framing a message once and writing once per tick of the event loop is the limit of Node.',
      ...PER_DELIVERY,
      lines: relays.map((each) => line(each.realtimeTarget, (ms) => each.relay('by room', ms), RELAY_GOALS)),
    },
    {
      name: 'realtime relay, spread',
      about:
        'The same, but no two players of a room send at the same time, so that few messages can be written together.',
      ...PER_DELIVERY,
      lines: relays.map((each) => line(each.realtimeTarget, (ms) => each.relay('spread', ms))),
    },
    {
      name: 'realtime relay, full',
      about: '50 rooms of 8: 56,000 deliveries per second.',
      ...PER_DELIVERY,
      lines: full.map((each) => line(each.realtimeTarget, (ms) => each.relay('by room', ms), FULL_GOALS)),
    },
    {
      name: 'realtime broadcast',
      about:
        'One member of a channel sends 20 messages of 200 bytes per second to all 1,000 members. Per delivered message.',
      ...PER_DELIVERY,
      lines: targets.map((realtimeTarget) =>
        line(realtimeTarget, broadcast(opened, realtimeTarget), BROADCAST_GOALS),
      ),
    },
    joinEntry(opened, withPeers ? [...targets, await startCheckedSocketIo(opened)] : targets),
    idleEntry(opened, withPeers),
  ]
}

const line = ({ name }: RealtimeTarget, measure: Line['measure'], goals: Goal[] = []): Line => ({
  name,
  measure,
  goals: name === ON_SQLITE ? goals : [],
})

export function relay(
  opened: AsyncDisposableStack,
  realtimeTarget: RealtimeTarget,
  name: string,
  rooms: number,
) {
  const connect = lazy(async () =>
    connectClients(
      opened,
      realtimeTarget,
      await participantsIn(realtimeTarget, 'room', { rooms, perRoom: PER_ROOM, name }),
    ),
  )
  const [senders, receivers] = [rooms * PER_ROOM, PER_ROOM - 1]
  return async (order: Order, ms: number) => {
    const clients = await connect()
    return clients.sendMessages(
      { senders, perSecond: PER_SECOND, bytes: ROOM_TEXT_BYTES, receivers, order },
      ms,
    )
  }
}

export function broadcast(opened: AsyncDisposableStack, realtimeTarget: RealtimeTarget) {
  const channel = { rooms: 1, perRoom: MEMBERS, name: '@bench' }
  const connect = lazy(async () =>
    connectClients(opened, realtimeTarget, await participantsIn(realtimeTarget, 'channel', channel)),
  )
  // The peers do not deliver a message to its sender.
  const receivers = realtimeTarget.dialect === 'svc' ? MEMBERS : MEMBERS - 1
  return async (ms: number) => {
    const clients = await connect()
    return clients.sendMessages(
      { senders: 1, perSecond: PER_SECOND, bytes: CHANNEL_TEXT_BYTES, receivers, order: 'by room' },
      ms,
    )
  }
}
