import { setTimeout as pause } from 'node:timers/promises'

import { CrowdSocket } from './crowd-socket.ts'
import type { GameServer, SignedIn } from './game-server.ts'

type Address = { port: number }
export type CrowdPlayer = { session: SignedIn; socket: CrowdSocket; roomId: string }
export type Played = { sent: number; expected: number; delivered: number; lost: number; twice: number }

const AT_ONCE = 40
const ROOM_SIZE = 4
const TYPE = 'n'
const SECOND_MS = 1_000
/** Long enough for what is under way when the last one has spoken. */
const ARRIVES_WITHIN_MS = 20_000

/** So many players, each with a connection. */
export async function gather(server: Address, game: GameServer, count: number): Promise<CrowdPlayer[]> {
  const players: CrowdPlayer[] = []
  const work = async () => {
    while (players.length < count) {
      const place =
        players.push({ session: { id: '', accessToken: '' }, socket: undefined as never, roomId: '' }) - 1
      const session = await game.newPlayer(server)
      players[place] = { session, socket: await enter(server, game, session), roomId: '' }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return players
}

export const enter = (server: Address, { publishableKey: key }: GameServer, { accessToken }: SignedIn) =>
  CrowdSocket.open(server.port, { key, token: accessToken })

/** In rooms of four. */
export async function sitDown(players: CrowdPlayer[]) {
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

/** Everybody says one thing a second, not all at the same moment; all others in the room must hear all of it, in order, once. */
export async function play(players: CrowdPlayer[], seconds: number): Promise<Played> {
  const played: Played = { sent: 0, expected: 0, delivered: 0, lost: 0, twice: 0 }
  const heard = new Map<string, number>()
  for (const { socket, session } of players)
    socket.onEvent = ({ t, type, from, data }) => {
      if (t !== 'message' || type !== TYPE) return
      const way = `${String(from)} ${session.id}`
      const last = heard.get(way) ?? -1
      if (Number(data) <= last) played.twice++
      else played.delivered++
      heard.set(way, Number(data))
    }

  const talk = async ({ socket }: CrowdPlayer, i: number) => {
    await pause((i / players.length) * SECOND_MS)
    for (let n = 0; n < seconds; n++) {
      socket.send({ t: 'send', type: TYPE, data: n })
      played.sent++
      await pause(SECOND_MS)
    }
  }
  await Promise.all(players.map(talk))
  played.expected = played.sent * (ROOM_SIZE - 1)
  const deadline = performance.now() + ARRIVES_WITHIN_MS
  while (played.delivered < played.expected && performance.now() < deadline) await pause(50)
  played.lost = played.expected - played.delivered
  for (const { socket } of players) socket.onEvent = () => {}
  return played
}
