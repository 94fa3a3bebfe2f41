import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { SvcError } from '../src/index.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => {
  fixtures = await startFixtures()
  for (const [name, open] of [
    ['@news', true],
    ['@closed', false],
  ] as const)
    assert.equal(
      (await fixtures.development.server('PUT', `/v1/realtime/channels/${name}`, { open })).status,
      200,
    )
})
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected
type Message = [type: string, data: unknown, from: string]

const announce = (text: string) =>
  fixtures.development.server('POST', '/v1/realtime/channels/@news/messages', { type: 'news', data: text })

test('[WSK-02] an anonymous client can listen to an open channel, and no guest is created', async () => {
  const players = async () =>
    (await fixtures.development.server('GET', '/v1/admin/players')).body.players.length
  const before = await players()
  const svc = await fixtures.client({ guest: false })
  const news = await svc.channels.join('@news')
  const heard = next<Message>(news, 'message')
  await announce('hello')

  assert.deepEqual((await heard).slice(0, 3), ['news', 'hello', 'server'])
  assert.deepEqual([svc.auth.signedIn, news.self.canSend, news.members], [false, false, []])
  assert.equal(await players(), before)
  assert.throws(() => svc.player, code('signed_out'))
})

test('[CHN-18] [ROM-02] calls that need a player are rejected, with a hint how to become one', async () => {
  const svc = await fixtures.client({ guest: false })
  const refused = [
    svc.channels.join('@closed'),
    svc.channels.join('lobby'),
    svc.channels.create(),
    svc.rooms.create({ mode: 'party' }),
    svc.rooms.quickMatch('party'),
  ]
  const withHint = (error: SvcError) =>
    error.code === 'player_required' && /svc\.auth\.guest\(\)/.test(error.hint ?? '')
  await Promise.all(refused.map((promise) => assert.rejects(promise, withHint)))
  assert.equal(await svc.rooms.resume(), null)
  await assert.rejects(svc.saves.list(), code('signed_out'))
  assert.equal((await svc.config.get()).features['realtimeChannels'], true)
})

test('[CHN-10] a message of an anonymous connection is rejected', async () => {
  const svc = await fixtures.client({ guest: false })
  const news = await svc.channels.join('@news')
  const warned = next<[SvcError]>(news, 'warn')
  news.send('chat', 'let me')
  assert.equal((await warned)[0].code, 'send_forbidden')
})

test('a lost anonymous connection is opened again', async () => {
  const svc = await fixtures.client({ guest: false })
  const news = await svc.channels.join('@news')
  const back = next(news, 'reconnected')
  fixtures.destroyConnections()
  await back
  const heard = next<Message>(news, 'message')
  await announce('still here')
  assert.equal((await heard)[1], 'still here')
})

test('after a sign-in listening continues as a player; after a sign-out it is anonymous again', async () => {
  const svc = await fixtures.client({ guest: false })
  const news = await svc.channels.join('@news')
  const back = next(news, 'reconnected')
  const player = await svc.auth.guest({ displayName: 'Ada' })
  await back
  assert.deepEqual(
    news.members.map(({ id }) => id),
    [player.id],
  )
  assert.deepEqual([news.self.canSend, svc.player.displayName], [true, 'Ada'])
  assert.ok(await svc.rooms.create({ mode: 'party' }))

  const closed = next<[string]>(news, 'closed')
  await svc.auth.signOut()
  assert.deepEqual(await closed, ['signed_out', undefined])
  const again = await svc.channels.join('@news')
  assert.equal(again.self.canSend, false)
})

test('a stored session is used, also with guest: false', async () => {
  const storage = sharedStorage()
  const before = await fixtures.client({ storage })
  const svc = await fixtures.client({ storage, guest: false })
  assert.deepEqual([svc.auth.signedIn, svc.player.id], [true, before.player.id])
  const room = await svc.rooms.create({ mode: 'party' })
  assert.equal(room.me.id, before.player.id)
})

test('the sign-in of another tab reaches an anonymous one', async () => {
  const storage = sharedStorage()
  const [here, there] = [
    await fixtures.client({ storage, guest: false }),
    await fixtures.client({ storage, guest: false }),
  ]
  const news = await there.channels.join('@news')
  const { id } = await here.auth.guest()
  await eventually(
    () => there.auth.signedIn && news.members.some((member) => member.id === id),
    'the sign-in',
  )
})
