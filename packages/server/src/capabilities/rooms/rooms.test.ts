import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import { type Game, type GamePlayer, newGame, until } from '../../testing/rooms.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

const MODES = [
  { key: 'duel', minPlayers: 2, maxPlayers: 2 },
  { key: 'crowd', minPlayers: 2, maxPlayers: 64 },
]
const KB = 1024

for (const engine of engines) {
  describe(`rooms on ${engine}`, () => {
    let service: Service
    let game: Game
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())
    afterEach(() => game.end())

    const playersOf = async (count: number, modes?: typeof MODES): Promise<GamePlayer[]> => {
      game = await newGame(service, modes)
      return game.players(count)
    }
    const one = async (modes?: typeof MODES) => (await playersOf(1, modes))[0] as GamePlayer
    const two = async (modes?: typeof MODES) => (await playersOf(2, modes)) as [GamePlayer, GamePlayer]

    test('[ROM-03] [ROM-06] the creator is host and gets a snapshot before the reply', async () => {
      const host = await one()

      const { room } = await host.request({
        t: 'create',
        mode: 'default',
        private: true,
        maxPlayers: 3,
        metadata: { map: 'lake' },
        code: 'abcd12',
        hostOnlyState: true,
      })

      assert.deepEqual(room, {
        id: room.id,
        code: 'ABCD12',
        mode: 'default',
        transport: 'server',
        private: true,
        locked: false,
        maxPlayers: 3,
        metadata: { map: 'lake' },
        hostId: host.id,
        hostOnlyState: true,
        createdAt: service.clock.now().toISOString(),
        state: {},
        players: [{ id: host.id, displayName: host.guest.displayName, state: {}, connected: true }],
      })
      assert.match(room.id, /^rom_[0-9a-z]{26}$/)
      const [joined, reply] = host.received.slice(1)
      assert.deepEqual(joined, { t: 'room_joined', room, selfId: host.id })
      assert.equal(reply?.t, 'reply')
    })

    test('[ROM-03] omitted fields have defaults, and the code has eight unambiguous characters', async () => {
      const host = await one()
      const { room } = await host.request({ t: 'create' })
      const { mode, private: isPrivate, maxPlayers, metadata, hostOnlyState, code } = room
      assert.deepEqual(
        { mode, isPrivate, maxPlayers, metadata, hostOnlyState },
        { mode: 'default', isPrivate: false, maxPlayers: 8, metadata: null, hostOnlyState: false },
      )
      assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/)
    })

    test('[ROM-03] maxPlayers is from 1 to the maxPlayers of the mode', async () => {
      const host = await one(MODES)
      for (const maxPlayers of [0, 3, 1.5, 65]) {
        const refusal = await host.refusal({ t: 'create', mode: 'duel', maxPlayers })
        assert.equal(refusal.code, 'invalid_request')
        const errors = refusal.details?.['errors'] as { path: string }[] | undefined
        assert.equal(errors?.[0]?.path, '$.maxPlayers')
      }
      assert.equal((await host.request({ t: 'create', mode: 'duel', maxPlayers: 1 })).room.maxPlayers, 1)
      await host.request({ t: 'leave' })
      assert.equal((await host.request({ t: 'create', mode: 'crowd', maxPlayers: 64 })).room.maxPlayers, 64)
    })

    test('[ROM-03] metadata is at most 4 KB of JSON text', async () => {
      const host = await one()
      const fits = 'x'.repeat(4 * KB - 2)
      assert.equal((await host.refusal({ t: 'create', metadata: `${fits}x` })).code, 'payload_too_large')
      assert.equal((await host.request({ t: 'create', metadata: fits })).room.metadata, fits)
    })

    test('[ROM-03] a code has 4 to 12 letters and digits', async () => {
      const host = await one()
      for (const code of ['ABC', 'ABCDEFGHIJKLM', 'AB-D', 'ÄBCD', ''])
        assert.equal((await host.refusal({ t: 'create', code })).code, 'invalid_request')
      for (const code of ['O0I1', 'abcdefghijkl']) {
        assert.equal((await host.request({ t: 'create', code })).room.code, code.toUpperCase())
        await host.request({ t: 'leave' })
      }
    })

    test('[ROM-03] a code that a live room has is taken, in upper and lower case, until that room has ended', async () => {
      const [first, second] = await two()
      await first.request({ t: 'create', code: 'SAME' })
      assert.equal((await second.refusal({ t: 'create', code: 'same' })).code, 'code_taken')
      assert.equal((await second.refusal({ t: 'leave' })).code, 'not_in_room')

      await first.request({ t: 'leave' })
      assert.equal((await second.request({ t: 'create', code: 'same' })).room.code, 'SAME')
    })

    test('[ROM-03] many concurrent creates with one code: one succeeds', async () => {
      const players = await playersOf(8)
      const answers = await Promise.all(
        players.map((player) => player.request({ t: 'create', code: 'RUSH' }).catch(String)),
      )
      const refused = answers.filter((answer) => typeof answer === 'string')
      assert.equal(refused.length, 7)
      assert.ok(refused.every((refusal) => refusal.includes('"code_taken"')))
    })

    test('[ROM-03] an unknown mode and a second room are rejected', async () => {
      const host = await one()
      assert.equal((await host.refusal({ t: 'create', mode: 'duel' })).code, 'mode_not_found')
      const { room } = await host.request({ t: 'create' })
      assert.equal((await host.refusal({ t: 'create' })).code, 'already_in_room')
      assert.equal((await host.refusal({ t: 'join', roomId: room.id })).code, 'already_in_room')
      assert.equal((await host.refusal({ t: 'resume', roomId: room.id })).code, 'already_in_room')
      assert.equal((await host.refusal({ t: 'quickMatch' })).code, 'already_in_room')
    })

    test('[ROM-04] once any mode is defined only defined ones work', async () => {
      const host = await one(MODES)
      for (const mode of ['default', undefined, '', 'constructor']) {
        assert.equal((await host.refusal({ t: 'create', mode })).code, 'mode_not_found')
        assert.equal((await host.refusal({ t: 'quickMatch', mode })).code, 'mode_not_found')
      }
      assert.equal((await host.request({ t: 'create', mode: 'duel' })).room.maxPlayers, 2)
    })

    test('[ROM-05] [ROM-07] [WSK-09] a player joins by id or by code, private rooms too, and the others receive an event', async () => {
      const [host, byId, byCode] = (await playersOf(3)) as [GamePlayer, GamePlayer, GamePlayer]
      const { room } = await host.request({ t: 'create', private: true })

      const joined = await byId.request({ t: 'join', roomId: room.id })
      await byCode.request({ t: 'join', code: room.code.toLowerCase() })

      const [event, reply] = byId.received.slice(1)
      assert.deepEqual(event, { t: 'room_joined', room: joined.room, selfId: byId.id })
      assert.equal(reply?.t, 'reply')
      assert.deepEqual(
        joined.room.players.map(({ id }: { id: string }) => id),
        [host.id, byId.id],
      )
      const joiningPlayer = ({ id, guest: { displayName } }: GamePlayer) => ({
        t: 'player_joined',
        player: { id, displayName, state: {}, connected: true },
      })
      assert.deepEqual((await host.news()).slice(1), [joiningPlayer(byId), joiningPlayer(byCode)])
      assert.deepEqual((await byId.news()).slice(1), [joiningPlayer(byCode)])
    })

    test('[ROM-05] join requires either an id or a code', async () => {
      const [host, guest] = await two()
      const { room } = await host.request({ t: 'create' })
      for (const fields of [{}, { roomId: room.id, code: room.code }, { roomId: '' }, { roomId: 7 }])
        assert.equal((await guest.refusal({ t: 'join', ...fields })).code, 'invalid_request')
      assert.equal((await host.news()).length, 1)
    })

    test('[ROM-05] a room that does not exist, has ended or belongs to another environment is not found', async () => {
      const [host, guest] = await two()
      const over = await host.request({ t: 'create' })
      await host.request({ t: 'leave' })
      const elsewhere = await newGame(service)
      const stranger = await elsewhere.player()
      const foreign = await stranger.request({ t: 'create', code: 'THEIRS' })

      for (const roomId of [over.room.id, foreign.room.id, 'rom_0', 'a:b:c', '../..', 'room_x\n'])
        for (const t of ['join', 'resume'])
          assert.equal((await guest.refusal({ t, roomId })).code, 'room_not_found')
      for (const code of [over.room.code, 'THEIRS', '', '*'])
        assert.equal((await guest.refusal({ t: 'join', code })).code, 'room_not_found')
      await elsewhere.end()
    })

    test('[ROM-05] [ROM-19] concurrent joins take the last seat once', async () => {
      const [host, ...others] = await playersOf(7)
      assert.ok(host)
      const { room } = await host.request({ t: 'create', maxPlayers: 3 })
      const answers = await Promise.all(
        others.map((other) => other.request({ t: 'join', roomId: room.id }).catch(String)),
      )
      const refused = answers.filter((answer) => typeof answer === 'string')
      assert.equal(refused.length, 4)
      assert.ok(refused.every((refusal) => refusal.includes('"room_full"')))
    })

    test('[ROM-19] a mode with 64 players accepts 64 players and not one more', async () => {
      game = await newGame(service, MODES)
      const host = await game.player()
      const { room } = await host.request({ t: 'create', mode: 'crowd' })
      const others = await game.players(63)
      for (const other of others) await other.request({ t: 'join', roomId: room.id })
      const late = await game.player()
      assert.equal((await late.refusal({ t: 'join', roomId: room.id })).code, 'room_full')
      await others[0]?.request({ t: 'leave' })
      assert.equal((await late.request({ t: 'join', roomId: room.id })).room.players.length, 64)
    })

    test('[ROM-08] the others receive an event when a player leaves, and the last one closes the room', async () => {
      const [host, other] = await two()
      const room = await game.room([host, other])
      await other.request({ t: 'leave' })
      assert.deepEqual(await host.news(), [{ t: 'player_left', playerId: other.id, reason: 'left' }])
      assert.deepEqual(await other.news(), [])
      assert.equal((await other.refusal({ t: 'leave' })).code, 'not_in_room')
      assert.equal((await other.refusal({ t: 'resume', roomId: room.id })).code, 'room_not_found')

      await host.request({ t: 'leave' })
      assert.equal((await other.refusal({ t: 'join', roomId: room.id })).code, 'room_not_found')
      assert.deepEqual(await game.list(), [])
    })

    test('[ROM-10] [ROM-08] when the host leaves, the player who was present longest becomes host immediately', async () => {
      const [host, second, third] = (await playersOf(3)) as [GamePlayer, GamePlayer, GamePlayer]
      await game.room([host, second, third])
      await host.request({ t: 'leave' })
      for (const player of [second, third])
        assert.deepEqual(await player.news(), [
          { t: 'player_left', playerId: host.id, reason: 'left' },
          { t: 'host_changed', hostId: second.id },
        ])
    })

    test('[ROM-01] the list has open public rooms, newest first, by mode', async () => {
      const [a, b, c, d] = (await playersOf(4, MODES)) as [GamePlayer, GamePlayer, GamePlayer, GamePlayer]
      const first = await game.room([a], { mode: 'duel', metadata: { level: 1 } })
      service.clock.advance(1_000)
      const second = await game.room([b], { mode: 'crowd' })
      await game.room([c], { mode: 'duel', private: true })

      const summary = ({ id, code }: { id: string; code: string }, rest: object) => ({
        id,
        code,
        players: 1,
        ...rest,
      })
      const now = service.clock.now()
      const ofFirst = summary(first, {
        mode: 'duel',
        maxPlayers: 2,
        metadata: { level: 1 },
        createdAt: new Date(now.getTime() - 1_000).toISOString(),
      })
      const ofSecond = summary(second, {
        mode: 'crowd',
        maxPlayers: 64,
        metadata: null,
        createdAt: now.toISOString(),
      })
      assert.deepEqual(await game.list(), [ofSecond, ofFirst])
      assert.deepEqual(await game.list('duel'), [ofFirst])
      assert.deepEqual(await game.list('unknown'), [])

      await d.request({ t: 'join', roomId: first.id })
      assert.deepEqual(await game.list('duel'), [])
      await d.request({ t: 'leave' })
      assert.deepEqual(await game.list('duel'), [ofFirst])
      await a.request({ t: 'lock', locked: true })
      assert.deepEqual(await game.list('duel'), [])
    })

    test('[ROM-01] the list contains at most the newest hundred rooms', async () => {
      const players = await playersOf(101)
      const ids: string[] = []
      for (const player of players) ids.push((await player.request({ t: 'create' })).room.id)
      const listed = (await game.list()).map(({ id }: { id: string }) => id)
      assert.deepEqual(listed, ids.slice(1).toReversed())
    })

    test('[ROM-01] the list is public and requires the feature', async () => {
      const player = await one()
      await player.request({ t: 'create' })
      assert.equal((await service.call('GET', '/v1/rooms')).body.error.code, 'key_required')
      assert.equal((await game.side.server('GET', '/v1/rooms')).body.rooms.length, 1)
      const { body } = await game.project.production.public('GET', '/v1/rooms')
      assert.equal(body.error.code, 'feature_disabled')
    })

    test('[ROM-02] a connection without a player is rejected', async () => {
      game = await newGame(service)
      const anonymous = await connect(service, game.side)
      const patch = {}
      for (const frame of [
        { t: 'create' },
        { t: 'join', code: 'ABCD' },
        { t: 'resume', roomId: 'rom_1' },
        { t: 'leave' },
        { t: 'quickMatch' },
        { t: 'cancelMatch' },
        { t: 'send', type: 'x' },
        { t: 'setState', patch },
      ])
        assert.equal((await anonymous.refusal(frame)).code, 'player_required')
      await anonymous.close()
      const second = await connect(service, game.side)
      for (const frame of [
        { t: 'setMyState', patch },
        { t: 'lock', locked: true },
        { t: 'signal', to: 'x', kind: 'offer' },
        { t: 'iceServers' },
      ])
        assert.equal((await second.refusal(frame)).code, 'player_required')
      await second.close()
    })

    test('[ROM-02] [ROM-18] with multiplayer turned off rooms close, queues empty, and every frame is rejected', async () => {
      const [host, other, waiting] = (await playersOf(3)) as [GamePlayer, GamePlayer, GamePlayer]
      const room = await game.room([host, other])
      await waiting.request({ t: 'quickMatch' })

      await game.configure({ features: { multiplayer: false, realtimeChannels: true } })

      for (const player of [host, other])
        assert.deepEqual(await player.next('room_closed'), {
          t: 'room_closed',
          reason: 'feature_disabled',
        })
      const { code, request } = await waiting.next('warn')
      assert.deepEqual({ code, request }, { code: 'feature_disabled', request: 'quickMatch' })
      for (const frame of [{ t: 'create' }, { t: 'leave' }, { t: 'resume', roomId: room.id }])
        assert.equal((await host.refusal(frame)).code, 'feature_disabled')

      await game.configure({ features: { multiplayer: true, realtimeChannels: true } })
      await until(async () => (await host.refusal({ t: 'leave' })).code === 'not_in_room')
      assert.equal((await host.refusal({ t: 'join', roomId: room.id })).code, 'room_not_found')
      assert.deepEqual(await waiting.request({ t: 'cancelMatch' }), { cancelled: false })
    })
  })
}
