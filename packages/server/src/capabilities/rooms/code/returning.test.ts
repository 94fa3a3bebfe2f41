import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { newCodeGame } from '../../../testing/code-rooms.ts'
import { startFunctionsService } from '../../../testing/deployed-functions.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { allGone, back, TURNS } from '../../../testing/kept-rooms.ts'
import type { Game, GamePlayer } from '../../../testing/rooms.ts'
import { suite } from '../../../testing/suite.ts'

const MODE = { minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 0 }
const GRACE_MS = 30_000
/** Players join when a server says so. */
const SLOW = `
const waiting = []
export class Arena extends Room {
  state = { joined: 0 }
  onJoin() {
    return new Promise((resolve) => waiting.push(() => { this.state.joined++; resolve() }))
  }
  onServerMessage() {
    for (const go of waiting) go()
    return waiting.length
  }
}`

suite(
  'quick match of players with a seat in a room with code',
  { start: startFunctionsService },
  ({ service }) => {
    let game: Game
    before(async () => {
      game = await newCodeGame(service, TURNS, { className: 'Turns', mode: MODE, room: { keepDays: 2 } })
    })
    after(() => game.end())

    const match = (player: GamePlayer) => player.request({ t: 'quickMatch' })
    async function matched() {
      const [host, guest] = (await game.players(2)) as [GamePlayer, GamePlayer]
      await match(host)
      const { roomId } = await match(guest)
      await host.next('room_joined')
      return { host, guest, roomId }
    }
    async function endGame(roomId: string, ...players: GamePlayer[]) {
      await game.side.server('DELETE', `/v1/admin/x/rooms/${roomId}`)
      await Promise.all(players.map((player) => player.close()))
    }

    test('[ROM-20] quickMatch leads back to a kept match within 30 s after the loss; later the player searches for another game', async () => {
      const { host, guest, roomId } = await matched()
      await guest.close()
      await host.next('player_disconnected')
      const again = await game.enter(guest.guest)
      assert.deepEqual(await match(again), { queued: false, roomId })
      await again.close()
      await host.next('player_disconnected')
      service.clock.advance(GRACE_MS)
      const later = await game.enter(guest.guest)
      assert.deepEqual(await match(later), { queued: true })
      await later.request({ t: 'cancelMatch' })
      await endGame(roomId, host, later)
    })

    test('[ROM-20] a kept game that was left with keepSeat, or that a server has opened, is not the answer of quickMatch', async () => {
      const { host, guest, roomId } = await matched()
      await guest.request({ t: 'leave', keepSeat: true })
      assert.deepEqual(await match(guest), { queued: true })
      await guest.request({ t: 'cancelMatch' })
      await guest.request({ t: 'join', roomId })
      await allGone(service, game, [host, guest])
      const opened = await game.side.server('POST', `/v1/admin/x/rooms/${roomId}/messages`, { type: 'move' })
      assert.equal(opened.status, 200)
      const again = await back(game, guest)
      assert.deepEqual(await match(again), { queued: true })
      await again.request({ t: 'cancelMatch' })
      await endGame(roomId, again)
    })

    test('[ROM-20] a player who searches again while the match starts gets the seat of the lost connection', async () => {
      const slow = await newCodeGame(service, SLOW, { mode: MODE })
      const { body } = await slow.side.server('POST', '/v1/admin/x/rooms', { mode: 'default', private: true })
      const letJoin = () =>
        slow.side.server('POST', `/v1/admin/x/rooms/${body.id}/messages`, { type: 'go', data: null })
      const [host, guest] = (await slow.players(2)) as [GamePlayer, GamePlayer]
      await match(host)
      const starting = match(guest).catch(() => {})
      await comesTrue('the match starts', async () => {
        const live = (await slow.side.server('GET', '/v1/admin/realtime')).body
        return live.rooms.length === 2
      })
      const again = await slow.enter(guest.guest)
      const searching = match(again)
      // The search waits for the match that starts.
      for (let times = 0; times < 5; times++) await host.settled()
      await comesTrue('the players have joined', async () => {
        await letJoin()
        return host.received.some(({ t }) => t === 'room_joined')
      })
      const roomId = (await host.next('room_joined'))['room'].id
      assert.deepEqual(await searching, { queued: false, roomId })
      await starting
      await slow.end()
    })
  },
)
