import assert from 'node:assert/strict'

import { until } from '../../src/testing/rooms.ts'
import type { Received } from '../../src/testing/sockets.ts'
import type { PersistentPlayer } from './persistent-player.ts'
import { assertAllTalk, assertOneState, openScene, type Scene } from './scene.ts'
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
  /** Of clients whose connection stayed: a fresh room_joined, room_closed, or neither because nothing was to be told. */
  told: Record<'room_joined' | 'room_closed' | 'nothing', number>
  /** From the fault, or from the moment when a frozen node woke, until the last of them knew. */
  noticedMs: number
  /** After it, each once. */
  deliveries: number
}

const NEWS = ['room_joined', 'room_closed']
const WORDS_OF_AN_OWNER = ['state', 'message', 'player_state', 'locked', 'host_changed', 'player_left']

/**
 * Something goes wrong; then all who are still there, and all who come back, are in one room with the state that was kept, or know
 * that it is over; and they talk to each other. Anything else is thrown.
 */
export async function faultRound(world: TwoNodes, fault: Fault, owner: NodeName): Promise<RoundReport> {
  const scene = await openScene(world, owner)
  const marks = new Map(scene.all.map((player) => [player, player.told.length]))
  const since = (player: PersistentPlayer) => player.told.slice(marks.get(player))
  const { survivors, noticedMs } = await happen(world, fault, scene, since)

  const told = { room_joined: 0, room_closed: 0, nothing: 0 }
  for (const player of survivors) told[newsAmong(since(player)) ?? 'nothing']++
  const lost = scene.all.filter((player) => !survivors.includes(player))
  for (const player of lost) await comeBack(world, scene, player, told.room_closed > 0)
  if (lost.length > 0) await world.restart(deadNode(scene, lost))

  const inRoom = scene.all.filter((player) => newsAmong(since(player)) !== 'room_closed')
  const deliveries = await assertAllTalk(scene, inRoom)
  await assertOneState(scene, inRoom)
  await scene.banned.connect(world.nodes[otherThan(owner)])
  assert.equal(await scene.banned.ask({ t: 'channelJoin', channel: scene.hall }), 'channel_banned')
  for (const player of [...scene.all, scene.banned]) await player.close()
  return { fault, told, noticedMs, deliveries }
}

const newsAmong = (told: Received[]) =>
  told.findLast(({ t }) => NEWS.includes(t))?.t as 'room_joined' | 'room_closed' | undefined

type Since = (player: PersistentPlayer) => Received[]

/** Ends when every client that still has its connection knows. */
async function happen(
  world: TwoNodes,
  fault: Fault,
  { owner, all, onOwner, elsewhere }: Scene,
  since: Since,
) {
  const other = otherThan(owner)
  const untilTold = (players: PersistentPlayer[], types: string[]) =>
    until(async () => players.every((player) => since(player).some(({ t }) => types.includes(t))))
  const measured = async (survivors: PersistentPlayer[], work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    return { survivors, noticedMs: performance.now() - startedAt }
  }

  switch (fault) {
    case 'kill -9 of the owner':
      await world.kill(owner)
      return measured(elsewhere, () => untilTold(elsewhere, NEWS))
    case 'kill -9 of the node without the room':
      await world.kill(other)
      return measured(onOwner, () => untilTold(onOwner, ['player_disconnected']))
    case 'owner frozen beyond its lease': {
      world.freeze(owner)
      // What those on the frozen node say meanwhile waits for it.
      for (const { id, socket } of onOwner) socket.send({ t: 'setState', patch: { [`frozen ${id}`]: true } })
      await untilTold(elsewhere, NEWS)
      world.wake(owner)
      const noticed = await measured(all, () => untilTold(onOwner, NEWS))
      for (const player of onOwner) assertSilence(since(player))
      return noticed
    }
    case 'node without the room frozen beyond its lease':
      world.freeze(other)
      await untilTold(onOwner, ['player_disconnected'])
      world.wake(other)
      return measured(all, () => untilTold(elsewhere, NEWS))
    case 'Redis restarted':
      await world.restartRedis()
      return measured(all, () => untilTold(elsewhere, NEWS))
    case 'Redis flushed':
      await world.flushRedis()
      return measured(all, () => untilTold(elsewhere, NEWS))
  }
}

/** An owner that was thought dead says nothing of the room any more: the first thing that its clients hear is the room anew. */
function assertSilence(told: Received[]) {
  const before = told.slice(
    0,
    told.findIndex(({ t }) => NEWS.includes(t)),
  )
  const words = before.filter(({ t }) => WORDS_OF_AN_OWNER.includes(t))
  assert.deepEqual(words, [], 'a word of the former owner')
}

/** On a new connection, to the node that is left: whoever was lost takes up what it did. */
async function comeBack(world: TwoNodes, scene: Scene, player: PersistentPlayer, mayBeOver: boolean) {
  await player.connect(world.nodes[otherThan(deadNode(scene, [player]))])
  const resume = { t: 'resume', roomId: scene.roomId }
  if (!mayBeOver) await player.must(resume)
  else if ((await player.ask(resume)) === 'room_not_found') player.told.push({ t: 'room_closed' })
  for (const channel of [scene.lobby, scene.hall]) await player.must({ t: 'channelJoin', channel })
}

const deadNode = ({ owner, onOwner }: Scene, [lost]: PersistentPlayer[]): NodeName =>
  lost && onOwner.includes(lost) ? owner : otherThan(owner)
