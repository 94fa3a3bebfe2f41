import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { SvcError } from '../src/index.ts'
import { type Fixtures, startFixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => {
  fixtures = await startFixtures({
    features: { emailLogin: true, stats: true },
    stats: [{ key: 'points', leaderboard: { periods: ['allTime'] } }],
  })
})
after(() => fixtures.stop())

test('names that were replaced do the same as the new ones', async () => {
  const account = { email: 'ada@example.com', password: 'correct horse' }
  const svc = await fixtures.client()
  const { id } = await svc.auth.signUp(account)
  assert.equal((await svc.auth.logIn(account)).id, id)
  assert.equal((await svc.auth.signInWithEmail(account)).id, id)
  assert.deepEqual([svc.auth.signIn, svc.auth.link], [svc.auth.signInWith, svc.auth.linkWith])

  await svc.stats.submit({ points: 7 })
  assert.deepEqual(await svc.stats.read(), await svc.stats.get())
  assert.deepEqual(await svc.config.read(), await svc.config.get())

  const { entry, around, count } = await svc.leaderboards.around('points', { around: 2 })
  assert.deepEqual({ me: entry, entries: around }, await svc.leaderboards.nearby('points', { count: 2 }))
  assert.equal(count, 1)
})

test('without a WebSocket, rooms and channels say which Node and which package have one', async () => {
  const svc = await fixtures.client({ platform: { WebSocket: undefined } })
  const isHelpful = ({ code, message }: SvcError) =>
    code === 'not_available' && /Node 22.*package ws.*platform: \{ WebSocket \}/.test(message)
  await assert.rejects(svc.rooms.create(), isHelpful)
  await assert.rejects(svc.channels.join('lobby'), isHelpful)
})
