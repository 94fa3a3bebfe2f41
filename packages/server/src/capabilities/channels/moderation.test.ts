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
import { applyTo, emptyLists, isListed, listChangeOf, OPERATIONS, requireListCapacity } from './moderation.ts'

const OPS = [
  'invite',
  'uninvite',
  'allowSend',
  'disallowSend',
  'mute',
  'unmute',
  'kick',
  'ban',
  'unban',
] as const
const later = (seconds: number) => new Date(seconds * 1_000).toISOString()

describe('the lists of a channel', () => {
  test('[CHN-13] there are nine operations; only mute and ban accept seconds', () => {
    assert.deepEqual(Object.keys(OPERATIONS).toSorted(), OPS.toSorted())
    for (const op of OPS) {
      const withSeconds = () => listChangeOf({ op, playerId: 'ply_1', seconds: 5 }, later)
      if (op === 'mute' || op === 'ban') assert.equal(withSeconds()?.change, 'add')
      else assert.throws(withSeconds, { code: 'invalid_request' })
    }
  })

  test('[CHN-15] a mute or ban expires exactly at `until`', () => {
    const list = new Map([
      ['ply_1', later(10)],
      ['ply_2', null],
    ])
    assert.equal(isListed(list, 'ply_1', later(9.999)), true)
    assert.equal(isListed(list, 'ply_1', later(10)), false)
    assert.equal(isListed(list, 'ply_2', later(1e9)), true)
    assert.equal(isListed(list, 'ply_3', later(0)), false)
  })

  test('a list has at most 1,000 entries; expired ones are replaced, and existing ones can be renewed', () => {
    const lists = emptyLists()
    const ban = (playerId: string, until: string | null) =>
      ({ list: 'banned', playerId, change: 'add', until }) as const
    for (let i = 0; i < 1_000; i++) applyTo(lists, ban(`ply_${i}`, i === 0 ? later(10) : null))
    const oneMore = () => requireListCapacity(lists, ban('ply_new', null), later(9))
    assert.throws(oneMore, { code: 'invalid_request' })
    requireListCapacity(lists, ban('ply_5', null), later(9))
    requireListCapacity(lists, { list: 'banned', playerId: 'ply_new', change: 'remove' }, later(9))
    requireListCapacity(lists, ban('ply_new', null), later(10))
    assert.equal(lists.banned.size, 999)
  })
})

for (const engine of engines) {
  describe(`moderation of channels by their owner, on ${engine}`, () => {
    let service: Service
    let app: ChannelApp
    let ada: ChannelClient
    before(async () => {
      service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      app = await newChannelApp(service)
      ada = await app.join()
    })
    after(async () => {
      await app.closeAll()
      await service.stop()
    })

    let count = 0
    async function newChannel(settings: object = {}) {
      const channel = `@mod-${++count}`
      await ada.request({ t: 'channelCreate', channel, ...settings })
      const guest = await newGuest(app.side)
      const ben = await app.joinAs(guest)
      const moderate = (op: string, more: object = {}) =>
        ada.request({ t: 'channelModerate', channel, op, playerId: ben.id, ...more })
      const refusal = (more: object, by: ChannelClient = ada) =>
        by.refusal({ t: 'channelModerate', channel, op: 'kick', playerId: ben.id, ...more })
      const send = () => ben.request({ t: 'channelSend', channel, type: 'x' })
      const sendRefusal = () => ben.refusal({ t: 'channelSend', channel, type: 'x' })
      const join = () => ben.request({ t: 'channelJoin', channel })
      const joinRefusal = () => ben.refusal({ t: 'channelJoin', channel })
      const leave = async () => void (await ada.request({ t: 'channelLeave', channel }))
      if (settings && !('join' in settings)) await join()
      return {
        channel,
        guest,
        ben,
        moderate,
        refusal,
        send,
        sendRefusal,
        join,
        joinRefusal,
        [Symbol.asyncDispose]: leave,
      }
    }
    const now = (plusMs = 0) => service.clock.now().getTime() + plusMs

    test('[CHN-13] only the owner may moderate; a channel without an owner cannot be moderated', async () => {
      await using of = await newChannel()
      const nobody = await app.joinAnonymously()
      for (const by of [of.ben, await app.join(), nobody])
        for (const op of OPS) assert.equal((await of.refusal({ op }, by)).code, 'owner_only')
      await app.server.put('@of-a-server')
      await ada.request({ t: 'channelJoin', channel: 'of-nobody' })
      for (const channel of ['@of-a-server', '@nowhere', 'of-nobody', 'no name!'])
        assert.equal((await of.refusal({ channel })).code, 'owner_only')
      await of.send()
    })

    test('[CHN-13] an unknown op, seconds that are out of bounds or not allowed, and the caller as the target answer invalid_request', async () => {
      await using of = await newChannel()
      const wrongs = [
        { op: 'silence' },
        { op: undefined },
        { playerId: undefined },
        { playerId: 'somebody' },
        { playerId: ada.id },
        { op: 'mute', seconds: 0 },
        { op: 'mute', seconds: 31_536_001 },
        { op: 'ban', seconds: 1.5 },
        { op: 'kick', seconds: 5 },
        { op: 'unmute', seconds: 5 },
      ]
      for (const wrong of wrongs) {
        const { code, details } = await of.refusal(wrong)
        assert.equal(code, 'invalid_request', JSON.stringify(wrong))
        assert.ok(Array.isArray(details?.['errors']))
      }
      await of.moderate('mute', { seconds: 31_536_000 })
      await of.moderate('mute', { seconds: 1 })
      assert.equal((await of.sendRefusal()).details?.['mutedUntil'], now(1_000))
    })

    test('[CHN-14] [CHN-15] a mute prevents sending until exactly `until`, and the error contains it', async () => {
      await using of = await newChannel()
      await of.moderate('mute', { seconds: 5 })
      const until = now(5_000)
      assert.deepEqual(await lastOf(of.ben, 'channel_self', of.channel), {
        canSend: false,
        muted: true,
        mutedUntil: until,
      })
      service.clock.advance(4_999)
      const { code, details } = await of.sendRefusal()
      assert.deepEqual([code, details], ['muted', { mutedUntil: until }])
      service.clock.advance(1)
      await of.send()
    })

    test('[CHN-14] [CHN-15] a mute without seconds lasts until unmute, also after leaving and rejoining', async () => {
      await using of = await newChannel()
      await of.moderate('mute')
      assert.deepEqual(await lastOf(of.ben, 'channel_self', of.channel), {
        canSend: false,
        muted: true,
        mutedUntil: null,
      })
      await of.ben.request({ t: 'channelLeave', channel: of.channel })
      await of.join()
      assert.deepEqual((await lastOf(of.ben, 'channel_joined', of.channel))['self'], {
        canSend: false,
        muted: true,
        mutedUntil: null,
      })
      service.clock.advance(30_000)
      assert.deepEqual((await of.sendRefusal()).details, { mutedUntil: null })
      await of.moderate('unmute')
      assert.deepEqual(await lastOf(of.ben, 'channel_self', of.channel), {
        canSend: true,
        muted: false,
        mutedUntil: null,
      })
      await of.send()
    })

    test('[CHN-14] allowSend and disallowSend edit speakers and notify the player', async () => {
      await using of = await newChannel({ send: 'speakers' })
      assert.equal((await of.sendRefusal()).code, 'send_forbidden')
      await of.moderate('allowSend')
      assert.deepEqual(await lastOf(of.ben, 'channel_self', of.channel), {
        canSend: true,
        muted: false,
        mutedUntil: null,
      })
      await of.send()
      assert.deepEqual((await app.server.read(of.channel)).body.speakers, [of.ben.id])
      await of.moderate('disallowSend')
      assert.deepEqual(await lastOf(of.ben, 'channel_self', of.channel), {
        canSend: false,
        muted: false,
        mutedUntil: null,
      })
      assert.equal((await of.sendRefusal()).code, 'send_forbidden')
    })

    test('[CHN-14] only the affected player is notified', async () => {
      await using of = await newChannel()
      await of.moderate('mute')
      assert.deepEqual(await eventsOf(ada, 'channel_self', of.channel), [])
    })

    test('[CHN-15] a kick removes the member, who may rejoin', async () => {
      await using of = await newChannel()
      await of.moderate('kick')
      assert.deepEqual(await lastOf(of.ben, 'channel_closed', of.channel), { reason: 'kicked' })
      assert.equal((await eventsOf(ada, 'channel_player_left', of.channel)).at(-1)?.['playerId'], of.ben.id)
      assert.equal((await of.sendRefusal()).code, 'not_in_channel')
      await of.join()
      await of.send()
    })

    test('[CHN-15] a ban removes the member, and joining answers channel_banned until exactly `until`', async () => {
      await using of = await newChannel()
      await of.moderate('ban', { seconds: 5 })
      assert.deepEqual(await lastOf(of.ben, 'channel_closed', of.channel), { reason: 'banned' })
      service.clock.advance(4_999)
      assert.equal((await of.joinRefusal()).code, 'channel_banned')
      service.clock.advance(1)
      await of.join()
    })

    test('[CHN-15] a ban without seconds lasts until unban, also on a new connection', async () => {
      await using of = await newChannel()
      await of.moderate('ban')
      const again = await app.joinAs(of.guest)
      const refusal = () => again.refusal({ t: 'channelJoin', channel: of.channel })
      assert.deepEqual((await refusal()).details, { bannedUntil: null })
      service.clock.advance(30_000)
      assert.equal((await refusal()).code, 'channel_banned')
      await of.moderate('unban')
      await again.request({ t: 'channelJoin', channel: of.channel })
    })

    test('[CHN-13] players who are not in the channel can be banned, muted and invited', async () => {
      await using of = await newChannel({ join: 'invited' })
      await of.moderate('ban')
      await of.moderate('kick')
      assert.equal((await of.joinRefusal()).code, 'channel_banned')
      await of.moderate('unban')
      assert.equal((await of.joinRefusal()).code, 'channel_forbidden')
      await of.moderate('invite')
      await of.moderate('mute')
      await of.join()
      assert.equal((await of.sendRefusal()).code, 'muted')
    })

    test('[CHN-15] uninvite removes a member of a channel for invited players, and only edits the list of other channels', async () => {
      await using invited = await newChannel({ join: 'invited' })
      await invited.moderate('invite')
      await invited.join()
      await invited.moderate('uninvite')
      assert.deepEqual(await lastOf(invited.ben, 'channel_closed', invited.channel), { reason: 'uninvited' })
      assert.equal((await invited.joinRefusal()).code, 'channel_forbidden')

      await using open = await newChannel()
      await open.moderate('invite')
      await open.moderate('uninvite')
      await open.send()
    })

    test('[CHN-15] after the reply to a mute or a ban no message of the player is delivered', async () => {
      for (const op of ['mute', 'ban']) {
        await using of = await newChannel()
        const sending = Array.from({ length: 15 }, (_, i) =>
          of.ben.send({ t: 'channelSend', channel: of.channel, type: String(i) }),
        )
        await of.moderate(op)
        const atReply = ada.received.length
        await of.ben.settled()
        await ada.settled()
        const late = ada.received.slice(atReply).filter(({ t }) => t === 'channel_message')
        assert.deepEqual(late, [], `${op}, ${sending.length} sent`)
      }
    })
  })
}
