import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const KB = 1024
const HOUR_MS = 3_600_000
const mesh = (p2p: object, rest: object = {}) => ({ key: 'mesh', transport: 'p2p', p2p, ...rest })

for (const engine of engines) {
  describe(`peer-to-peer rooms on ${engine}`, () => {
    let service: Service
    let withoutTurn: Service
    let game: Game
    before(async () => {
      service = await startService(engine)
      withoutTurn = await startService(engine, { settings: { TURN_PROVIDER: 'none' } })
    })
    after(async () => {
      await withoutTurn.stop()
      await service.stop()
    })
    afterEach(() => game.end())

    const two = async (p2p: object = {}, at: Service = service) => {
      game = await newGame(at, [mesh(p2p)])
      const players = (await game.players(2)) as [GamePlayer, GamePlayer]
      const room = await game.room(players, { mode: 'mesh' })
      return [...players, room] as const
    }

    test('[P2P-01] a room has at most as many players as the mesh, even if the mode allows more', async () => {
      game = await newGame(service, [mesh({ maxPlayers: 3 }, { maxPlayers: 8 })])
      const [host, second, third, fourth] = (await game.players(4)) as [
        GamePlayer,
        GamePlayer,
        GamePlayer,
        GamePlayer,
      ]
      const { room } = await host.request({ t: 'create', mode: 'mesh' })
      assert.deepEqual([room.maxPlayers, room.transport], [3, 'p2p'])
      await second.request({ t: 'join', roomId: room.id })
      await third.request({ t: 'join', roomId: room.id })
      assert.equal((await fourth.refusal({ t: 'join', roomId: room.id })).code, 'p2p_room_full')
      assert.equal(
        (await fourth.refusal({ t: 'create', mode: 'mesh', maxPlayers: 4 })).code,
        'invalid_request',
      )
    })

    test('[P2P-02] a signal reaches only its receiver, with its text unchanged', async () => {
      game = await newGame(service, [mesh({})])
      const [a, b, c] = (await game.players(3)) as [GamePlayer, GamePlayer, GamePlayer]
      await game.room([a, b, c], { mode: 'mesh' })
      const texts: string[] = []
      b.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
      for (const kind of ['offer', 'answer', 'candidate', 'restart'])
        await a.request({ t: 'signal', to: b.id, kind, data: { sdp: 'v=0' }, gen: 2 })
      a.send(`{"t":"signal","to":"${b.id}","kind":"candidate","data":{ "n": 1.0 }}`)
      await a.settled()

      const signal = { t: 'signal', from: a.id, data: { sdp: 'v=0' }, gen: 2 }
      assert.deepEqual(await b.news(), [
        { ...signal, kind: 'offer' },
        { ...signal, kind: 'answer' },
        { ...signal, kind: 'candidate' },
        { ...signal, kind: 'restart' },
        { ...signal, kind: 'candidate', data: { n: 1 }, gen: null },
      ])
      assert.ok(texts.some((text) => text.includes('"data":{ "n": 1.0 },"gen":null')))
      assert.deepEqual(await c.news(), [])
    })

    test('[P2P-02] data has at most 8 KB, kind is one of four, and the receiver must be in the room', async () => {
      const [a, b] = await two()
      const fits = 'x'.repeat(8 * KB - 2)
      const signal = { t: 'signal', to: b.id, kind: 'offer' }
      assert.equal((await a.refusal({ ...signal, data: `${fits}x` })).code, 'payload_too_large')
      for (const wrong of [{ kind: 'hello' }, { kind: undefined }, { to: undefined }, { gen: 1.5 }])
        assert.equal((await a.refusal({ ...signal, ...wrong })).code, 'invalid_request')
      const stranger = await game.player()
      for (const to of [stranger.id, 'ply_nobody', ''])
        assert.equal((await a.refusal({ ...signal, to })).code, 'player_not_in_room')
      assert.deepEqual(await b.news(), [])
      await a.request({ ...signal, data: fits })
      assert.equal((await b.news())[0]?.['data'], fits)

      await b.close()
      await a.next('player_disconnected')
      await a.request({ ...signal, data: 'lost like any other' })
    })

    test('[P2P-02] [P2P-03] rooms with the server transport reject signals and relays', async () => {
      game = await newGame(service)
      const [a, b] = (await game.players(2)) as [GamePlayer, GamePlayer]
      await game.room([a, b])
      assert.equal((await a.refusal({ t: 'signal', to: b.id, kind: 'offer' })).code, 'not_p2p_room')
      assert.equal((await a.refusal({ t: 'iceServers' })).code, 'not_p2p_room')
    })

    test('[P2P-03] [P2P-04] each player gets separate credentials for an hour, and by default for the relay only', async () => {
      const [a, b] = await two()
      const forA = await a.request({ t: 'iceServers' })
      const forB = await b.request({ t: 'iceServers' })
      const { iceServers, iceTransportPolicy, expiresAt } = forA
      assert.equal(iceTransportPolicy, 'relay')
      assert.equal(expiresAt, service.clock.now().getTime() + HOUR_MS)
      const [server] = iceServers
      assert.ok(server.urls.every((url: string) => /^turn:[\d.]+:\d+\?transport=(udp|tcp)$/.test(url)))
      assert.notEqual(server.username, forB.iceServers[0].username)
      assert.notEqual(server.credential, forB.iceServers[0].credential)
    })

    test('[P2P-04] relayOnly: false allows direct connections, except for players under 13', async () => {
      const [adult, child] = await two({ relayOnly: false })
      assert.equal((await child.guest.call('PUT', '/v1/social/age', { band: 'child' })).status, 200)
      assert.equal((await adult.request({ t: 'iceServers' })).iceTransportPolicy, 'all')
      assert.equal((await child.request({ t: 'iceServers' })).iceTransportPolicy, 'relay')
    })

    test('[P2P-04] relayOnly is read from the current config, and is on for a removed mode', async () => {
      const [a] = await two({ relayOnly: true })
      const configure = (modes: object[]) =>
        game.configure({ features: { multiplayer: true }, multiplayer: { modes } })
      await configure([mesh({ relayOnly: false })])
      assert.equal((await a.request({ t: 'iceServers' })).iceTransportPolicy, 'all')
      await configure([{ key: 'other' }])
      assert.equal((await a.request({ t: 'iceServers' })).iceTransportPolicy, 'relay')
    })

    test('[P2P-04] without TURN the relay is unavailable, and direct connections work without it', async () => {
      const [a] = await two({}, withoutTurn)
      assert.equal((await a.refusal({ t: 'iceServers' })).code, 'turn_unavailable')
      await game.end()

      const [b, child] = await two({ relayOnly: false }, withoutTurn)
      assert.deepEqual(await b.request({ t: 'iceServers' }), {
        iceServers: [],
        iceTransportPolicy: 'all',
        expiresAt: withoutTurn.clock.now().getTime() + HOUR_MS,
      })
      await child.guest.call('PUT', '/v1/social/age', { band: 'child' })
      assert.equal((await child.refusal({ t: 'iceServers' })).code, 'turn_unavailable')
    })

    test('[P2P-05] messages and state are still sent through the service', async () => {
      const [a, b] = await two()
      await a.request({ t: 'send', type: 'hello', data: 1 })
      await a.request({ t: 'setState', patch: { ready: true } })
      assert.deepEqual(
        (await b.news()).map(({ t }) => t),
        ['message', 'state'],
      )
    })
  })
}
