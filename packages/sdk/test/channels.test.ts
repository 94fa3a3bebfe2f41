import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Channel, SvcError } from '../src/index.ts'
import { eventually, next, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected
type Message = [type: string, data: unknown, from: string, at: number]

test('members receive joins, leaves and messages, their own included', async () => {
  const [ada, bo] = [
    await fixtures.client({ displayName: 'Ada' }),
    await fixtures.client({ displayName: 'Bo' }),
  ]
  const adas = await ada.channels.join('lobby')
  const came = next<[{ id: string }]>(adas, 'member_joined')
  const bos = await bo.channels.join('lobby')
  assert.equal((await came)[0].id, bo.player.id)
  assert.deepEqual(new Set(bos.members.map(({ displayName }) => displayName)), new Set(['Ada', 'Bo']))
  assert.deepEqual([bos.owner, bos.self.canSend, bos.settings.send], [null, true, 'everyone'])

  const heard = [next<Message>(adas, 'message'), next<Message>(bos, 'message')]
  bos.send('chat', { text: 'hi' })
  for (const [type, data, from] of await Promise.all(heard)) {
    assert.deepEqual([type, data, from], ['chat', { text: 'hi' }, bo.player.id])
  }

  const left = next<[{ id: string }]>(adas, 'member_left')
  await bos.leave()
  assert.equal((await left)[0].id, bo.player.id)
  assert.deepEqual(
    adas.members.map(({ id }) => id),
    [ada.player.id],
  )
  assert.deepEqual([bo.channels.joined, ada.channels.joined], [[], [adas]])
})

test('[ROM-06] all members of the channel receive a new display name', async () => {
  const [ada, bo] = [await fixtures.client(), await fixtures.client()]
  const channel = await ada.channels.join('names')
  const came = next(channel, 'member_joined')
  await bo.channels.join('names')
  await came
  const renamed = next<[{ id: string; displayName: string }]>(channel, 'member_renamed')
  await bo.auth.rename('Bob')
  const [member] = await renamed
  assert.deepEqual([member.id, member.displayName], [bo.player.id, 'Bob'])
  assert.ok(channel.members.includes(member))
})

test('joining twice gives the same channel', async () => {
  const svc = await fixtures.client()
  assert.equal(await svc.channels.join('twice'), await svc.channels.join('twice'))
})

test('joinOrCreate joins the channel, or creates it; of several players who try together one creates it', async () => {
  const clients = await Promise.all([1, 2, 3, 4, 5].map(() => fixtures.client()))
  const joined = await Promise.all(
    clients.map((svc) => svc.channels.joinOrCreate({ channel: '@together', maxMembers: 8 })),
  )
  assert.equal(new Set(joined.map(({ owner }) => owner)).size, 1)
  assert.deepEqual(
    joined.map(({ settings }) => settings.maxMembers),
    [8, 8, 8, 8, 8],
  )
  const again = await clients[0]?.channels.joinOrCreate({ channel: '@together', maxMembers: 4 })
  assert.equal(again, joined[0])
  const open = await clients[0]?.channels.joinOrCreate({ channel: 'without-owner' })
  assert.equal(open?.owner, null)
  await assert.rejects(
    fixtures.client().then((svc) => svc.channels.joinOrCreate({ channel: '@' })),
    code('invalid_channel_name'),
  )
})

test('joining a call of a channel without voice says how to create one with voice', async () => {
  const channel = await (await fixtures.client()).channels.join('silent')
  assert.equal(channel.voice.mode, null)
  for (const joining of [channel.joinVoice(), channel.voice.join()])
    await assert.rejects(
      joining,
      (error: SvcError) =>
        error.code === 'voice_disabled' && /channels\.create\(\{ voice: true/.test(error.hint ?? ''),
    )
})

test('only the owner may mute, unmute and kick', async () => {
  const [owner, member] = [await fixtures.client(), await fixtures.client()]
  const room = await owner.channels.create()
  assert.match(room.name, /^@/)
  assert.equal(room.owner, owner.player.id)
  const theirs = await member.channels.join(room.name)
  const playerId = member.player.id
  await assert.rejects(theirs.moderate({ op: 'kick', playerId: owner.player.id }), code('owner_only'))

  const muted = next<[{ canSend: boolean }]>(theirs, 'self')
  await room.moderate({ op: 'mute', playerId, seconds: 60 })
  assert.equal((await muted)[0].canSend, false)
  assert.equal(theirs.self.canSend, false)
  const warned = next<[SvcError]>(theirs, 'warn')
  theirs.send('chat', 'let me')
  assert.equal((await warned)[0].code, 'muted')

  const closed = next<[string]>(theirs, 'closed')
  await room.moderate({ op: 'ban', playerId })
  assert.deepEqual(await closed, ['banned'])
  await assert.rejects(member.channels.join(room.name), code('channel_banned'))
  const after = next<[SvcError]>(theirs, 'warn')
  theirs.send('chat')
  assert.equal((await after)[0].code, 'not_in_channel')
})

test('an invalid name, an unknown channel and one channel too many are rejected', async () => {
  const svc = await fixtures.client()
  await assert.rejects(svc.channels.join('Not A Name'), code('invalid_channel_name'))
  await assert.rejects(svc.channels.join('@nobody-made-it'), code('channel_not_found'))
  for (let n = 0; n < 8; n++) await svc.channels.join(`many-${n}`)
  await assert.rejects(svc.channels.join('many-8'), code('too_many_channels'))
})

const isBack = (channel: Channel) => next(channel, 'reconnected')

test('after a lost connection channels are joined again, and messages of the meantime are sent', async () => {
  const [ada, bo] = [await fixtures.client(), await fixtures.client()]
  const adas = await ada.channels.join('again')
  const second = await ada.channels.join('again-2')
  const bos = await bo.channels.join('again')
  const returned = [isBack(adas), isBack(second), isBack(bos)]
  const lost = next(adas, 'reconnecting')

  fixtures.destroyConnections()
  await lost
  const heard = next<Message>(adas, 'message')
  adas.send('chat', 'patience')
  await Promise.all(returned)

  assert.equal((await heard)[1], 'patience')
  await eventually(() => adas.members.length === 2 && bos.members.length === 2, 'both being there')
})

test('channels work again after a restart of the service', async () => {
  const svc = await fixtures.client()
  const channel = await svc.channels.join('restart')
  const returned = isBack(channel)
  await fixtures.restart()
  await returned
  const heard = next<Message>(channel, 'message')
  channel.send('chat', 'still here')
  assert.equal((await heard)[1], 'still here')
})

test('a room and channels share one connection', async () => {
  const svc = await fixtures.client()
  const [room, channel] = [await svc.rooms.create({ mode: 'party' }), await svc.channels.join('shared')]
  const { rooms } = await fixtures.live()
  assert.equal(
    rooms.some(({ id }: { id: string }) => id === room.id),
    true,
  )
  const returned = [next(room, 'reconnected'), isBack(channel)]
  fixtures.destroyConnections()
  await Promise.all(returned)
  await room.leave()
  const heard = next<Message>(channel, 'message')
  channel.send('chat', 1)
  assert.equal((await heard)[1], 1)
})

test('a channel that closed while offline emits closed', async () => {
  const svc = await fixtures.client()
  await fixtures.development.server('PUT', '/v1/realtime/channels/@brief', {})
  const channel = await svc.channels.join('@brief')
  const [lost, closed] = [next(channel, 'reconnecting'), next<[string]>(channel, 'closed')]
  fixtures.destroyConnections()
  await lost
  await fixtures.development.server('DELETE', '/v1/realtime/channels/@brief')
  // Depending on who was first: there was nothing to come back to, or we came back and were told.
  assert.match((await closed)[0], /^(channel_not_found|deleted)$/)
})

test('a player-owned channel still exists after a lost connection', async () => {
  const svc = await fixtures.client()
  const channel = await svc.channels.create({ channel: '@alone' })
  const returned = isBack(channel)
  fixtures.destroyConnections()
  await returned
  assert.equal(channel.owner, svc.player.id)
})

test('leaving a channel twice does not leave the one that was joined in between', async () => {
  const svc = await fixtures.client()
  const first = await svc.channels.join('twice-left')
  await first.leave()
  const second = await svc.channels.join('twice-left')
  await first.leave()
  assert.deepEqual(svc.channels.joined, [second])
  const heard = next<Message>(second, 'message')
  second.send('chat', 1)
  assert.equal((await heard)[1], 1)
})

test('leaving while the connection is being lost succeeds', async () => {
  const svc = await fixtures.client()
  const channel = await svc.channels.join('leaving')
  const leaving = channel.leave()
  fixtures.destroyConnections()
  await leaving
  assert.deepEqual(svc.channels.joined, [])
})

test('an error is reported to its channel, and to no other', async () => {
  const [owner, member] = [await fixtures.client(), await fixtures.client()]
  const club = await owner.channels.create({ channel: '@quiet', send: 'speakers' })
  const theirs = await member.channels.join(club.name)
  const lobby = await member.channels.join('lobby-2')
  const warnings: string[] = []
  lobby.on('warn', ({ code: refused }) => warnings.push(refused))
  const warned = next<[SvcError]>(theirs, 'warn')
  theirs.send('chat', 'let me')
  assert.equal((await warned)[0].code, 'send_forbidden')
  assert.deepEqual(warnings, [])
})
