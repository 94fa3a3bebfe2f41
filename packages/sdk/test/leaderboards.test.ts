import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { isSvcError } from '../src/http/errors.ts'
import { type Fixtures, startFixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => {
  const leaderboard = { periods: ['daily', 'allTime'] }
  fixtures = await startFixtures({
    features: { stats: true },
    stats: [{ key: 'points', aggregation: 'max', leaderboard }, { key: 'plain' }],
  })
})
after(() => fixtures.stop())

test('[LDB-02] [LDB-05] [LDB-06] leaderboards: the best, the own place, chosen players', async () => {
  const [ada, bob, eve] = [await fixtures.client(), await fixtures.client(), await fixtures.client()]
  await ada.stats.submit({ points: 30 })
  await bob.stats.submit({ points: 20 })

  const { entries, nextCursor } = await ada.leaderboards.top('points', { limit: 1 })
  assert.deepEqual(
    entries.map(({ rank, playerId, value }) => [rank, playerId, value]),
    [[1, ada.player.id, 30]],
  )
  const next = await ada.leaderboards.top('points', { limit: 1, cursor: nextCursor ?? '' })
  assert.equal(next.entries[0]?.playerId, bob.player.id)

  const { me, entries: nearby } = await bob.leaderboards.nearby('points', { count: 3, period: 'allTime' })
  assert.deepEqual([me?.rank, me?.exact, me?.value], [2, true, 20])
  assert.deepEqual(
    nearby.map(({ displayName }) => displayName),
    [ada.player.displayName, bob.player.displayName],
  )
  assert.deepEqual((await bob.leaderboards.nearby('points', { count: 0 })).entries, [])
  assert.deepEqual(await eve.leaderboards.nearby('points'), { me: null, entries: [] })

  const chosen = await eve.leaderboards.ranks('points', [bob.player.id, ada.player.id, 'ply_unknown'])
  assert.deepEqual(
    chosen.map(({ rank, place, playerId }) => [rank, place, playerId]),
    [
      [1, 1, ada.player.id],
      [2, 2, bob.player.id],
    ],
  )
  assert.deepEqual(await eve.leaderboards.periods('points'), [])
  // It is not a promise, so it can be returned from an async function.
  assert.equal(await Promise.resolve(eve.leaderboards), eve.leaderboards)
})

test('[LDB-10] a player leaves the leaderboards and comes back', async () => {
  const svc = await fixtures.client()
  await svc.stats.submit({ points: 99 })
  assert.equal(await svc.leaderboards.isVisible(), true)
  assert.equal(await svc.leaderboards.setVisible(false), false)
  assert.equal((await svc.leaderboards.nearby('points')).me, null)
  assert.equal(await svc.leaderboards.setVisible(true), true)
})

test('[LDB-02] a stat without a leaderboard is an error with a code', async () => {
  const svc = await fixtures.client()
  await assert.rejects(svc.leaderboards.top('plain'), (error) => isSvcError(error, 'leaderboard_not_found'))
})
