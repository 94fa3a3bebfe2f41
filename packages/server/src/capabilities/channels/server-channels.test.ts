import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import {
  type ChannelApp,
  eventsOf,
  lastOf,
  newChannelApp,
  type ChannelClient,
} from '../../testing/channels.ts'
import { newGuest } from '../../testing/guests.ts'
import { nestedJson, ODD_JSON } from '../../testing/json-text.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

const MINUTE_MS = 60_000
/** After this a channel without members is no longer in memory. */
const UNLOADED_AFTER_MS = 10_000

for (const engine of engines) {
  describe(`channels of servers, on ${engine}`, () => {
    let service: Service
    let app: ChannelApp
    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      app = await newChannelApp(service)
    })
    after(async () => {
      await app.closeAll()
      await service.stop()
    })

    let count = 0
    const newName = () => `@srv-${++count}`
    const join = (talker: ChannelClient, channel: string) => talker.request({ t: 'channelJoin', channel })
    const codeOf = async (talker: ChannelClient, frame: object) => (await talker.refusal(frame)).code
    const send = (talker: ChannelClient, channel: string) =>
      talker.request({ t: 'channelSend', channel, type: 'x' })
    const sendCode = (talker: ChannelClient, channel: string) =>
      codeOf(talker, { t: 'channelSend', channel, type: 'x' })

    test('[CHN-17] [CHN-06] PUT creates a channel with the defaults, and GET returns the same', async () => {
      const channel = newName()
      const made = await app.server.put(channel)
      assert.equal(made.status, 200)
      assert.deepEqual(made.body, {
        channel,
        join: 'everyone',
        send: 'everyone',
        open: false,
        maxMembers: 100,
        allow: [],
        speakers: [],
        voice: null,
        members: [],
        createdAt: service.clock.now().toISOString(),
      })
      assert.deepEqual((await app.server.read(channel)).body, made.body)
    })

    test('[CHN-17] PUT changes the given fields and keeps the others, in memory and in the database', async () => {
      const channel = newName()
      const first = {
        join: 'invited',
        send: 'speakers',
        open: true,
        maxMembers: 7,
        allow: ['ply_b', 'ply_a'],
      }
      const { body: made } = await app.server.put(channel, { ...first, speakers: ['ply_c', 'ply_c'] })
      service.clock.advance(1_000)
      const { body: changed } = await app.server.put(channel, { send: 'server', allow: [] })
      assert.deepEqual(changed, { ...made, send: 'server', allow: [] })
      assert.deepEqual(made.allow, ['ply_a', 'ply_b'])
      assert.deepEqual(made.speakers, ['ply_c'])

      service.clock.advance(UNLOADED_AFTER_MS)
      assert.deepEqual((await app.server.read(channel)).body, changed)
    })

    test('[CHN-17] a channel exists without members, and lists its members', async () => {
      const channel = newName()
      await app.server.put(channel, { open: true })
      const [ada, nobody] = [await app.join(), await app.joinAnonymously()]
      for (const talker of [ada, nobody]) await join(talker, channel)
      const { members } = (await app.server.read(channel)).body
      assert.deepEqual(members, [{ id: ada.id, displayName: ada.welcome['displayName'] }])
      for (const talker of [ada, nobody]) await talker.request({ t: 'channelLeave', channel })
      service.clock.advance(UNLOADED_AFTER_MS)
      await join(ada, channel)
      assert.equal((await lastOf(ada, 'channel_joined', channel))['owner'], null)
    })

    test('[CHN-17] a name without @ answers invalid_channel_name', async () => {
      for (const name of ['lobby', '@', '@A', '@a b', `@${'a'.repeat(64)}`, '@-a']) {
        const { status, body } = await app.server.put(name)
        assert.deepEqual([status, body.error.code], [400, 'invalid_channel_name'], name)
      }
      assert.equal((await app.server.put(`@${'a'.repeat(63)}`)).status, 200)
    })

    test('[CHN-17] invalid settings are rejected and change nothing; lists have at most 1,000 entries', async () => {
      const channel = newName()
      const ids = Array.from({ length: 1_001 }, (_, i) => `ply_${i}`)
      const wrongs = [
        { join: 'nobody' },
        { send: 'invited' },
        { open: 'yes' },
        { maxMembers: 0 },
        { maxMembers: 1_001 },
        { allow: ids },
        { speakers: ids },
        { allow: ['not an id'] },
        { voice: false },
        { voice: { mode: 'mesh' } },
        [],
      ]
      for (const wrong of wrongs) {
        const { status, body } = await app.server.put(channel, wrong)
        assert.deepEqual(
          [status, body.error.code],
          [400, 'invalid_request'],
          JSON.stringify(wrong).slice(0, 80),
        )
      }
      assert.equal((await app.server.read(channel)).status, 404)
      const full = { allow: ids.slice(1), speakers: ids.slice(1), maxMembers: 1_000 }
      assert.equal((await app.server.put(channel, full)).status, 200)
      const invite = (playerId: string) => app.server.moderate(channel, { op: 'invite', playerId })
      assert.equal((await invite('ply_new')).body.error.code, 'invalid_request')
      assert.equal((await invite('ply_5')).status, 200)
      service.clock.advance(UNLOADED_AFTER_MS)
      assert.equal((await app.server.read(channel)).body.allow.length, 1_000)
    })

    test('[CHN-17] [CHN-14] settings apply to current members immediately: affected ones receive channel_self, none is removed', async () => {
      const channel = newName()
      const [ada, ben, cem] = [await app.join(), await app.join(), await app.join()]
      await app.server.put(channel)
      for (const talker of [ada, ben]) await join(talker, channel)
      const changes = { send: 'speakers', speakers: [ada.id], join: 'invited', maxMembers: 1 }
      const { body } = await app.server.put(channel, changes)
      assert.equal(body.members.length, 2)
      assert.deepEqual(await eventsOf(ada, 'channel_self', channel), [])
      assert.deepEqual(await lastOf(ben, 'channel_self', channel), {
        canSend: false,
        muted: false,
        mutedUntil: null,
      })
      await send(ada, channel)
      assert.equal(await sendCode(ben, channel), 'send_forbidden')
      assert.equal(await codeOf(cem, { t: 'channelJoin', channel }), 'channel_forbidden')
      await app.server.put(channel, { join: 'everyone' })
      assert.equal(await codeOf(cem, { t: 'channelJoin', channel }), 'channel_full')

      await app.server.put(channel, { speakers: [ada.id, ben.id] })
      assert.deepEqual(await lastOf(ben, 'channel_self', channel), {
        canSend: true,
        muted: false,
        mutedUntil: null,
      })
      await send(ben, channel)
    })

    test('[CHN-17] PUT turns a player channel into a persistent server channel and keeps its state', async () => {
      const [ada, ben] = [await app.join(), await app.join()]
      const channel = newName()
      await ada.request({ t: 'channelCreate', channel, maxMembers: 5 })
      await join(ben, channel)
      await ada.request({ t: 'channelModerate', channel, op: 'ban', playerId: ben.id })
      const { body } = await app.server.put(channel, { send: 'server' })
      assert.deepEqual([body.maxMembers, body.send, body.members.length], [5, 'server', 1])
      assert.deepEqual(await lastOf(ada, 'channel_self', channel), {
        canSend: false,
        muted: false,
        mutedUntil: null,
      })
      const unban = { t: 'channelModerate', channel, op: 'unban', playerId: ben.id }
      assert.equal(await codeOf(ada, unban), 'owner_only')
      await ada.request({ t: 'channelLeave', channel })
      service.clock.advance(UNLOADED_AFTER_MS)
      assert.equal(await codeOf(ben, { t: 'channelJoin', channel }), 'channel_banned')
    })

    test('[CHN-17] 20 concurrent PUTs create one channel, and the database has the result of the last one', async () => {
      const channel = newName()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          app.server.put(channel, { allow: [`ply_${i}`], maxMembers: i + 1 }),
        ),
      )
      assert.ok(answers.every(({ status }) => status === 200))
      const { body } = await app.server.read(channel)
      service.clock.advance(UNLOADED_AFTER_MS)
      assert.deepEqual((await app.server.read(channel)).body, body)
      assert.deepEqual(body.allow, [`ply_${body.maxMembers - 1}`])
    })

    test('[CHN-17] [VOI-02] [VOI-03] voice requires its feature and a number of members that a call supports', async () => {
      const channel = newName()
      const { status, body } = await app.server.put(channel, { voice: true })
      assert.deepEqual(
        [status, body.error.code, body.error.details.feature],
        [403, 'feature_disabled', 'voice'],
      )

      const talking = await newChannelApp(service, { voice: true })
      const voice = async (changes: object) => (await talking.server.put('@call', changes)).body.voice
      const code = async (changes: object) => (await talking.server.put('@call', changes)).body.error.code
      assert.deepEqual(await voice({ voice: true }), { mode: 'sfu', relayOnly: true })
      assert.deepEqual(await voice({ maxMembers: 8 }), { mode: 'p2p', relayOnly: true })
      assert.deepEqual(await voice({ maxMembers: 9 }), { mode: 'sfu', relayOnly: true })
      assert.equal(await code({ voice: { mode: 'p2p' } }), 'voice_too_large')
      assert.equal(await code({ maxMembers: 101 }), 'voice_too_large')
      assert.deepEqual(await voice({ voice: { relayOnly: false }, maxMembers: 100 }), {
        mode: 'sfu',
        relayOnly: false,
      })
      const direct = await voice({ voice: { mode: 'p2p', relayOnly: false }, maxMembers: 8 })
      assert.deepEqual(direct, { mode: 'p2p', relayOnly: false })
      assert.equal(await code({ maxMembers: 9 }), 'voice_too_large')
      assert.equal(await voice({ voice: null }), null)
    })

    test('[CHN-20] an unknown channel answers 404 channel_not_found', async () => {
      for (const name of [newName(), 'nobody-is-in-it', 'no name!', '@A', 'x'.repeat(90)]) {
        const answers = [
          await app.server.read(name),
          await app.server.remove(name),
          await app.server.send(name, { type: 'x' }),
          await app.server.moderate(name, { op: 'kick', playerId: 'ply_1' }),
        ]
        for (const { status, body } of answers)
          assert.deepEqual([status, body.error.code], [404, 'channel_not_found'], name)
      }
    })

    test('[CHN-16] [CHN-20] DELETE sends members channel_closed with reason deleted, and removes everything', async () => {
      const channel = newName()
      await app.server.put(channel, { allow: ['ply_1'], maxMembers: 5 })
      const [ada, ben] = [await app.join(), await app.join()]
      for (const talker of [ada, ben]) await join(talker, channel)
      await app.server.moderate(channel, { op: 'mute', playerId: ben.id })
      assert.deepEqual((await app.server.remove(channel)).body, { deleted: true })
      for (const talker of [ada, ben]) {
        assert.deepEqual(await lastOf(talker, 'channel_closed', channel), { reason: 'deleted' })
        assert.deepEqual(await eventsOf(talker, 'channel_player_left', channel), [])
        assert.equal(await sendCode(talker, channel), 'not_in_channel')
        assert.equal(await codeOf(talker, { t: 'channelJoin', channel }), 'channel_not_found')
      }
      assert.equal((await app.server.remove(channel)).status, 404)
      const { body } = await app.server.put(channel)
      assert.deepEqual([body.allow, body.maxMembers], [[], 100])
      await join(ben, channel)
      await send(ben, channel)
    })

    test('[CHN-20] a server can also read, moderate, delete and send to channels of players', async () => {
      const [ada, ben] = [await app.join(), await app.join()]
      const made = newName()
      await ada.request({ t: 'channelCreate', channel: made })
      await join(ada, 'lounge')
      for (const channel of [made, 'lounge']) {
        await join(ben, channel)
        assert.equal((await app.server.read(channel)).body.members.length, 2)
        assert.deepEqual((await app.server.send(channel, { type: 'hi' })).body, { delivered: 2 })
        await app.server.moderate(channel, { op: 'ban', playerId: ben.id })
        assert.deepEqual(await lastOf(ben, 'channel_closed', channel), { reason: 'banned' })
        await app.server.remove(channel)
        assert.deepEqual(await lastOf(ada, 'channel_closed', channel), { reason: 'deleted' })
      }
    })

    test('[CHN-21] a server message reaches every connection regardless of the send rule, with from: server', async () => {
      const channel = newName()
      await app.server.put(channel, { open: true, send: 'speakers' })
      assert.deepEqual((await app.server.send(channel, { type: 'x' })).body, { delivered: 0 })
      const talkers = [await app.join(), await app.join(), await app.joinAnonymously()]
      for (const talker of talkers) await join(talker, channel)
      const sent = await app.server.send(channel, { type: 'news', data: { a: [1] } })
      assert.deepEqual(sent.body, { delivered: 3 })
      for (const talker of talkers)
        assert.deepEqual(await lastOf(talker, 'channel_message', channel), {
          from: 'server',
          type: 'news',
          data: { a: [1] },
          at: service.clock.now().getTime(),
        })
      await app.server.send(channel, { type: 'no data' })
      assert.equal((await lastOf(talkers[0] as ChannelClient, 'channel_message', channel))['data'], null)
    })

    test('[CHN-21] its type is at most 64 characters, its data at most 16 KB', async () => {
      const channel = newName()
      await app.server.put(channel)
      const answers = [
        [{ type: 'x'.repeat(64), data: 'a'.repeat(16 * 1024 - 2) }, 200],
        [{ type: 'x'.repeat(65) }, 400],
        [{ type: 'x', data: 'a'.repeat(16 * 1024 - 1) }, 413],
        [{}, 400],
        [{ type: 5 }, 400],
      ] as const
      for (const [message, status] of answers)
        assert.equal((await app.server.send(channel, message)).status, status)
    })

    test('[CHN-22] a server moderates with all nine operations, and the results stay after the channel is unloaded', async () => {
      const channel = newName()
      await app.server.put(channel, { join: 'invited', send: 'speakers' })
      const ada = await app.join()
      const moderate = async (op: string, more: object = {}) => {
        const answer = await app.server.moderate(channel, { op, playerId: ada.id, ...more })
        assert.deepEqual([answer.status, answer.body], [200, {}])
        await ada.request({ t: 'channelLeave', channel })
        service.clock.advance(UNLOADED_AFTER_MS)
      }
      const tryJoin = () => codeOf(ada, { t: 'channelJoin', channel })
      assert.equal(await tryJoin(), 'channel_forbidden')
      await moderate('invite')
      await join(ada, channel)
      assert.equal(await sendCode(ada, channel), 'send_forbidden')
      await moderate('allowSend')
      await join(ada, channel)
      await send(ada, channel)
      await moderate('mute', { seconds: 3_600 })
      await join(ada, channel)
      assert.equal(await sendCode(ada, channel), 'muted')
      await moderate('unmute')
      await join(ada, channel)
      await send(ada, channel)
      await moderate('disallowSend')
      await join(ada, channel)
      assert.equal(await sendCode(ada, channel), 'send_forbidden')
      await moderate('kick')
      assert.deepEqual(await lastOf(ada, 'channel_closed', channel), { reason: 'kicked' })
      await moderate('ban', { seconds: 40 })
      assert.equal(await tryJoin(), 'channel_banned')
      await moderate('unban')
      await join(ada, channel)
      await moderate('uninvite')
      assert.equal(await tryJoin(), 'channel_forbidden')
      assert.deepEqual(await lastOf(ada, 'channel_closed', channel), { reason: 'uninvited' })
    })

    test('[CHN-22] an invalid moderation answers 400 and changes nothing', async () => {
      const channel = newName()
      await app.server.put(channel)
      for (const wrong of [
        { op: 'silence', playerId: 'ply_1' },
        { op: 'mute', playerId: 'ply_1', seconds: 0 },
        { op: 'invite', playerId: 'ply_1', seconds: 5 },
        { op: 'invite', playerId: 'somebody' },
        { op: 'invite' },
        {},
      ])
        assert.equal((await app.server.moderate(channel, wrong)).body.error.code, 'invalid_request')
      assert.deepEqual((await app.server.read(channel)).body.allow, [])
    })

    test('[CHN-22] expired entries are removed from the database when a list changes', async () => {
      const channel = newName()
      await app.server.put(channel)
      await app.server.moderate(channel, { op: 'ban', playerId: 'ply_1', seconds: 1 })
      service.clock.advance(1_000)
      await app.server.moderate(channel, { op: 'ban', playerId: 'ply_2' })
      const rows = await service.db.search((q) =>
        q.selectFrom('channels_lists').select(['playerId', 'until']).where('name', '=', channel),
      )
      assert.deepEqual(rows, [{ playerId: 'ply_2', until: null }])
    })

    test('[CHN-24] [GEN-45] these endpoints require a secret key of the environment', async () => {
      const { side, project } = app
      const guest = await newGuest(side)
      const channel = newName()
      await app.server.put(channel)
      const calls = [
        ['PUT', '', {}],
        ['GET', '', undefined],
        ['DELETE', '', undefined],
        ['POST', '/messages', { type: 'x' }],
        ['POST', '/moderate', { op: 'kick', playerId: 'ply_1' }],
      ] as const
      const other = await newChannelApp(service)
      for (const [method, path, body] of calls) {
        const url = `/v1/realtime/channels/${channel}${path}`
        for (const call of [side.public, guest.call, project.developer.call]) {
          const { status, body: answer } = await call(method, url, body)
          assert.deepEqual([status, answer.error.code], [403, 'secret_key_required'])
        }
        if (method === 'PUT') continue
        assert.equal((await other.side.server(method, url, body)).status, 404)
        assert.equal((await project.production.server(method, url, body)).status, 403)
      }
      assert.equal((await app.server.read(channel)).status, 200)
    })

    test('[CHN-01] without the feature the server’s operations answer 403 feature_disabled', async () => {
      const off = await newChannelApp(service, { realtimeChannels: false })
      const answers = [
        await off.server.put('@a'),
        await off.server.read('@a'),
        await off.server.remove('@a'),
        await off.server.send('@a', { type: 'x' }),
        await off.server.moderate('@a', { op: 'kick', playerId: 'ply_1' }),
      ]
      for (const { status, body } of answers)
        assert.deepEqual([status, body.error.code], [403, 'feature_disabled'])
    })

    test('[CHN-21] [WSK-10] data of a server message is any JSON, unchanged; deeper than 512 levels it is rejected', async () => {
      const channel = newName()
      await app.server.put(channel)
      const talker = await app.join()
      await join(talker, channel)
      const texts: string[] = []
      talker.socket.addEventListener('message', ({ data }) => void texts.push(String(data)))
      const post = (data: string) =>
        service.http.inject({
          method: 'POST',
          url: `/v1/realtime/channels/${channel}/messages`,
          headers: { 'x-svc-key': app.side.secretKey, 'content-type': 'application/json' },
          payload: `{"type":"x","data":${data}}`,
        })
      for (const data of ODD_JSON) assert.equal((await post(data)).statusCode, 200, data)
      await talker.settled()
      for (const data of ODD_JSON)
        assert.ok(
          texts.some((text) => text.includes(`"data":${data},"at":`)),
          data,
        )
      const { statusCode, body } = await post(nestedJson(513))
      assert.deepEqual([statusCode, JSON.parse(body).error.details.errors[0].path], [400, '$.data'])
    })

    test('[CHN-23] messages: 600 a minute per key, then 429 with Retry-After; another key has a separate limit', async () => {
      const limited = await newChannelApp(service)
      await limited.server.put('@a')
      const send = () => limited.server.send('@a', { type: 'x' })
      // The end of a fixed window of a minute.
      service.clock.advance(MINUTE_MS - (service.clock.now().getTime() % MINUTE_MS) - 1)
      for (let i = 0; i < 600; i++) assert.equal((await send()).status, 200)
      const { status, headers, body } = await send()
      assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
      assert.ok(Number(headers['retry-after']) >= 1 && Number(headers['retry-after']) <= 60)
      assert.equal((await limited.server.read('@a')).status, 200)

      const { body: made } = await limited.project.developer.call('POST', `${limited.side.path}/keys`, {
        type: 'secret',
      })
      const otherKey = service.withKey(made.plaintext)
      assert.equal((await otherKey('POST', '/v1/realtime/channels/@a/messages', { type: 'x' })).status, 200)
      service.clock.advance(MINUTE_MS - 1)
      assert.equal((await send()).status, 429)
      service.clock.advance(1)
      assert.equal((await send()).status, 200)
    })

    test('[CHN-23] PUT, DELETE and moderate: 300 a minute per key together', async () => {
      const limited = await newChannelApp(service)
      const { server } = limited
      const moderate = () => server.moderate('@a', { op: 'invite', playerId: 'ply_1' })
      for (let i = 0; i < 100; i++) {
        assert.equal((await server.put('@a')).status, 200)
        assert.equal((await moderate()).status, 200)
        assert.equal((await server.remove('@a')).status, 200)
      }
      for (const answer of [await server.put('@a'), await moderate(), await server.remove('@a')])
        assert.equal(answer.status, 429)
      assert.equal((await server.read('@a')).status, 404)
      assert.equal((await server.send('@a', { type: 'x' })).status, 404)
    })

    test('[DSH-08] the live view contains the node and the rate of messages, and answers 304 while nothing changes', async () => {
      const project = await service.newProject()
      const { development, developer } = project
      const multiplayer = { modes: [{ key: 'duel', maxPlayers: 2 }] }
      const features = { realtimeChannels: true, multiplayer: true }
      await development.server('PUT', '/v1/config', { features, multiplayer })
      const socket = await connect(service, development, await newGuest(development))
      await socket.request({ t: 'channelJoin', channel: 'lobby' })
      await socket.request({ t: 'create', mode: 'duel' })
      const path = `${development.path}/realtime`
      const look = () => developer.call('GET', path)
      const first = await look()
      const [room] = first.body.rooms
      const [channel] = first.body.channels
      assert.deepEqual([room.messagesPerSecond, channel.messagesPerSecond], [0, 0])
      assert.ok(room.node.length > 0)
      assert.equal(channel.node, room.node, 'there is one node')

      const again = (etag: string) => developer.call('GET', path, undefined, { 'if-none-match': etag })
      const unchanged = await again(first.headers['etag'] ?? '')
      assert.deepEqual([unchanged.status, unchanged.body], [304, ''])
      for (let n = 0; n < 6; n++) await socket.request({ t: 'send', type: 'move', data: n })
      for (let n = 0; n < 4; n++)
        await socket.request({ t: 'channelSend', channel: 'lobby', type: 'hi', data: n })
      assert.equal(
        (await again(first.headers['etag'] ?? '')).status,
        304,
        'a rate does not change within a second',
      )
      service.clock.advance(2_000)
      const second = await again(first.headers['etag'] ?? '')
      assert.equal(second.status, 200)
      assert.deepEqual(
        [second.body.rooms[0].messagesPerSecond, second.body.channels[0].messagesPerSecond],
        [3, 2],
      )
      service.clock.advance(1_000)
      assert.equal((await look()).body.rooms[0].messagesPerSecond, 0)
      await socket.close()
    })

    test('[DEV-16] the live view shows connections, rooms, queues and the largest channels, to developers and servers', async () => {
      const live = await newChannelApp(service, { voice: true, multiplayer: true })
      await live.server.put('@empty')
      await live.server.put('@call', { voice: true, open: true })
      const talkers = [await live.join(), await live.join(), await live.joinAnonymously()]
      for (const talker of talkers) await join(talker, '@call')
      await join(talkers[0] as ChannelClient, 'lobby')
      await send(talkers[0] as ChannelClient, '@call')
      const { body } = await live.side.server('GET', '/v1/admin/realtime')
      const { node } = body.channels[0]
      assert.match(node, /^[\w-]{12}$/)
      const here = { node, messagesPerSecond: 0 }
      const view = {
        connections: 3,
        rooms: [],
        queues: [],
        channels: [
          { channel: '@call', members: 3, voice: { mode: 'sfu', relayOnly: true }, call: null, ...here },
          { channel: 'lobby', members: 1, voice: null, call: null, ...here },
        ],
      }
      assert.deepEqual(body, view)
      const { developer } = live.project
      assert.deepEqual((await developer.call('GET', `${live.side.path}/realtime`)).body, view)
      assert.equal((await live.side.public('GET', '/v1/admin/realtime')).status, 403)
      await live.closeAll()
    })
  })
}
