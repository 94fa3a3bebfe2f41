import assert from 'node:assert/strict'

import { until } from '../../src/testing/rooms.ts'
import type { Received } from '../../src/testing/sockets.ts'
import { assertAllDelivered, assertOneState, type Fixture, openFixture } from './fixture.ts'
import type { ReconnectingPlayer } from './reconnecting-player.ts'
import { type NodeName, otherThan, type TwoNodes } from './two-nodes.ts'

export const FAULTS = [
  'kill -9 of the owner',
  'kill -9 of the node without the room',
  'owner frozen beyond its lease',
  'node without the room frozen beyond its lease',
  'Redis restarted',
  'Redis flushed',
] as const
export type Fault = (typeof FAULTS)[number]

export type RoundReport = {
  fault: Fault
  /** Clients that stayed connected, by what they received: a new room_joined, room_closed, or neither. */
  received: Record<'room_joined' | 'room_closed' | 'nothing', number>
  /** Time from the fault, or from the wake-up of a frozen node, until the last client was notified. */
  noticedMs: number
  /** Messages delivered after the fault, each exactly once. */
  deliveries: number
}

const ROOM_RESULTS = ['room_joined', 'room_closed']
const OWNER_EVENTS = ['state', 'message', 'player_state', 'locked', 'host_changed', 'player_left']

/**
 * Injects a fault. Afterwards all clients that stayed connected or reconnected must be in one room with the saved state, or must
 * know that it was closed, and must receive each other's messages. Throws otherwise.
 */
export async function faultRound(cluster: TwoNodes, fault: Fault, owner: NodeName): Promise<RoundReport> {
  const fixture = await openFixture(cluster, owner)
  const marks = new Map(fixture.all.map((player) => [player, player.receivedEvents.length]))
  const since = (player: ReconnectingPlayer) => player.receivedEvents.slice(marks.get(player))
  const { survivors, noticedMs } = await injectFault(cluster, fault, fixture, since)

  const received = { room_joined: 0, room_closed: 0, nothing: 0 }
  for (const player of survivors) received[roomResultIn(since(player)) ?? 'nothing']++
  const lost = fixture.all.filter((player) => !survivors.includes(player))
  for (const player of lost) await reconnect(cluster, fixture, player, received.room_closed > 0)
  if (lost.length > 0) await cluster.restart(deadNode(fixture, lost))

  const inRoom = fixture.all.filter((player) => roomResultIn(since(player)) !== 'room_closed')
  const deliveries = await assertAllDelivered(fixture, inRoom)
  await assertOneState(fixture, inRoom)
  await fixture.banned.connect(cluster.nodes[otherThan(owner)])
  assert.equal(
    await fixture.banned.ask({ t: 'channelJoin', channel: fixture.serverChannel }),
    'channel_banned',
  )
  for (const player of [...fixture.all, fixture.banned]) await player.close()
  return { fault, received, noticedMs, deliveries }
}

const roomResultIn = (received: Received[]) =>
  received.findLast(({ t }) => ROOM_RESULTS.includes(t))?.t as 'room_joined' | 'room_closed' | undefined

type Since = (player: ReconnectingPlayer) => Received[]

/** Resolves when every client that is still connected was notified. */
async function injectFault(
  cluster: TwoNodes,
  fault: Fault,
  { owner, all, onOwner, elsewhere }: Fixture,
  since: Since,
) {
  const other = otherThan(owner)
  const untilTold = (players: ReconnectingPlayer[], types: string[]) =>
    until(async () => players.every((player) => since(player).some(({ t }) => types.includes(t))))
  const measured = async (survivors: ReconnectingPlayer[], work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    return { survivors, noticedMs: performance.now() - startedAt }
  }

  switch (fault) {
    case 'kill -9 of the owner':
      await cluster.kill(owner)
      return measured(elsewhere, () => untilTold(elsewhere, ROOM_RESULTS))
    case 'kill -9 of the node without the room':
      await cluster.kill(other)
      return measured(onOwner, () => untilTold(onOwner, ['player_disconnected']))
    case 'owner frozen beyond its lease': {
      cluster.freeze(owner)
      // Frames that are sent to the frozen node wait until it wakes up.
      for (const { id, socket } of onOwner) socket.send({ t: 'setState', patch: { [`frozen ${id}`]: true } })
      await untilTold(elsewhere, ROOM_RESULTS)
      cluster.wake(owner)
      const noticed = await measured(all, () => untilTold(onOwner, ROOM_RESULTS))
      for (const player of onOwner) assertNoOwnerEvents(since(player))
      return noticed
    }
    case 'node without the room frozen beyond its lease':
      cluster.freeze(other)
      await untilTold(onOwner, ['player_disconnected'])
      cluster.wake(other)
      return measured(all, () => untilTold(elsewhere, ROOM_RESULTS))
    case 'Redis restarted':
      await cluster.restartRedis()
      return measured(all, () => untilTold(elsewhere, ROOM_RESULTS))
    case 'Redis flushed':
      await cluster.flushRedis()
      return measured(all, () => untilTold(elsewhere, ROOM_RESULTS))
  }
}

/** A former owner must send no events of the room: the first event that its clients get is a new room_joined. */
function assertNoOwnerEvents(received: Received[]) {
  const before = received.slice(
    0,
    received.findIndex(({ t }) => ROOM_RESULTS.includes(t)),
  )
  const ownerEvents = before.filter(({ t }) => OWNER_EVENTS.includes(t))
  assert.deepEqual(ownerEvents, [], 'the former owner sent events')
}

/** Reconnects the player to the surviving node, and resumes the room and the channels. */
async function reconnect(
  cluster: TwoNodes,
  fixture: Fixture,
  player: ReconnectingPlayer,
  mayBeOver: boolean,
) {
  await player.connect(cluster.nodes[otherThan(deadNode(fixture, [player]))])
  const resume = { t: 'resume', roomId: fixture.roomId }
  if (!mayBeOver) await player.must(resume)
  else if ((await player.ask(resume)) === 'room_not_found') player.receivedEvents.push({ t: 'room_closed' })
  for (const channel of [fixture.lobby, fixture.serverChannel])
    await player.must({ t: 'channelJoin', channel })
}

const deadNode = ({ owner, onOwner }: Fixture, [lost]: ReconnectingPlayer[]): NodeName =>
  lost && onOwner.includes(lost) ? owner : otherThan(owner)
