import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { type BoardGame, newBoardGame, placesIn, type StatsPlayer } from '../../testing/leaderboards.ts'
import { startTwoNodes, suite } from '../../testing/suite.ts'

const STATS = { features: { stats: true }, integrity: { stats: { maxSubmitsPerMinute: 600 } } }
const configOf = (leaderboard?: object) => ({
  ...STATS,
  stats: [
    { key: 'wins', ...(leaderboard && { leaderboard }) },
    { key: 'laps', aggregation: 'min', ...(leaderboard && { leaderboard }) },
  ],
})

/** Every rank is there once, on pages of every size and in the own entry of each player. */
async function assertOrder(game: BoardGame, key: string, players: readonly StatsPlayer[]) {
  const all = placesIn(await game.list(key, '?limit=100'))
  assert.deepEqual(all.map(([, id]) => String(id)).toSorted(), players.map(({ id }) => id).toSorted())
  assert.deepEqual(
    all.map(([rank]) => rank),
    players.map((_, at) => at + 1),
  )
  for (const limit of [1, 2, 3]) {
    const seen: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await game.list(key, `?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      seen.push(...placesIn(page))
      cursor = page.nextCursor
      for (const { id } of players)
        assert.ok(!Buffer.from(cursor ?? '', 'base64url').includes(id), 'a cursor contains no id')
    }
    assert.deepEqual(seen, all, `${key} by ${limit}`)
  }
  for (const player of players) {
    const { body } = await player.call('GET', `/v1/x/leaderboards/${key}/me?around=25`)
    const [rank] = all.find(([, id]) => id === player.id) ?? []
    assert.equal(body.entry.rank, rank)
    assert.deepEqual(placesIn({ entries: body.around }), all)
  }
  const [first] = players
  const ids = players.map(({ id }) => id).join()
  const { body } = (await first?.call('GET', `/v1/x/leaderboards/${key}/players?ids=${ids}`)) ?? assert.fail()
  assert.deepEqual(
    body.entries.map(({ playerId }: { playerId: string }) => playerId),
    all.map(([, id]) => id),
  )
}

suite('the order of equal values', {}, ({ service }) => {
  test('[LDB-03] [LDB-12] values of one millisecond, from before the leaderboard, have ranks of their own', async () => {
    const game = await newBoardGame(service, configOf())
    const players = await game.players(7)
    for (const player of players) await player.submit({ wins: 3, laps: 60 })
    await game.push(configOf({}))
    for (const key of ['wins', 'laps']) await game.list(key)
    await service.background.drained()
    for (const key of ['wins', 'laps']) await assertOrder(game, key, players)
  })
})

describe('the order of equal values of two nodes', () => {
  const [first, second] = startTwoNodes()

  test('[LDB-03] reports of two nodes in one moment have ranks of their own', async () => {
    const game = await newBoardGame(first, configOf({}))
    const players = await game.players(6)
    // Each node counts on from the time of the clock, which stands still.
    for (const [at, player] of players.entries()) {
      if (at % 2 === 0) first.clock.advance(1)
      const { status } = await player.on(at % 2 ? second : first)('POST', '/v1/stats', {
        stats: { wins: 3, laps: 60 },
      })
      assert.equal(status, 200)
    }
    const ties = await first.db.search((q) =>
      q.selectFrom('stats').select('allTimeTie').where('environmentId', '=', game.environmentId),
    )
    assert.ok(new Set(ties.map(({ allTimeTie }) => Math.abs(Number(allTimeTie)))).size < players.length)
    for (const key of ['wins', 'laps']) await assertOrder(game, key, players)
  })
})
