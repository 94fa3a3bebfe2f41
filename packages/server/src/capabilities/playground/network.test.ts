import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { HOUR_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { type GamePlayer, newGame, until } from '../../testing/rooms.ts'
import type { Service } from '../../testing/service.ts'
import { openSocket } from '../../testing/sockets.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'

const PATH = '/v1/admin/x/playground/network'

/** Two players in one room; the messages of the first that have reached the second. */
async function pair(service: Service, second: Service = service) {
  const game = await newGame(service)
  const [ada, bob] = [await game.player(), await game.player(second)]
  const room = await game.room([ada, bob])
  const simulate = async (conditions: object, playerId = bob.id) =>
    game.side.server('PUT', PATH, { playerId, ...conditions })
  const arrived = (of: GamePlayer = bob) =>
    of.received.filter(({ t }) => t === 'message').map(({ type }) => String(type))
  /** The service has handled the message when it answers; only then does the clock move. */
  const say = (type: string) => ada.request({ t: 'send', type })
  return { game, ada, bob, room, simulate, arrived, say }
}

suite('a simulated network', {}, ({ service }) => {
  test('[RWC-75] it applies to the current connection of the player, and to no other', async () => {
    const { game, ada, bob, simulate, arrived, say } = await pair(service)
    const { body } = await simulate({ latencyMs: 300 })
    assert.deepEqual(body, {
      latencyMs: 300,
      lossPercent: 0,
      paused: false,
      connections: 1,
      expiresAt: new Date(service.clock.now().getTime() + HOUR_MS).toISOString(),
    })
    await say('late')
    service.clock.advance(149)
    await ada.settled()
    assert.deepEqual(arrived(), [])
    service.clock.advance(1)
    await bob.next('message')

    bob.send({ t: 'send', type: 'back' })
    const ended = await simulate({})
    assert.deepEqual([ended.body.expiresAt, ended.body.connections], [null, 1])
    await ada.next('message')
    await game.end()
  })

  test('[RWC-75] it applies to the next connections, until an hour has passed', async () => {
    const { game, ada, bob, simulate } = await pair(service)
    for (const { close } of [ada, bob]) await close()
    assert.equal((await simulate({ paused: true })).body.connections, 0)
    service.clock.advance(HOUR_MS - 1)
    const { refreshToken } = bob.guest
    const { body: session } = await game.side.public('POST', '/v1/auth/refresh', { refreshToken })
    const socket = await openSocket(service)
    socket.send({ t: 'auth', key: game.side.publishableKey, token: session.accessToken })
    await until(async () => (await game.side.server('GET', '/v1/admin/realtime')).body.connections === 1)
    assert.deepEqual(socket.received, [])
    service.clock.advance(1)
    await socket.next('welcome')
    await socket.close()
  })

  test('[RWC-75] only in development, and only for players that exist', async () => {
    const { game, simulate, bob } = await pair(service)
    const inProduction = await game.project.production.server('PUT', PATH, { playerId: bob.id, latencyMs: 1 })
    assert.deepEqual([inProduction.status, inProduction.body.error.code], [403, 'development_only'])
    const unknown = await simulate({ latencyMs: 1 }, 'ply_nobody')
    assert.equal(unknown.body.error.code, 'player_not_found')
    const other = await newGame(service)
    const foreign = await newGuest(other.side)
    assert.equal((await simulate({ latencyMs: 1 }, foreign.id)).body.error.code, 'player_not_found')
    for (const wrong of [
      { latencyMs: -1 },
      { latencyMs: 2_001 },
      { latencyMs: 0.5 },
      { lossPercent: 51 },
      { lossPercent: -1 },
      { paused: 1 },
    ])
      assert.equal((await simulate(wrong)).status, 400, JSON.stringify(wrong))
    for (const edge of [{ latencyMs: 2_000, lossPercent: 50, paused: true }, {}])
      assert.equal((await simulate(edge)).status, 200, JSON.stringify(edge))
    await game.end()
  })
})

describe('a simulated network on two nodes', () => {
  const [first, second] = startTwoNodes()

  test('[RWC-75] it applies to a connection to another node', async () => {
    const { game, ada, bob, simulate, say, arrived } = await pair(first, second)
    assert.equal((await simulate({ latencyMs: 100 })).body.connections, 1)
    await say('late')
    await ada.settled()
    assert.deepEqual(arrived(), [])
    await simulate({})
    await bob.next('message')
    await game.end()
  })
})
