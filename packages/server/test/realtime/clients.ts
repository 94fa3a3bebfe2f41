import { setTimeout as pause } from 'node:timers/promises'

import { ClientSocket } from './client-socket.ts'
import type { GameServer, SignedIn } from './game-server.ts'

type Address = { port: number }
export type LoadPlayer = { session: SignedIn; socket: ClientSocket; roomId: string }
export type DeliveryCounts = {
  sent: number
  expected: number
  delivered: number
  lost: number
  duplicates: number
}

const CONCURRENCY = 40
const ROOM_SIZE = 4
const TYPE = 'n'
const SECOND_MS = 1_000
/** Long enough for the messages in flight after the last send. */
const DELIVERY_TIMEOUT_MS = 20_000

/** Creates `count` players, each with a connection. */
export async function connectPlayers(
  server: Address,
  game: GameServer,
  count: number,
): Promise<LoadPlayer[]> {
  const players: LoadPlayer[] = []
  const work = async () => {
    while (players.length < count) {
      const index =
        players.push({ session: { id: '', accessToken: '' }, socket: undefined as never, roomId: '' }) - 1
      const session = await game.newPlayer(server)
      players[index] = { session, socket: await connectPlayer(server, game, session), roomId: '' }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return players
}

export const connectPlayer = (
  server: Address,
  { publishableKey: key }: GameServer,
  { accessToken }: SignedIn,
) => ClientSocket.open(server.port, { key, token: accessToken })

/** Seats the players in rooms of four. */
export async function joinRooms(players: LoadPlayer[]) {
  for (let i = 0; i < players.length; i += ROOM_SIZE) {
    const [host, ...others] = players.slice(i, i + ROOM_SIZE)
    const made = (await host?.socket.ask({ t: 'create', private: true })) as
      | { room: { id: string } }
      | undefined
    const roomId = made?.room.id ?? ''
    await Promise.all(others.map(({ socket }) => socket.ask({ t: 'join', roomId })))
    for (const player of players.slice(i, i + ROOM_SIZE)) player.roomId = roomId
  }
}

/**
 * Every player sends one message per second, not all at the same moment. All others in the room must receive every message once
 * and in order.
 */
export async function exchangeMessages(players: LoadPlayer[], seconds: number): Promise<DeliveryCounts> {
  const counts: DeliveryCounts = { sent: 0, expected: 0, delivered: 0, lost: 0, duplicates: 0 }
  const lastReceived = new Map<string, number>()
  for (const { socket, session } of players)
    socket.onEvent = ({ t, type, from, data }) => {
      if (t !== 'message' || type !== TYPE) return
      const way = `${String(from)} ${session.id}`
      const last = lastReceived.get(way) ?? -1
      if (Number(data) <= last) counts.duplicates++
      else counts.delivered++
      lastReceived.set(way, Number(data))
    }

  const sendEverySecond = async ({ socket }: LoadPlayer, i: number) => {
    await pause((i / players.length) * SECOND_MS)
    for (let n = 0; n < seconds; n++) {
      socket.send({ t: 'send', type: TYPE, data: n })
      counts.sent++
      await pause(SECOND_MS)
    }
  }
  await Promise.all(players.map(sendEverySecond))
  counts.expected = counts.sent * (ROOM_SIZE - 1)
  const deadline = performance.now() + DELIVERY_TIMEOUT_MS
  while (counts.delivered < counts.expected && performance.now() < deadline) await pause(50)
  counts.lost = counts.expected - counts.delivered
  for (const { socket } of players) socket.onEvent = () => {}
  return counts
}
