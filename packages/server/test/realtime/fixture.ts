import assert from 'node:assert/strict'

import { until } from '../../src/testing/rooms.ts'
import type { Received } from '../../src/testing/sockets.ts'
import { setUpCallerOf } from '../server-process.ts'
import { ReconnectingPlayer } from './reconnecting-player.ts'
import { type NodeName, otherThan, type TwoNodes } from './two-nodes.ts'

export type Fixture = Awaited<ReturnType<typeof openFixture>>

const STATES = 10
let count = 0

/**
 * Creates a room, a channel of the players and a channel of the server, all owned by one node, with two members on each of the
 * two nodes.
 */
export async function openFixture(cluster: TwoNodes, owner: NodeName) {
  const { game, nodes } = cluster
  const newPlayer = async (node: NodeName) => {
    const player = new ReconnectingPlayer(game, await game.newPlayer(nodes[node]))
    await player.connect(nodes[node])
    return player
  }
  const [host, local] = [await newPlayer(owner), await newPlayer(owner)]
  const [remote, muted] = [await newPlayer(otherThan(owner)), await newPlayer(otherThan(owner))]
  const banned = new ReconnectingPlayer(game, await game.newPlayer(nodes[owner]))
  const all = [host, local, remote, muted]
  const [lobby, serverChannel] = [`lobby${++count}`, `@hall${count}`]

  const { room } = await host.must({ t: 'create' })
  const roomId = String(room.id)
  for (const player of all.slice(1)) await player.must({ t: 'join', roomId })
  await openServerChannel(cluster, owner, serverChannel, async () => {
    for (const channel of [lobby, serverChannel])
      for (const player of all) await player.must({ t: 'channelJoin', channel })
    return { mute: muted.id, ban: banned.id }
  })

  for (let i = 0; i < STATES; i++) await host.must({ t: 'setState', patch: { [`n${i}`]: i } })
  await cluster.isSnapshotSaved(roomId, `["n${STATES - 1}",`)
  // Acknowledged, but possibly not in a snapshot.
  await host.must({ t: 'setState', patch: { late: true } })
  await until(async () => all.every((player) => 'late' in player.roomState()))
  return {
    owner,
    roomId,
    lobby,
    serverChannel,
    all,
    onOwner: [host, local],
    elsewhere: [remote, muted],
    muted,
    banned,
  }
}

async function openServerChannel(
  { nodes, game }: TwoNodes,
  owner: NodeName,
  serverChannel: string,
  fill: () => Promise<{ mute: string; ban: string }>,
) {
  const path = `/v1/realtime/channels/${encodeURIComponent(serverChannel)}`
  const call = async (method: string, suffix: string, body: object) => {
    await setUpCallerOf(nodes[owner])(method, path + suffix, { key: game.secretKey, body })
  }
  await call('PUT', '', {})
  for (const [op, playerId] of Object.entries(await fill())) await call('POST', '/moderate', { op, playerId })
}

/** Checks that every message acknowledged from now on reaches every member exactly once. Returns the number of deliveries. */
export async function assertAllDelivered(
  { all, muted, lobby, serverChannel }: Fixture,
  inRoom: ReconnectingPlayer[],
): Promise<number> {
  const expected: { data: string; to: ReconnectingPlayer[] }[] = []
  for (const player of all) {
    const say = (channel: string) =>
      player.sendUnique((data) => ({ t: 'channelSend', channel, type: 'x', data }))
    expected.push({ data: await say(lobby), to: all })
    if (player !== muted) expected.push({ data: await say(serverChannel), to: all })
    else assert.equal(await player.ask({ t: 'channelSend', channel: serverChannel, type: 'x' }), 'muted')
  }
  for (const player of inRoom) {
    const data = await player.sendUnique((text) => ({ t: 'send', type: 'x', data: text }))
    expected.push({ data, to: inRoom.filter((each) => each !== player) })
  }
  const copiesReceived = (player: ReconnectingPlayer, data: string) =>
    player.receivedEvents.filter((event) => event['data'] === data).length
  await until(async () =>
    expected.every(({ data, to }) => to.every((player) => copiesReceived(player, data) > 0)),
  )
  // A second copy would have been sent by now, and frames sent before a reply arrive before it.
  for (const player of all) await player.drained()
  for (const { data, to } of expected)
    for (const player of all)
      assert.equal(
        copiesReceived(player, data),
        to.includes(player) ? 1 : 0,
        `copies of ${data} at ${player.id}`,
      )
  return expected.reduce((sum, { to }) => sum + to.length, 0)
}

/** Checks that all players have the saved state, agree on later changes, and have their own seat. */
export async function assertOneState({ roomId }: Fixture, inRoom: ReconnectingPlayer[]) {
  for (const player of inRoom) await player.must({ t: 'setState', patch: { [`end ${player.id}`]: true } })
  const ends = inRoom.map((player) => `end ${player.id}`)
  await until(async () => inRoom.every((player) => ends.every((end) => end in player.roomState())))
  const [first] = inRoom
  for (const player of inRoom) {
    const state = player.roomState()
    assert.deepEqual(sorted(state), sorted(first?.roomState() ?? {}))
    for (let i = 0; i < STATES; i++) assert.equal(state[`n${i}`], i, 'a state that was kept')
    const joined = player.receivedEvents.findLast(({ t }) => t === 'room_joined')
    assert.deepEqual([joined?.['room'].id, joined?.['selfId']], [roomId, player.id])
    assert.equal(joined?.['room'].players.filter(({ id }: Received) => id === player.id).length, 1)
  }
}

const sorted = (state: Record<string, unknown>) =>
  Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1))
