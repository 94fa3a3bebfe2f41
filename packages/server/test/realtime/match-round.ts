import assert from 'node:assert/strict'

import { until } from '../../src/testing/rooms.ts'
import { callerOf } from '../server-process.ts'
import { ReconnectingPlayer } from './reconnecting-player.ts'
import { MATCH_MODE, type NodeName, otherThan, type TwoNodes } from './two-nodes.ts'

/** A separate pool for every round, so that no room of the previous round is filled. */
let rounds = 0

const PLAYERS_PER_NODE = 5

export type MatchRoundReport = {
  /** Rooms in which the players have their seats at the end, by size. */
  rooms: number[]
  /** Players who had requested a match and had no seat when the node was killed. */
  waiting: number
}

/**
 * Players on both nodes ask for a match while the node that owns the queue and its rooms is killed. Players who stay connected ask
 * again only if their room was closed; those of the killed node reconnect to the other one, resume their room, or ask again. At the
 * end every player has exactly one seat, no room is too full, and no player waits. Throws otherwise.
 */
export async function matchRound(
  cluster: TwoNodes,
  owner: NodeName,
  seed: number,
): Promise<MatchRoundReport> {
  const { game, nodes } = cluster
  const other = otherThan(owner)
  const pool = `round-${++rounds}`
  const match = { t: 'quickMatch', mode: MATCH_MODE.key, pool }
  const playersOn = (node: NodeName) =>
    Promise.all(
      Array.from({ length: PLAYERS_PER_NODE }, async () => {
        const player = new ReconnectingPlayer(game, await game.newPlayer(nodes[node]))
        await player.connect(nodes[node])
        return player
      }),
    )
  const [onOwner, elsewhere] = [await playersOn(owner), await playersOn(other)]
  const [first, ...rest] = onOwner
  assert.ok(first)
  // The node on which the first player waits owns the queue, and the rooms that it starts.
  await first.must(match)

  // The node is killed after a number of replies that differs in every round.
  const all = [...onOwner, ...elsewhere]
  const asking = [...rest, ...elsewhere].map((player) => player.ask(match).catch(() => undefined))
  await Promise.race([Promise.all(asking), Promise.all(asking.slice(0, seed % asking.length))])
  const waiting = all.filter((player) => roomOf(player) === undefined).length
  await cluster.kill(owner)
  await Promise.all(asking)

  for (const player of onOwner) await comeBack(player, match, nodes[other])
  await until(async () => {
    for (const player of elsewhere) await askAgainIfClosed(player, match)
    return all.every((player) => roomOf(player) !== undefined)
  })
  const rooms = await seatsOf(cluster, other, all)
  await cluster.restart(owner)
  for (const player of all) await player.close()
  return { rooms, waiting }
}

/** The room of the player, according to its received events. */
const roomOf = ({ receivedEvents }: ReconnectingPlayer): string | undefined =>
  receivedEvents.findLast(({ t }) => t === 'room_joined' || t === 'room_closed')?.['room']?.id

/** A room that was started less than a second before the kill may be lost; its players are notified. */
async function askAgainIfClosed(player: ReconnectingPlayer, match: { t: string }) {
  const closed = player.receivedEvents.findIndex(({ t }) => t === 'room_closed')
  if (closed < 0) return
  player.receivedEvents.splice(0, closed + 1)
  await player.ask(match)
}

async function comeBack(
  player: ReconnectingPlayer,
  match: { t: string },
  node: { port: number },
): Promise<void> {
  await player.connect(node)
  const roomId = roomOf(player)
  if (roomId !== undefined && typeof (await player.ask({ t: 'resume', roomId })) !== 'string') return
  player.receivedEvents.length = 0
  await player.must(match)
}

/** The sizes of the rooms, according to the service. */
async function seatsOf(
  { game, nodes }: TwoNodes,
  node: NodeName,
  players: ReconnectingPlayer[],
): Promise<number[]> {
  const ids = new Set(players.map(({ id }) => id))
  const live = async () => {
    const { body } = await callerOf(nodes[node])('GET', '/v1/admin/realtime', { key: game.secretKey })
    const rooms = (body.rooms as { players: { id: string; connected: boolean }[] }[]).filter((room) =>
      room.players.some(({ id }) => ids.has(id)),
    )
    return { rooms, waiting: body.queues.length as number }
  }
  // A seat that was given just before the kill may still be kept for a disconnected player.
  await until(async () => {
    const { rooms, waiting } = await live()
    const connected = rooms.flatMap((room) => room.players.filter(({ connected }) => connected))
    return waiting === 0 && connected.length === ids.size
  })
  const { rooms } = await live()
  const seated = rooms.flatMap((room) =>
    room.players.filter(({ connected }) => connected).map(({ id }) => id),
  )
  assert.equal(new Set(seated).size, ids.size, 'everybody has one seat')
  for (const room of rooms) assert.ok(room.players.length <= MATCH_MODE.maxPlayers, 'a room is too full')
  return rooms.map((room) => room.players.length)
}
