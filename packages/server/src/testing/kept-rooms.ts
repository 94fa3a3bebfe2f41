import { LIMITS } from '@svc/contract/common/limits'

import { comesTrue } from './in-time.ts'
import type { Game, GamePlayer } from './rooms.ts'
import type { Service } from './service.ts'

/** Rooms of a turn-based game. */
export const TURNS = `
export class Turns extends Room {
  state = { moves: [], woken: 0, left: [], version: 1 }
  onJoin(player) {
    if (player.displayName === 'refused') throw new Refusal('not you')
    this.own(player).hand = 'hand of ' + player.id
  }
  onLeave(player, reason) { this.state.left.push(reason) }
  save() { return { secret: this.secret ?? 0 } }
  onRestore(saved) { this.secret = saved.secret }
  onWake() { this.state.woken++ }
  onServerMessage(type, data) {
    this.state.moves.push(data)
    return this.state.moves.length
  }
  messages = {
    move: (player, move) => { this.secret = (this.secret ?? 0) + 1; this.state.moves.push(move) },
    secret: () => this.secret ?? 0,
    wakeIn: (player, ms) => { this.wakeAt(this.now + ms) },
    kick: (player, id) => { this.kick(id) },
    name: (player, name) => { this.setMetadata({ name }) },
    end: () => { this.end({ winner: 'nobody' }) },
  }
}`

export type MyRoom = {
  id: string
  code: string
  open: boolean
  expiresAt: string
  wakeAt: string | null
  metadata: unknown
  players: { id: string; displayName: string | null; connected: boolean }[]
}

/** The kept rooms of a player. */
export async function roomsOf(player: Pick<GamePlayer, 'guest'>): Promise<MyRoom[]> {
  const { status, body } = await player.guest.call('GET', '/v1/x/rooms/mine')
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.rooms
}

/** Disconnects these players and waits until no room is open. */
export async function allGone(service: Service, game: Game, players: readonly GamePlayer[]) {
  await Promise.all(players.map((player) => player.close()))
  await game.nobodyIn('rooms')
  service.clock.advance(LIMITS.disconnectGraceMs)
  await comesTrue('no room is open', async () => {
    // Slowly: the code has 2 s of this clock to make its last snapshot.
    service.clock.advance(200)
    const { body } = await game.side.server('GET', '/v1/admin/realtime')
    return body.rooms.length === 0
  })
}

/** The player on a new connection, also after days. */
export async function back(game: Game, { guest }: GamePlayer, node?: Service) {
  const call = node ? node.withKey(game.side.publishableKey) : game.side.public
  const { body } = await call('POST', '/v1/auth/refresh', { refreshToken: guest.refreshToken })
  const { accessToken, refreshToken } = body
  guest.accessToken = accessToken
  guest.refreshToken = refreshToken
  guest.call = (method, url, sent, headers) =>
    call(method, url, sent, { authorization: `Bearer ${accessToken}`, ...headers })
  return game.enter(guest, node)
}
