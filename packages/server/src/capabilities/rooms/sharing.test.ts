import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const KB = 1024

for (const engine of engines) {
  describe(`messages and state of a room on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    const three = async (fields: object = {}) => {
      game = await newGame(service)
      const players = (await game.players(3)) as [GamePlayer, GamePlayer, GamePlayer]
      const room = await game.room(players, fields)
      return [...players, room] as const
    }

    test('[ROM-14] a message reaches all others, not its sender, with the time of the server', async () => {
      const [a, b, c] = await three()
      assert.deepEqual(await a.request({ t: 'send', type: 'move', data: { x: 1 } }), {})
      const at = service.clock.now().getTime()
      const message = { t: 'message', from: a.id, type: 'move', data: { x: 1 }, at }
      assert.deepEqual(await b.news(), [message])
      assert.deepEqual(await c.news(), [message])
      assert.deepEqual(await a.news(), [])
    })

    test('[ROM-14] `to` lists the receivers; unknown players, the sender and repetitions are ignored', async () => {
      const [a, b, c] = await three()
      const to = [c.id, c.id, a.id, 'ply_nobody', '']
      await a.request({ t: 'send', type: 'whisper', to })
      await a.request({ t: 'send', type: 'to nobody', to: [] })
      assert.deepEqual(await b.news(), [])
      assert.deepEqual(
        (await c.news()).map(({ type, data }) => [type, data]),
        [['whisper', null]],
      )
      assert.deepEqual(await a.news(), [])
    })

    test('[ROM-14] the text of data is not changed', async () => {
      const [a, b] = await three()
      const texts: string[] = []
      b.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
      const data = '{ "n": 1.0, "big": 12345678901234567890, "e": 1e2, "s": "\\u00e4\\/" , "a" : [ ] }'
      a.send(`{ "t": "send", "data": ${data}, "type": "x\\n" }`)
      await b.next('message')
      assert.ok(texts[0]?.includes(`"type":"x\\n","data":${data},"at":`), String(texts[0]))
    })

    test('[ROM-14] the messages of each sender arrive in order', async () => {
      const [a, b, c] = await three()
      for (let i = 0; i < 40; i++) for (const player of [a, b]) player.send({ t: 'send', type: 'n', data: i })
      await a.settled()
      await b.settled()
      const heard = await c.news()
      for (const { id } of [a, b])
        assert.deepEqual(
          heard.filter(({ from }) => from === id).map(({ data }) => data),
          Array.from({ length: 40 }, (_, i) => i),
        )
    })

    test('[ROM-14] type has at most 64 characters, data at most 16 KB of JSON text', async () => {
      const [a, b] = await three()
      assert.equal((await a.refusal({ t: 'send', type: 'x'.repeat(65) })).code, 'invalid_request')
      assert.equal((await a.refusal({ t: 'send' })).code, 'invalid_request')
      assert.equal((await a.refusal({ t: 'send', type: 'x', to: b.id })).code, 'invalid_request')
      const to = Array.from({ length: 65 }, () => b.id)
      assert.equal((await a.refusal({ t: 'send', type: 'x', to })).code, 'invalid_request')

      const fits = 'x'.repeat(16 * KB - 2)
      const refusal = await a.refusal({ t: 'send', type: 'x', data: `${fits}x` })
      assert.deepEqual([refusal.code, refusal.details], ['payload_too_large', { limit: 16 * KB }])
      // Two bytes in UTF-8.
      const umlauts = 'ä'.repeat(8 * KB)
      assert.equal((await a.refusal({ t: 'send', type: 'x', data: umlauts })).code, 'payload_too_large')
      assert.deepEqual(await b.news(), [])

      await a.request({ t: 'send', type: '💡'.repeat(64), data: fits })
      const [message] = await b.news()
      assert.deepEqual([message?.['type'], message?.['data']], ['💡'.repeat(64), fits])
    })

    test('[ROM-14] [ROM-15] [ROM-17] room frames outside a room answer not_in_room', async () => {
      game = await newGame(service)
      const player = await game.player()
      for (const frame of [
        { t: 'send', type: 'x' },
        { t: 'setState', patch: {} },
        { t: 'setMyState', patch: {} },
        { t: 'lock', locked: true },
        { t: 'signal', to: 'x', kind: 'offer' },
        { t: 'iceServers' },
        { t: 'leave' },
      ])
        assert.equal((await player.refusal(frame)).code, 'not_in_room')
    })

    test('[ROM-15] a patch of the room’s state reaches all members including its sender, and later members get the state', async () => {
      const [a, b, c, room] = await three()
      await b.request({ t: 'setState', patch: { turn: 1, board: { x: [1, 2.5e-7] }, gone: true } })
      await a.request({ t: 'setState', patch: { gone: null, board: {} } })
      const events = [
        { t: 'state', patch: { turn: 1, board: { x: [1, 2.5e-7] }, gone: true }, from: b.id },
        { t: 'state', patch: { gone: null, board: {} }, from: a.id },
      ]
      for (const player of [a, b, c]) assert.deepEqual(await player.news(), events)
      const late = await game.player()
      const joined = await late.request({ t: 'join', roomId: room.id })
      assert.deepEqual(joined.room.state, { turn: 1, board: {} })
    })

    test('[ROM-15] only the player can change its own state, and all members see it', async () => {
      const [a, b, c, room] = await three()
      await b.request({ t: 'setMyState', patch: { ready: true, team: 'red' } })
      await b.request({ t: 'setMyState', patch: { team: null } })
      const events = [
        { t: 'player_state', playerId: b.id, patch: { ready: true, team: 'red' } },
        { t: 'player_state', playerId: b.id, patch: { team: null } },
      ]
      for (const player of [a, b, c]) assert.deepEqual(await player.news(), events)
      const late = await game.player()
      const joined = await late.request({ t: 'join', roomId: room.id })
      assert.deepEqual(
        joined.room.players.map(({ state }: { state: object }) => state),
        [{}, { ready: true }, {}, {}],
      )
    })

    test('[ROM-15] all members see concurrent patches in the same order', async () => {
      const players = await three()
      const [a, b, c, room] = players
      for (let i = 0; i < 30; i++)
        for (const player of [a, b, c]) player.send({ t: 'setState', patch: { last: `${player.id} ${i}` } })
      for (const player of [a, b, c]) await player.settled()
      const [first, ...others] = await Promise.all([a, b, c].map((player) => player.news()))
      assert.equal(first?.length, 90)
      for (const other of others) assert.deepEqual(other, first)
      const joined = await (await game.player()).request({ t: 'join', roomId: room.id })
      assert.deepEqual(joined.room.state, first?.at(-1)?.['patch'])
    })

    test('[ROM-15] a room’s state has at most 64 KB, a player’s 16 KB', async () => {
      const [a, b] = await three()
      const text = (bytes: number) => 'x'.repeat(bytes)
      // {"a":"…","b":"…"}
      await a.request({ t: 'setState', patch: { a: text(32 * KB) } })
      const rest = 32 * KB - '{"a":"","b":""}'.length
      const refusal = await a.refusal({ t: 'setState', patch: { b: text(rest + 1) } })
      assert.deepEqual([refusal.code, refusal.details], ['state_too_large', { limit: 64 * KB }])
      await a.request({ t: 'setState', patch: { b: text(rest) } })
      assert.equal((await b.news()).length, 2)

      const own = 16 * KB - '{"a":""}'.length
      const ownRefusal = await b.refusal({ t: 'setMyState', patch: { a: text(own + 1) } })
      assert.deepEqual([ownRefusal.code, ownRefusal.details], ['state_too_large', { limit: 16 * KB }])
      await b.request({ t: 'setMyState', patch: { a: text(own) } })
    })

    test('[ROM-15] a patch is an object', async () => {
      const [a, b] = await three()
      for (const patch of [null, [], 'x', 1, undefined])
        for (const t of ['setState', 'setMyState'])
          assert.equal((await a.refusal({ t, patch })).code, 'invalid_request')
      assert.deepEqual(await b.news(), [])
    })

    test('[ROM-16] with hostOnlyState only the host can change the state; players can still change their own', async () => {
      const [host, other] = await three({ hostOnlyState: true })
      assert.equal((await other.refusal({ t: 'setState', patch: { a: 1 } })).code, 'host_only')
      await other.request({ t: 'setMyState', patch: { a: 1 } })
      await host.request({ t: 'setState', patch: { a: 2 } })
      await host.request({ t: 'leave' })
      await other.request({ t: 'setState', patch: { a: 3 } })
    })

    test('[ROM-17] a room that the host locked cannot be joined until it is unlocked', async () => {
      const [host, other, third, room] = await three()
      assert.equal((await other.refusal({ t: 'lock', locked: true })).code, 'host_only')
      assert.equal((await host.refusal({ t: 'lock' })).code, 'invalid_request')
      await host.request({ t: 'lock', locked: true })
      for (const player of [host, other, third])
        assert.deepEqual(await player.news(), [{ t: 'locked', locked: true }])
      assert.deepEqual(await game.list(), [])
      const late = await game.player()
      for (const by of [{ roomId: room.id }, { code: room.code }])
        assert.equal((await late.refusal({ t: 'join', ...by })).code, 'room_locked')

      await host.request({ t: 'lock', locked: false })
      assert.deepEqual(await other.news(), [{ t: 'locked', locked: false }])
      assert.equal((await late.request({ t: 'join', roomId: room.id })).room.locked, false)
    })

    test('[WSK-07] [WSK-08] a rejected frame without rid causes a warning', async () => {
      const [, other] = await three()
      other.send({ t: 'lock', locked: true })
      const { code, request } = await other.next('warn')
      assert.deepEqual({ code, request }, { code: 'host_only', request: 'lock' })
    })
  })
}
