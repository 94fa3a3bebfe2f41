import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'

import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/platform/clock.ts'
import { type Game, newGame } from '../../src/testing/rooms.ts'
import { openSocket } from '../../src/testing/sockets.ts'
import { suite } from '../../src/testing/suite.ts'

const MODE = { key: 'duo', minPlayers: 2, maxPlayers: 2, fillTimeoutSeconds: 2 }
const GRACE_MS = 30 * SECOND_MS
/** Each is added to those before, so that the last one is ahead. */
const STEPS = [
  ['20 s back', -20 * SECOND_MS],
  ['an hour back', -HOUR_MS],
  ['65 s forward', 65 * SECOND_MS],
  ['40 days forward', 40 * DAY_MS],
] as const

suite('the clock of the machine is set', {}, ({ service }) => {
  let game: Game
  afterEach(() => game.end())

  for (const [what, stepMs] of STEPS) {
    test(`[GEN-55] ${what}: a match starts when its fill timeout has passed, and says when`, async () => {
      game = await newGame(service, [MODE])
      const player = await game.player()
      await player.request({ t: 'quickMatch', mode: 'duo', progress: true })
      service.clock.step(stepMs)
      service.clock.advance(SECOND_MS)
      await player.request({ t: 'cancelMatch' })
      await player.request({ t: 'quickMatch', mode: 'duo', progress: true })
      await player.settled()
      const { startsAt } = player.received.findLast(({ t }) => t === 'match_progress') ?? assert.fail()
      assert.equal(Date.parse(startsAt) - service.clock.now().getTime(), 2 * SECOND_MS)

      service.clock.step(stepMs)
      service.clock.advance(2 * SECOND_MS - 1)
      await player.settled()
      assert.equal(
        player.received.some(({ t }) => t === 'room_joined'),
        false,
      )
      service.clock.advance(1)
      await player.next('room_joined')
    })

    test(`[GEN-55] ${what}: the seat of a lost connection is free after its grace`, async () => {
      game = await newGame(service)
      const [ada, bob] = [await game.player(), await game.player()]
      await game.room([ada, bob])
      await bob.close()
      await ada.next('player_disconnected')
      service.clock.step(stepMs)
      service.clock.advance(GRACE_MS - 1)
      assert.deepEqual(
        (await ada.news()).map(({ t }) => t),
        ['player_disconnected'],
      )
      service.clock.advance(1)
      assert.equal((await ada.next('player_left'))['reason'], 'timeout')
    })

    test(`[GEN-55] ${what}: a connection without an auth frame is closed after 5 s`, async () => {
      game = await newGame(service)
      const silent = await openSocket(service)
      service.clock.step(stepMs)
      service.clock.advance(4_999)
      assert.equal(silent.socket.readyState, WebSocket.OPEN)
      service.clock.advance(1_001)
      assert.equal((await silent.closed).code, 4001)
    })

    test(`[GEN-56] ${what}: connections that answer stay open, and close after 60 s of silence`, async () => {
      game = await newGame(service)
      const players = await game.players(3)
      service.clock.step(stepMs)
      for (let ping = 0; ping < 4; ping++) {
        service.clock.advance(20 * SECOND_MS)
        for (const player of players) await player.settled()
      }
      for (const { socket } of players) assert.equal(socket.readyState, WebSocket.OPEN)
      service.clock.step(-stepMs)
      service.clock.advance(59 * SECOND_MS)
      for (const { socket } of players) assert.equal(socket.readyState, WebSocket.OPEN)
      service.clock.advance(SECOND_MS)
      for (const player of players) assert.equal((await player.closed).code, 4008)
    })
  }
})
