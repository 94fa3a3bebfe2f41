import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { startRedis } from '../../testing/redis.ts'
import { type Service, startService } from '../../testing/service.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { createStatStore } from './store.ts'

const CONFIG = {
  features: { stats: true },
  stats: [{ key: 'games' }, { key: 'best', aggregation: 'max' }, { key: 'fastest', aggregation: 'min' }],
}
const PERIODS = { zone: 'UTC', day: '2026-01-01', week: '2026-W01', month: '2026-01' }
const NOW = '2026-01-01T00:00:00.000Z'
const MINUTE_MS = 60_000

describe('stats on two nodes with one PostgreSQL and Redis', () => {
  let nodes: [Service, Service]
  before(async () => {
    const first = await startService('postgres')
    nodes = [first, await startService('postgres', { beside: first })]
  })
  after(async () => {
    const [first, second] = nodes
    await second.stop()
    await first.stop()
  })

  async function newPlayer(maxSubmitsPerMinute: number) {
    const { development } = await nodes[0].newProject()
    const config = { ...CONFIG, integrity: { stats: { maxSubmitsPerMinute } } }
    await development.server('PUT', '/v1/config', config)
    const player = await newStatsPlayer(development)
    const submit = (index: number, stats: object) =>
      player.on(index % 2 ? nodes[1] : nodes[0])('POST', '/v1/stats', { stats })
    return { ...player, submit }
  }

  test('[STA-06] 2,000 parallel reports of 1 give exactly 2,000, and the extremes are the extremes', async () => {
    const player = await newPlayer(600)
    // As many at once as the cap allows in a minute.
    for (let minute = 0; minute < 4; minute++) {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, i) => {
          const value = minute * 500 + i
          return player.submit(i, { games: 1, best: value, fastest: value })
        }),
      )
      assert.ok(answers.every((answer) => answer.status === 200))
      nodes[0].clock.advance(MINUTE_MS)
    }
    assert.deepEqual(await player.read(), { games: 2_000, best: 1_999, fastest: 0 })
  })

  test('2,000 at the same moment, of the same stats in whatever order, wait for each other in no circle', async () => {
    const statsOn = ({ db }: Service) => createStatStore(db).of('env_race', 'ply_race')
    const [first, second] = [statsOn(nodes[0]), statsOn(nodes[1])]
    const accepted = ['a', 'b', 'c'].map((key) => ({ key, value: 1, aggregation: 'sum' as const }))
    await Promise.all(
      Array.from({ length: 2_000 }, (_, i) =>
        (i % 2 ? first : second).combine(i % 3 ? accepted : accepted.toReversed(), PERIODS, NOW),
      ),
    )
    const values = await first.list()
    assert.deepEqual(
      values.map(({ key, allTime, daily }) => [key, allTime, daily]),
      ['a', 'b', 'c'].map((key) => [key, 2_000, 2_000]),
    )
  })

  test('[STA-11] the cap counts what comes to both', async () => {
    const player = await newPlayer(5)
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => player.submit(i, { games: 1 })))
    assert.equal(answers.filter((answer) => answer.status === 200).length, 5)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 7)
    assert.deepEqual(await player.read(), { games: 5 })
  })

  test('[STA-13] the secret of the webhook is the same on both, also when both make it at once', async () => {
    const { development } = await nodes[0].newProject()
    const read = (node: Service) =>
      node.withKey(development.secretKey)('GET', '/v1/admin/integrity/webhook-secret')
    const secrets = (await Promise.all([...nodes, ...nodes].map(read))).map(({ body }) => body.secret)
    assert.equal(new Set(secrets).size, 1)
  })
})

test('[STA-11] with the counters away reports go on', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const service = await startService('postgres', { settings: { REDIS_URL: redis.url } })
  t.after(() => service.stop())
  const { development } = await service.newProject()
  await development.server('PUT', '/v1/config', {
    ...CONFIG,
    integrity: { stats: { maxSubmitsPerMinute: 1 } },
  })
  const player = await newStatsPlayer(development)
  assert.equal((await player.submit({ games: 1 })).status, 200)
  assert.equal((await player.submit({ games: 1 })).status, 429)

  await redis.stop()
  assert.equal((await player.submit({ games: 1 })).status, 200)
  assert.deepEqual(await player.read(), { games: 2 })
})
