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
import { engines, type Service, startService } from '../../testing/service.ts'

for (const engine of engines) {
  describe(`joining channels, on ${engine}`, () => {
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
    const newName = () => `@made-${++count}`
    const newPlainName = () => `plain-${++count}`
    const join = (talker: ChannelClient, channel: string) => talker.request({ t: 'channelJoin', channel })
    const refused = async (talker: ChannelClient, frame: object) => (await talker.refusal(frame)).code
    const refusedToJoin = (talker: ChannelClient, channel: string) =>
      refused(talker, { t: 'channelJoin', channel })

    async function newChannel(settings: object = {}) {
      const owner = await app.join()
      const channel = newName()
      await owner.request({ t: 'channelCreate', channel, ...settings })
      const moderate = (op: string, { id }: ChannelClient) =>
        owner.request({ t: 'channelModerate', channel, op, playerId: id })
      return { owner, channel, moderate }
    }

    test('[CHN-01] without the feature every frame answers feature_disabled', async () => {
      const rooms = await newChannelApp(service, { realtimeChannels: false, multiplayer: true })
      const player = await rooms.join()
      const frames = [
        { t: 'channelJoin', channel: 'a' },
        { t: 'channelCreate' },
        { t: 'channelLeave', channel: 'a' },
        { t: 'channelSend', channel: 'a', type: 'x' },
        { t: 'channelModerate', channel: '@a', op: 'kick', playerId: 'ply_1' },
      ]
      for (const frame of frames) {
        const { code, details } = await player.refusal(frame)
        assert.equal(code, 'feature_disabled')
        assert.equal(details?.['configPath'], 'features.realtimeChannels')
      }
      await rooms.closeAll()
    })

    test('[CHN-01] when the feature is turned off, members receive channel_closed with reason feature_disabled', async () => {
      const both = await newChannelApp(service, { multiplayer: true })
      const [ada, ben] = [await both.join(), await both.join()]
      for (const talker of [ada, ben]) await join(talker, 'lobby')
      await both.setFeatures({ realtimeChannels: false, multiplayer: true })
      for (const talker of [ada, ben])
        assert.equal((await talker.next('channel_closed'))['reason'], 'feature_disabled')
      assert.deepEqual(await eventsOf(ada, 'channel_player_left', 'lobby'), [])
      await both.closeAll()
    })

    test('[CHN-02] an invalid channel name answers invalid_channel_name', async () => {
      const player = await app.join()
      for (const name of [
        '',
        '@',
        '@@a',
        'A',
        'ä',
        'a b',
        '-a',
        '@-a',
        'a'.repeat(65),
        `@${'a'.repeat(64)}`,
        'a\n',
      ])
        assert.equal(await refusedToJoin(player, name), 'invalid_channel_name', JSON.stringify(name))
      for (const name of ['a'.repeat(64), 'a_b.c:d-9']) await join(player, name)
      assert.equal(await refusedToJoin(player, `@${'a'.repeat(63)}`), 'channel_not_found')
      assert.equal((await player.refusal({ t: 'channelJoin' })).code, 'invalid_request')
    })

    test('[CHN-03] [CHN-07] the first join creates a channel without @: no owner, all may join and send, 100 members', async () => {
      const channel = newPlainName()
      const [ada, ben] = [await app.join(), await app.join()]
      await join(ada, channel)
      await join(ben, channel)
      assert.deepEqual(await lastOf(ben, 'channel_joined', channel), {
        settings: { join: 'everyone', send: 'everyone', open: false, maxMembers: 100 },
        owner: null,
        members: [ada, ben].map(({ id, welcome }) => ({ id, displayName: welcome['displayName'] })),
        voice: null,
        self: { canSend: true, muted: false, mutedUntil: null },
      })
      assert.equal(
        await refused(ada, { t: 'channelModerate', channel, op: 'kick', playerId: ben.id }),
        'owner_only',
      )
    })

    test('[CHN-03] a channel and its state are removed when the last member leaves', async () => {
      const channel = newPlainName()
      const [ada, ben] = [await app.join(), await app.join()]
      for (const talker of [ada, ben]) await join(talker, channel)
      await app.server.moderate(channel, { op: 'ban', playerId: ben.id })
      assert.equal(await refusedToJoin(ben, channel), 'channel_banned')

      await ada.request({ t: 'channelLeave', channel })
      assert.equal((await app.server.read(channel)).status, 404)
      await join(ben, channel)
      assert.deepEqual((await lastOf(ben, 'channel_joined', channel))['members'].length, 1)
    })

    test('[CHN-03] an unknown name with @ answers channel_not_found, also to 50 concurrent joins', async () => {
      const crowd = await Promise.all(Array.from({ length: 50 }, () => app.join()))
      const name = newName()
      const codes = await Promise.all(crowd.map((talker) => refusedToJoin(talker, name)))
      assert.deepEqual(new Set(codes), new Set(['channel_not_found']))
      await Promise.all(crowd.map((talker) => talker.close()))
    })

    test('[CHN-04] [WSK-15] a connection may be in eight channels; a ninth is possible only after it leaves one', async () => {
      const player = await app.join()
      const names = Array.from({ length: 8 }, newPlainName)
      for (const name of names) await join(player, name)
      const ninth = newPlainName()
      assert.equal(await refusedToJoin(player, ninth), 'too_many_channels')
      assert.equal(await refused(player, { t: 'channelCreate' }), 'too_many_channels')

      await join(player, names[3] ?? '')
      await player.request({ t: 'channelLeave', channel: names[3] })
      await join(player, ninth)
    })

    test('[WSK-15] a room and eight channels fit on one connection', async () => {
      const both = await newChannelApp(service, { multiplayer: true })
      const player = await both.join()
      await player.request({ t: 'create' })
      for (let i = 0; i < 8; i++) await join(player, `with-room-${i}`)
      assert.equal(await refusedToJoin(player, 'with-room-8'), 'too_many_channels')
      await both.closeAll()
    })

    test('[CHN-04] joining a joined channel succeeds and sends channel_joined again, only to the caller', async () => {
      const { owner, channel } = await newChannel()
      const ben = await app.join()
      await join(ben, channel)
      await join(ben, channel)
      assert.equal((await eventsOf(ben, 'channel_joined', channel)).length, 2)
      assert.equal((await eventsOf(owner, 'channel_player_joined', channel)).length, 1)
    })

    test('[CHN-05] the creator of a channel joins it as its owner; without a name it gets a generated one', async () => {
      const owner = await app.join()
      const { channel } = await owner.request({ t: 'channelCreate' })
      assert.match(channel, /^@[a-z0-9]{16}$/)
      const joined = await lastOf(owner, 'channel_joined', channel)
      assert.equal(joined['owner'], owner.id)
      assert.deepEqual(await owner.request({ t: 'channelCreate', channel: newName() }), {
        channel: `@made-${count}`,
      })
    })

    test('[CHN-05] a name in use answers channel_exists, an invalid one invalid_channel_name', async () => {
      const { channel } = await newChannel()
      const stored = newName()
      await app.server.put(stored)
      const ben = await app.join()
      for (const name of [channel, stored])
        assert.equal(await refused(ben, { t: 'channelCreate', channel: name }), 'channel_exists')
      for (const name of ['a', '@', `@${'a'.repeat(64)}`, '@A'])
        assert.equal(await refused(ben, { t: 'channelCreate', channel: name }), 'invalid_channel_name')
    })

    test('[CHN-05] 20 concurrent creates of one name: exactly one succeeds', async () => {
      const crowd = await Promise.all(Array.from({ length: 20 }, () => app.join()))
      const channel = newName()
      const answers = await Promise.all(
        crowd.map((talker) =>
          talker.request({ t: 'channelCreate', channel }).then(
            () => 'made',
            () => 'refused',
          ),
        ),
      )
      assert.equal(answers.filter((answer) => answer === 'made').length, 1)
      await Promise.all(crowd.map((talker) => talker.close()))
    })

    test('[CHN-05] it closes when the last member leaves, whether that is the owner or not', async () => {
      const { owner, channel } = await newChannel()
      const ben = await app.join()
      await join(ben, channel)
      await owner.request({ t: 'channelLeave', channel })
      await ben.request({ t: 'channelSend', channel, type: 'still here' })
      await ben.request({ t: 'channelLeave', channel })
      assert.equal(await refusedToJoin(ben, channel), 'channel_not_found')
    })

    test('[CHN-05] a channel stays open without its owner, who is still the owner after a rejoin', async () => {
      const { owner, channel, moderate } = await newChannel()
      const ben = await app.join()
      await join(ben, channel)
      await owner.request({ t: 'channelLeave', channel })
      await join(owner, channel)
      assert.equal((await lastOf(owner, 'channel_joined', channel))['owner'], owner.id)
      await moderate('kick', ben)
      assert.equal((await ben.next('channel_closed'))['reason'], 'kicked')
    })

    test('[CHN-05] [VOI-02] [VOI-04] voice requires its feature, and a number of members that a call supports', async () => {
      const { code, details } = await (await app.join()).refusal({ t: 'channelCreate', voice: true })
      assert.deepEqual([code, details?.['configPath']], ['feature_disabled', 'features.voice'])

      const talking = await newChannelApp(service, { voice: true })
      const owner = await talking.join()
      const create = (fields: object) => owner.request({ t: 'channelCreate', ...fields })
      const voiceOf = async (channel: string) => (await lastOf(owner, 'channel_joined', channel))['voice']
      assert.equal(
        await refused(owner, { t: 'channelCreate', voice: true, maxMembers: 101 }),
        'voice_too_large',
      )
      assert.equal(await refused(owner, { t: 'channelCreate', voice: { mode: 'p2p' } }), 'invalid_request')
      const large = await create({ voice: { mode: 'sfu', relayOnly: false }, maxMembers: 100 })
      assert.deepEqual(await voiceOf(large.channel), { mode: 'sfu', relayOnly: true })
      const small = await create({ voice: true, maxMembers: 8 })
      assert.deepEqual(await voiceOf(small.channel), { mode: 'p2p', relayOnly: true })
      await talking.closeAll()
    })

    test('[CHN-06] maxMembers is 1 to 1,000, and only a server opens a channel', async () => {
      const owner = await app.join()
      for (const maxMembers of [0, 1_001, 1.5, '2'])
        assert.equal(await refused(owner, { t: 'channelCreate', maxMembers }), 'invalid_request')
      for (const rule of [{ join: 'nobody' }, { send: 'invited' }])
        assert.equal(await refused(owner, { t: 'channelCreate', ...rule }), 'invalid_request')
      for (const maxMembers of [1, 1_000]) {
        const { channel } = await owner.request({
          t: 'channelCreate',
          maxMembers,
          open: true,
          allow: ['ply_1'],
        })
        const { settings } = await lastOf(owner, 'channel_joined', channel)
        assert.deepEqual([settings.maxMembers, settings.open], [maxMembers, false])
      }
    })

    test('[CHN-06] the owner and players in allow may join a channel with join invited; others get channel_forbidden', async () => {
      const { owner, channel, moderate } = await newChannel({ join: 'invited' })
      const ben = await app.join()
      assert.equal(await refusedToJoin(ben, channel), 'channel_forbidden')
      await moderate('invite', ben)
      await join(ben, channel)
      await owner.request({ t: 'channelLeave', channel })
      await join(owner, channel)
    })

    test('[CHN-02] [CHN-06] a full channel answers channel_full, until a member leaves', async () => {
      const { owner, channel } = await newChannel({ maxMembers: 2 })
      const [ben, cem] = [await app.join(), await app.join()]
      await join(ben, channel)
      assert.equal(await refusedToJoin(cem, channel), 'channel_full')
      await owner.request({ t: 'channelLeave', channel })
      await join(cem, channel)
      assert.equal(await refusedToJoin(owner, channel), 'channel_full')
    })

    test('[CHN-02] 50 concurrent joins of a channel for ten: exactly ten succeed', async () => {
      const channel = newName()
      await app.server.put(channel, { maxMembers: 10 })
      const crowd = await Promise.all(Array.from({ length: 50 }, () => app.join()))
      const codes = await Promise.all(
        crowd.map((talker) =>
          talker.request({ t: 'channelJoin', channel }).then(
            () => 'in',
            () => 'full',
          ),
        ),
      )
      assert.equal(codes.filter((code) => code === 'in').length, 10)
      assert.equal((await app.server.read(channel)).body.members.length, 10)
      await Promise.all(crowd.map((talker) => talker.close()))
    })

    test('[WSK-02] [CHN-18] an anonymous connection can join only channels that a server has opened', async () => {
      const nobody = await app.joinAnonymously()
      const [opened, closed, plain] = [newName(), newName(), newPlainName()]
      await app.server.put(opened, { open: true })
      await app.server.put(closed)
      for (const name of [closed, plain]) assert.equal(await refusedToJoin(nobody, name), 'player_required')
      const ada = await app.join()
      await join(ada, plain)
      assert.equal(await refusedToJoin(nobody, plain), 'player_required')
      assert.equal(await refusedToJoin(nobody, newName()), 'channel_not_found')
      assert.equal(await refused(nobody, { t: 'channelCreate' }), 'player_required')

      await join(nobody, opened)
      const { self } = await lastOf(nobody, 'channel_joined', opened)
      assert.deepEqual(self, { canSend: false, muted: false, mutedUntil: null })
      await app.server.put(opened, { join: 'invited' })
      const other = await app.joinAnonymously()
      assert.equal(await refusedToJoin(other, opened), 'channel_forbidden')
    })

    test('[CHN-08] members receive an event when a player joins, leaves or loses the connection', async () => {
      const { owner, channel } = await newChannel()
      const [ben, cem] = [await app.join(), await app.join()]
      for (const talker of [ben, cem]) await join(talker, channel)
      await ben.request({ t: 'channelLeave', channel })
      await cem.close()
      const left = [await owner.next('channel_player_left'), await owner.next('channel_player_left')]
      assert.deepEqual(left, [
        { t: 'channel_player_left', channel, playerId: ben.id },
        { t: 'channel_player_left', channel, playerId: cem.id },
      ])
      assert.deepEqual(
        (await eventsOf(owner, 'channel_player_joined', channel)).map(({ player }) => player),
        [ben, cem].map(({ id, welcome }) => ({ id, displayName: welcome['displayName'] })),
      )
      assert.deepEqual(await eventsOf(ben, 'channel_player_left', channel), [])
    })

    test('[CHN-08] anonymous members are counted, not announced', async () => {
      const channel = newName()
      await app.server.put(channel, { open: true, maxMembers: 2 })
      const [ada, nobody, noOther] = [
        await app.join(),
        await app.joinAnonymously(),
        await app.joinAnonymously(),
      ]
      await join(ada, channel)
      await join(nobody, channel)
      assert.equal(await refusedToJoin(noOther, channel), 'channel_full')
      await nobody.request({ t: 'channelLeave', channel })
      await join(noOther, channel)
      assert.deepEqual(await eventsOf(ada, 'channel_player_joined', channel), [])
      assert.deepEqual(await eventsOf(ada, 'channel_player_left', channel), [])
      assert.equal((await lastOf(noOther, 'channel_joined', channel))['members'].length, 1)
    })

    test('[CHN-09] channelLeave succeeds for a channel the caller is not in, an unknown channel, and twice', async () => {
      const { owner, channel } = await newChannel()
      const ben = await app.join()
      for (const name of [channel, newName(), newPlainName(), 'no name!', '']) {
        assert.deepEqual(await ben.request({ t: 'channelLeave', channel: name }), {})
      }
      for (let i = 0; i < 2; i++) assert.deepEqual(await owner.request({ t: 'channelLeave', channel }), {})
    })

    test('[WSK-09] channel_joined arrives before the reply that caused it, in channelJoin and channelCreate', async () => {
      const { owner, channel } = await newChannel()
      const ben = await app.join()
      await join(ben, channel)
      for (const talker of [owner, ben])
        assert.deepEqual(
          talker.received.slice(0, 3).map(({ t }) => t),
          ['welcome', 'channel_joined', 'reply'],
        )
    })

    test('a player on a new connection replaces the old one, and no join or leave event is sent', async () => {
      const { owner, channel } = await newChannel({ maxMembers: 2 })
      const guest = await newGuest(app.side)
      const former = await app.joinAs(guest)
      await join(former, channel)
      const newer = await app.joinAs(guest)
      await join(newer, channel)
      assert.equal((await former.closed).code, 4004)
      await newer.request({ t: 'channelSend', channel, type: 'here' })
      assert.equal((await owner.next('channel_message'))['from'], newer.id)
      assert.equal((await app.server.read(channel)).body.members.length, 2)
    })

    test('the last member who lost the connection has ten seconds to rejoin, and the owner is still the owner', async () => {
      const guest = await newGuest(app.side)
      const first = await app.joinAs(guest)
      const [kept, lost, remade] = [newName(), newName(), newName()]
      for (const channel of [kept, lost, remade]) await first.request({ t: 'channelCreate', channel })
      const watcher = await app.join()
      await first.close()
      const again = await app.joinAs(guest)
      await again.request({ t: 'channelCreate', channel: remade, send: 'server' })
      assert.equal((await lastOf(again, 'channel_joined', remade))['settings'].send, 'server')
      assert.equal(await refused(watcher, { t: 'channelCreate', channel: kept }), 'channel_exists')
      service.clock.advance(9_999)
      await join(again, kept)
      assert.equal((await lastOf(again, 'channel_joined', kept))['owner'], guest.id)
      service.clock.advance(1)
      assert.equal(await refusedToJoin(again, lost), 'channel_not_found')
      await join(watcher, kept)
    })
  })
}
