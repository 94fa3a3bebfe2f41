import assert from 'node:assert/strict'
import { test } from 'node:test'

import { BOARDS, newBoardGame, placesIn } from '../../testing/leaderboards.ts'
import { suite } from '../../testing/suite.ts'
import { startReceiver } from '../../testing/webhook-receiver.ts'

const CONFIG = {
  features: { stats: true },
  stats: [
    { key: 'wins', source: 'server', maxPerSubmit: 10, leaderboard: {} },
    { key: 'best', aggregation: 'max', leaderboard: {} },
  ],
  integrity: { stats: { maxSubmitsPerMinute: 1 } },
}
const everywhere = (value: number) => ({ allTime: value, daily: value, weekly: value, monthly: value })
const path = (id: string) => `/v1/admin/x/players/${id}/stats`

suite('values that servers report', {}, ({ service }) => {
  test('[STA-04] [STA-07] a server reports values by the rules of the config, without a limit per minute', async () => {
    const game = await newBoardGame(service, CONFIG)
    const { development, project } = game
    const player = await game.player()
    for (let time = 1; time <= 3; time++) {
      const { status, body } = await development.server('POST', path(player.id), {
        stats: { wins: 2, nothing: 1, best: 'x' },
      })
      assert.equal(status, 200)
      assert.deepEqual(body, {
        stats: { wins: everywhere(2 * time) },
        rejected: [
          { key: 'nothing', value: 1, reason: 'unknown_stat' },
          { key: 'best', value: 'x', reason: 'invalid_value' },
        ],
        unlocked: [],
      })
    }
    const asDeveloper = await project.developer.call(
      'POST',
      `/v1/projects/${project.id}/environments/development/x/players/${player.id}/stats`,
      { stats: { wins: 11, best: 4 } },
    )
    assert.equal(asDeveloper.status, 200)
    assert.deepEqual(asDeveloper.body.rejected, [{ key: 'wins', value: 11, reason: 'above_max_per_submit' }])
    assert.deepEqual(await player.read(), { wins: 6, best: 4 })
    assert.deepEqual(placesIn(await game.list('wins')), [[1, player.id, 6]])

    const { body } = await project.developer.call(
      'GET',
      `/v1/projects/${project.id}/audit?limit=200&reported=true`,
    )
    const written = body.entries.filter(({ action }: { action: string }) => action === 'stats.write')
    assert.deepEqual(
      written.map(({ target, details }: Record<string, unknown>) => [target, details]),
      [[player.id, { keys: ['best'] }], ...Array(3).fill([player.id, { keys: ['wins'] }])],
    )
  })

  test('[STA-09] players cannot report a stat of servers', async () => {
    const game = await newBoardGame(service, CONFIG)
    const player = await game.player()
    const { status, body } = await player.submit({ wins: 1, best: 3 })
    assert.equal(status, 200)
    assert.deepEqual(body.rejected, [{ key: 'wins', value: 1, reason: 'server_only' }])
    assert.deepEqual(await player.read(), { best: 3 })
  })

  test('[STA-04] [LDB-11] banned players, unknown players, players as callers and long reports', async () => {
    const game = await newBoardGame(service, CONFIG)
    const { server } = game.development
    const [banned, left] = await game.players(2)
    assert.ok(banned && left)
    await server('POST', `/v1/admin/players/${banned.id}/ban`)
    await left.call('PUT', '/v1/x/players/me/leaderboards', { visible: false })
    for (const { id } of [banned, left])
      assert.equal((await server('POST', path(id), { stats: { wins: 1 } })).status, 200)
    assert.deepEqual((await game.list('wins')).entries, [])
    assert.deepEqual(await left.read(), { wins: 1 })

    const unknown = await server('POST', path('ply_unknown'), { stats: { wins: 1 } })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'player_not_found'])
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`s${index}`, 1]))
    const long = await server('POST', path(left.id), { stats: many })
    assert.deepEqual([long.status, long.body.error.code], [400, 'too_many_stats'])
    for (const bad of [{}, { stats: 1 }, { stats: null }])
      assert.equal((await server('POST', path(left.id), bad)).status, 400)
    assert.equal((await left.call('POST', path(left.id), { stats: { wins: 1 } })).status, 403)
    await game.push({ stats: CONFIG.stats })
    assert.equal((await server('POST', path(left.id), { stats: { wins: 1 } })).status, 403)
  })

  test('[STA-15] [LDB-13] the webhook is not asked, and the values count as approved', async (t) => {
    const receiver = await startReceiver()
    t.after(receiver.stop)
    const game = await newBoardGame(service, {
      ...BOARDS,
      features: { stats: true, statsVerification: true },
      stats: [{ key: 'best', aggregation: 'max', leaderboard: { verifiedOnly: true } }],
      integrity: { stats: { webhook: { url: receiver.url }, rules: [{ stat: 'best', max: 100 }] } },
    })
    const player = await game.player()
    const report = (best: number) => game.development.server('POST', path(player.id), { stats: { best } })
    assert.equal((await report(7)).status, 200)
    assert.equal((await report(101)).body.rejected[0].reason, 'above_max')
    assert.deepEqual(receiver.take(), [])
    assert.deepEqual(placesIn(await game.list('best')), [[1, player.id, 7]])
  })
})
