import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import {
  type ChannelApp,
  eventsOf,
  lastOf,
  newChannelApp,
  type ChannelClient,
} from '../../testing/channels.ts'
import { until } from '../../testing/cluster.ts'
import { newGuest } from '../../testing/guests.ts'
import { clientText, openRaw } from '../../testing/raw-websocket.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { portOf } from '../../testing/sockets.ts'

const settings = { SVC_RATE_LIMITS: 'off' }
const join = (talker: ChannelClient, channel: string) => talker.request({ t: 'channelJoin', channel })
const send = (talker: ChannelClient, channel: string, type: string) =>
  talker.request({ t: 'channelSend', channel, type })
const codeOf = async (talker: ChannelClient, frame: object) => (await talker.refusal(frame)).code
const joinCode = (talker: ChannelClient, channel: string) => codeOf(talker, { t: 'channelJoin', channel })
const messageOf = (talker: ChannelClient, type: string) =>
  talker.until((event) => event.t === 'channel_message' && event['type'] === type, type)

/** Stops the first node last, because it owns the data. */
async function stopAll(nodes: Service[]) {
  for (const node of nodes.toReversed()) await node.stop()
}

describe('channels on two nodes with one PostgreSQL and Redis', () => {
  let first: Service
  let second: Service
  let app: ChannelApp
  before(async () => {
    first = await startService('postgres', { settings })
    second = await startService('postgres', { settings, clusterOf: first })
    app = await newChannelApp(first)
  })
  after(async () => {
    await app.closeAll()
    await stopAll([first, second])
  })

  let count = 0
  const newName = () => `@node-${++count}`
  /** A channel that the first node owns, with its owner there and another member on the second. */
  async function newChannel(fields: object = {}) {
    const channel = newName()
    const [ada, ben] = [await app.join(first), await app.join(second)]
    await ada.request({ t: 'channelCreate', channel, ...fields })
    await join(ben, channel)
    return { channel, ada, ben }
  }

  test('[CHN-07] [CHN-08] [CHN-11] [WSK-09] members on both nodes see each other join, send and leave', async () => {
    const { channel, ada, ben } = await newChannel()
    assert.deepEqual(
      ben.received.slice(0, 3).map(({ t }) => t),
      ['welcome', 'channel_joined', 'reply'],
    )
    assert.deepEqual(
      (await lastOf(ben, 'channel_joined', channel))['members'].map(({ id }: { id: string }) => id),
      [ada.id, ben.id],
    )
    assert.equal((await ada.next('channel_player_joined'))['player'].id, ben.id)
    await send(ben, channel, 'from the second')
    await send(ada, channel, 'from the first')
    await messageOf(ben, 'from the first')
    for (const talker of [ada, ben]) {
      assert.deepEqual(
        (await eventsOf(talker, 'channel_message', channel)).map(({ from }) => from),
        [ben.id, ada.id],
      )
    }
    await ben.request({ t: 'channelLeave', channel })
    assert.equal((await ada.next('channel_player_left'))['playerId'], ben.id)
    await join(ben, channel)
    await ben.close()
    assert.equal((await ada.next('channel_player_left'))['playerId'], ben.id)
  })

  test('[CHN-11] all members on all nodes see the same order, which keeps the order of each sender', async () => {
    const { channel, ada, ben } = await newChannel()
    for (let i = 0; i < 20; i++)
      for (const talker of [ada, ben]) talker.send({ t: 'channelSend', channel, type: String(i) })
    const orders = []
    for (const talker of [ada, ben]) {
      let seen = 0
      await talker.until(({ t }) => t === 'channel_message' && ++seen === 40, 'forty messages')
      const messages = await eventsOf(talker, 'channel_message', channel)
      orders.push(messages.map(({ from, type }) => `${from} ${type}`))
    }
    assert.deepEqual(orders[0], orders[1])
    for (const { id } of [ada, ben])
      assert.deepEqual(
        orders[0]?.filter((line) => line.startsWith(id)),
        Array.from({ length: 20 }, (_, i) => `${id} ${i}`),
      )
  })

  test('[CHN-15] moderation applies on every node: mute, kick, and a ban on a new connection to another node', async () => {
    const channel = newName()
    const [ada, guest] = [await app.join(first), await newGuest(app.side)]
    const ben = await app.joinAs(guest, second)
    await ada.request({ t: 'channelCreate', channel })
    await join(ben, channel)
    const moderate = (op: string) => ada.request({ t: 'channelModerate', channel, op, playerId: ben.id })
    await moderate('mute')
    assert.deepEqual((await ben.next('channel_self'))['canSend'], false)
    assert.equal(await codeOf(ben, { t: 'channelSend', channel, type: 'x' }), 'muted')
    await moderate('unmute')
    await moderate('kick')
    assert.equal((await ben.next('channel_closed'))['reason'], 'kicked')
    assert.equal(await codeOf(ben, { t: 'channelSend', channel, type: 'x' }), 'not_in_channel')
    await moderate('ban')
    for (const node of [first, second])
      assert.equal(await joinCode(await app.joinAs(guest, node), channel), 'channel_banned')
  })

  test('[CHN-02] 50 concurrent joins of a channel for ten on two nodes: exactly ten succeed', async () => {
    const channel = newName()
    await app.server.put(channel, { maxMembers: 10 })
    const crowd = await Promise.all(Array.from({ length: 50 }, (_, i) => app.join(i % 2 ? first : second)))
    const answers = await Promise.all(
      crowd.map((talker) =>
        join(talker, channel).then(
          () => 'in',
          () => 'full',
        ),
      ),
    )
    assert.equal(answers.filter((answer) => answer === 'in').length, 10)
    assert.equal((await app.serverAt(second).read(channel)).body.members.length, 10)
    await Promise.all(crowd.map((talker) => talker.close()))
  })

  test('[CHN-05] 20 concurrent creates of one name on two nodes: exactly one succeeds', async () => {
    const channel = newName()
    const crowd = await Promise.all(Array.from({ length: 20 }, (_, i) => app.join(i % 2 ? first : second)))
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

  test('[WSK-04] [CHN-26] a newer connection on another node takes the seat: members receive no event', async () => {
    const ada = await app.join(first)
    await join(ada, 'takeover')
    const guest = await newGuest(app.side)
    const about = async () => {
      await ada.settled()
      return ada.received.filter(({ t }) => t.startsWith('channel_player_')).map(({ t }) => t)
    }

    const former = await app.joinAs(guest, first)
    await join(former, 'takeover')
    const newer = await app.joinAs(guest, second)
    assert.equal((await former.closed).code, 4004)
    await join(newer, 'takeover')
    await newer.request({ t: 'channelSend', channel: 'takeover', type: 'here' })
    await ada.next('channel_message')
    assert.deepEqual(await about(), ['channel_player_joined'])
    await newer.close()
    await ada.next('channel_player_left')

    // A client that never answers a close frame, so that it is disconnected after a second at the earliest.
    const silent = await openRaw(await portOf(first))
    const frame = (fields: object) => clientText(JSON.stringify(fields))
    silent.send(frame({ t: 'auth', key: app.side.publishableKey, token: guest.accessToken }))
    silent.send(frame({ t: 'channelJoin', channel: 'takeover' }))
    await ada.next('channel_player_joined')
    const before = await about()
    const newest = await app.joinAs(guest, second)
    await join(newest, 'takeover')
    await silent.ended
    await newest.request({ t: 'channelSend', channel: 'takeover', type: 'here' })
    await ada.next('channel_message')
    assert.deepEqual(await about(), before)
    await newest.close()
  })

  test('[CHN-26] the seat of a connection that another node lost waits for five seconds', async () => {
    const { channel, ada, ben } = await newChannel()
    await ben.close(4008)
    // The close is a message of the second node to the first; a later request of the same node comes after it.
    const cem = await app.join(second)
    await join(cem, channel)
    assert.deepEqual(await eventsOf(ada, 'channel_player_left', channel), [])
    first.clock.advance(5_000)
    assert.equal((await ada.next('channel_player_left'))['playerId'], ben.id)
  })

  test('[CHN-03] [CHN-04] plain names and the limit of eight are the same on every node', async () => {
    const [ada, ben] = [await app.join(first), await app.join(second)]
    for (let i = 0; i < 8; i++) {
      await join(i % 2 ? ada : ben, `both-${i}`)
      await join(i % 2 ? ben : ada, `both-${i}`)
    }
    for (const talker of [ada, ben]) assert.equal(await joinCode(talker, 'both-8'), 'too_many_channels')
    assert.equal(await joinCode(ada, 'both-0').catch(() => 'in'), 'in')
  })

  test('[CHN-17] [CHN-20] [CHN-21] [CHN-22] a server may call any node', async () => {
    const channel = newName()
    const [one, other] = [app.server, app.serverAt(second)]
    await one.put(channel)
    const talkers = [await app.join(first), await app.join(second), await app.join(second)]
    for (const talker of talkers) await join(talker, channel)
    for (const server of [one, other]) {
      assert.deepEqual((await server.send(channel, { type: 'all' })).body, { delivered: 3 })
      assert.equal((await server.read(channel)).body.members.length, 3)
    }
    const ben = talkers[1] as ChannelClient
    await other.put(channel, { send: 'server' })
    assert.equal((await ben.next('channel_self'))['canSend'], false)
    assert.equal(await codeOf(ben, { t: 'channelSend', channel, type: 'x' }), 'send_forbidden')
    await other.moderate(channel, { op: 'ban', playerId: ben.id })
    assert.equal((await ben.next('channel_closed'))['reason'], 'banned')
    assert.equal(await joinCode(ben, channel), 'channel_banned')
    await other.remove(channel)
    for (const talker of [talkers[0], talkers[2]])
      assert.equal((await (talker as ChannelClient).next('channel_closed'))['reason'], 'deleted')
    assert.equal((await one.read(channel)).status, 404)
  })

  test('[CHN-17] concurrent PUTs on both nodes are serialized: memory and database are equal', async () => {
    const channel = newName()
    const other = app.serverAt(second)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? app.server : other).put(channel, { allow: [`ply_${i}`], maxMembers: i + 1 }),
      ),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const { body } = await app.server.read(channel)
    first.clock.advance(10_000)
    assert.deepEqual((await app.serverAt(second).read(channel)).body, body)
  })

  test('[CHN-23] the limits count the requests of both nodes', async () => {
    const limited = await newChannelApp(first)
    await limited.server.put('@a')
    const other = limited.serverAt(second)
    const answers = await Promise.all(
      Array.from({ length: 620 }, (_, i) => (i % 2 ? limited.server : other).send('@a', { type: 'x' })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 600)
    assert.equal(answers.filter(({ status }) => status === 429).length, 20)
  })

  test('[DEV-16] the live view includes all nodes', async () => {
    const live = await newChannelApp(first)
    for (const node of [first, second]) {
      const talker = await live.join(node)
      await join(talker, 'both')
      await join(talker, node === first ? 'one' : 'other')
    }
    for (const node of [first, second]) {
      const { body } = await node.withKey(live.side.secretKey)('GET', '/v1/admin/realtime')
      assert.equal(body.connections, 2)
      assert.deepEqual(
        body.channels.map(({ channel, members }: { channel: string; members: number }) => [channel, members]),
        [
          ['both', 2],
          ['one', 1],
          ['other', 1],
        ],
      )
    }
    await live.closeAll()
  })

  test('[CHN-01] the feature is turned off for members on every node', async () => {
    const both = await newChannelApp(first, { multiplayer: true })
    const talkers = [await both.join(first), await both.join(second)]
    for (const talker of talkers) await join(talker, 'lobby')
    await both.setFeatures({ realtimeChannels: false, multiplayer: true })
    first.clock.advance(1_000)
    for (const talker of talkers)
      assert.equal((await talker.next('channel_closed'))['reason'], 'feature_disabled')
    await both.closeAll()
  })

  test('[OWN-03] a deleted player is removed from live channels on every node', async () => {
    const guest = await newGuest(app.side)
    const { channel, ada } = await newChannel()
    const stored = newName()
    await app.server.put(stored, { allow: [guest.id], speakers: [guest.id] })
    await join(ada, stored)
    await ada.request({ t: 'channelModerate', channel, op: 'invite', playerId: guest.id })
    const { body: exported } = await guest.call('GET', '/v1/players/me/export')
    assert.deepEqual(exported.channels, [
      { channel: stored, list: 'allow', until: null },
      { channel: stored, list: 'speakers', until: null },
    ])
    const deleted = await guest.at(second.withKey(app.side.publishableKey))('DELETE', '/v1/players/me', {})
    assert.deepEqual(deleted.body, { deleted: true })
    for (const name of [channel, stored])
      assert.ok(!JSON.stringify((await app.server.read(name)).body).includes(guest.id))
  })
})

for (const engine of engines) {
  describe(`channels after a restart, on ${engine}`, () => {
    test('[CHN-17] [CHN-05] after a graceful restart server channels remain, and player channels for members who rejoin', async (t) => {
      const service = await startService(engine, { settings })
      const nodes = [service]
      t.after(() => stopAll(nodes))
      const app = await newChannelApp(service)
      const [owner, banned, muted] = [
        await newGuest(app.side),
        await newGuest(app.side),
        await newGuest(app.side),
      ]
      const ada = await app.joinAs(owner)
      await ada.request({ t: 'channelCreate', channel: '@team', send: 'speakers', maxMembers: 3 })
      const moderate = (op: string, playerId: string) => ({
        t: 'channelModerate',
        channel: '@team',
        op,
        playerId,
      })
      await ada.request(moderate('ban', banned.id))
      await app.server.put('@news', { send: 'server' })
      await app.server.moderate('@news', { op: 'mute', playerId: muted.id })
      await join(ada, '@news')
      await service.close()
      assert.equal((await ada.closed).code, 1012)

      const next = await startService(engine, { settings, clusterOf: service })
      nodes.push(next)
      const again = await app.joinAs(owner, next)
      await join(again, '@team')
      const joined = await lastOf(again, 'channel_joined', '@team')
      assert.deepEqual(
        [joined['owner'], joined['settings'].send, joined['settings'].maxMembers],
        [owner.id, 'speakers', 3],
      )
      assert.equal(await joinCode(await app.joinAs(banned, next), '@team'), 'channel_banned')
      await again.request(moderate('unban', banned.id))
      await join(again, '@news')
      const silent = await app.joinAs(muted, next)
      await join(silent, '@news')
      assert.equal(await codeOf(silent, { t: 'channelSend', channel: '@news', type: 'x' }), 'muted')
      next.clock.advance(10_000)
      await again.request({ t: 'channelSend', channel: '@team', type: 'still here' })
      await app.closeAll()
    })

    test('[CHN-05] a player channel ends if no member rejoins within ten seconds', async (t) => {
      const service = await startService(engine, { settings })
      const nodes = [service]
      t.after(() => stopAll(nodes))
      const app = await newChannelApp(service)
      const ada = await app.join()
      await ada.request({ t: 'channelCreate', channel: '@team' })
      await service.close()
      const next = await startService(engine, { settings, clusterOf: service })
      nodes.push(next)
      assert.equal((await app.serverAt(next).read('@team')).status, 200)
      next.clock.advance(10_000)
      assert.equal((await app.serverAt(next).read('@team')).status, 404)
    })
  })
}

describe('channels whose owner node stops', () => {
  test('members on another node stay members: the owner, bans and mutes are kept, and all get the new list of members', async (t) => {
    const first = await startService('postgres', { settings })
    const second = await startService('postgres', { settings, clusterOf: first })
    t.after(() => stopAll([first, second]))
    const app = await newChannelApp(first)
    const [gone, ada, ben, cem] = [
      await app.join(first),
      await app.join(second),
      await app.join(second),
      await app.join(second),
    ]
    // The first node that asks for a name owns it.
    await join(gone, 'lobby')
    await gone.request({ t: 'channelCreate', channel: '@team' })
    await app.server.put('@news')
    for (const channel of ['lobby', '@team', '@news'])
      for (const talker of [ada, ben]) await join(talker, channel)
    await gone.request({ t: 'channelModerate', channel: '@team', op: 'mute', playerId: ben.id })
    await gone.request({ t: 'channelModerate', channel: '@team', op: 'ban', playerId: cem.id })
    await first.close()

    const server = app.serverAt(second)
    for (const channel of ['lobby', '@team', '@news'])
      await until(
        () => server.read(channel),
        ({ body }) => body.members?.length === 2,
      )
    await send(ada, 'lobby', 'after')
    await messageOf(ben, 'after')
    assert.equal(await codeOf(ben, { t: 'channelSend', channel: '@team', type: 'x' }), 'muted')
    assert.equal(await joinCode(cem, '@team'), 'channel_banned')
    assert.equal((await eventsOf(ada, 'channel_player_joined', '@news')).length, 1)

    second.clock.advance(10_000)
    for (const talker of [ada, ben]) {
      const { members, owner } = await lastOf(talker, 'channel_joined', '@team')
      assert.deepEqual(members.map(({ id }: { id: string }) => id).toSorted(), [ada.id, ben.id].toSorted())
      assert.equal(owner, gone.id)
    }
    await app.closeAll()
  })
})
