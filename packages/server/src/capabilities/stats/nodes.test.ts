import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { openCounters } from '../../engines/counters/open.ts'
import { startRedis, testRedisUrl } from '../../testing/redis.ts'
import { type Service, startService } from '../../testing/service.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { startTwoNodes } from '../../testing/suite.ts'
import { createSubmitCap } from './integrity.ts'
import { createStatStore } from './store.ts'

const CONFIG = {
  features: { stats: true },
  stats: [{ key: 'games' }, { key: 'best', aggregation: 'max' }, { key: 'fastest', aggregation: 'min' }],
}
const PERIODS = { zone: 'UTC', day: '2026-01-01', week: '2026-W01', month: '2026-01' }
const NOW = '2026-01-01T00:00:00.000Z'
const MINUTE_MS = 60_000

describe('stats on two nodes with one PostgreSQL and Redis', () => {
  const nodes = startTwoNodes()

  async function newPlayer(maxSubmitsPerMinute: number) {
    const { development } = await nodes[0].newProject()
    const config = { ...CONFIG, integrity: { stats: { maxSubmitsPerMinute } } }
    await development.server('PUT', '/v1/config', config)
    const player = await newStatsPlayer(development)
    const submit = (index: number, stats: object) =>
      player.on(index % 2 ? nodes[1] : nodes[0])('POST', '/v1/stats', { stats })
    return { ...player, submit }
  }

  test('[STA-06] 2,000 concurrent reports of 1 give exactly 2,000, and max and min are right', async () => {
    const player = await newPlayer(600)
    // As many concurrent reports as the cap allows in a minute.
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

  test('2,000 concurrent reports of the same stats in any order do not deadlock', async () => {
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

  /** One after the other, alternating between the nodes. */
  async function statusesOf(player: Awaited<ReturnType<typeof newPlayer>>, count: number) {
    const statuses: number[] = []
    for (let i = 0; i < count; i++) statuses.push((await player.submit(i, { games: 1 })).status)
    return statuses
  }

  test('[STA-11] the cap counts the reports of both nodes', async () => {
    const player = await newPlayer(3)
    assert.deepEqual(await statusesOf(player, 6), [200, 200, 200, 429, 429, 429])
    assert.deepEqual(await player.read(), { games: 3 })
  })

  test('[STA-11] a minute starts and ends at the same time on both nodes, and never allows twice the cap', async () => {
    const player = await newPlayer(2)
    const { clock } = nodes[0]
    clock.advance(MINUTE_MS - (clock.now().getTime() % MINUTE_MS) - 1)
    assert.deepEqual(await statusesOf(player, 3), [200, 200, 429])
    clock.advance(MINUTE_MS - 1)
    assert.deepEqual(await statusesOf(player, 2), [429, 429])
    clock.advance(1)
    assert.deepEqual(await statusesOf(player, 3), [200, 200, 429])
    assert.deepEqual(await player.read(), { games: 4 })
  })

  test('[STA-11] of 50 concurrent reports to both nodes exactly the cap is accepted', async (t) => {
    const [{ clock, redisPrefix }] = nodes
    // With a long timeout: if counters do not answer in time, reports are not limited.
    const options = { prefix: `${redisPrefix}cap:`, commandTimeoutMs: 20_000 }
    const counters = [
      await openCounters(testRedisUrl(), clock, options),
      await openCounters(testRedisUrl(), clock, options),
    ]
    t.after(() => Promise.all(counters.map((each) => each.close())))
    const caps = counters.map(createSubmitCap)

    const reports = Array.from({ length: 25 }, () => caps.map((letIn) => letIn('env_cap', 'ply_cap', 5)))
    const answers = await Promise.allSettled(reports.flat())
    const refused = answers.filter((answer) => answer.status === 'rejected')
    assert.equal(refused.length, 45)
    for (const { reason } of refused) assert.equal(reason.code, 'rate_limited')
  })

  test('the last 100 deliveries of both nodes together are kept', async () => {
    const { development } = await nodes[0].newProject()
    // Rejected before a request is sent, but recorded.
    const webhook = { url: 'https://10.0.0.1/' }
    await development.server('PUT', '/v1/config', { ...CONFIG, integrity: { stats: { webhook } } })
    const callers = nodes.map((node) => node.withKey(development.secretKey))
    const made = await Promise.all(
      Array.from({ length: 70 }, () =>
        callers.map((call) => call('POST', '/v1/admin/integrity/webhook-test')),
      ).flat(),
    )
    for (const node of nodes) await node.background.drained()
    const ids = made.map(({ body }) => body.delivery.id as string).toSorted()
    for (const call of callers) {
      const { body } = await call('GET', '/v1/admin/integrity/webhook-deliveries?limit=100')
      assert.deepEqual(
        body.deliveries.map(({ id }: { id: string }) => id),
        ids.slice(-100).toReversed(),
      )
    }
  })

  test('[STA-13] the webhook secret is the same on both nodes, also if both create it concurrently', async () => {
    const { development } = await nodes[0].newProject()
    const read = (node: Service) =>
      node.withKey(development.secretKey)('GET', '/v1/admin/integrity/webhook-secret')
    const secrets = (await Promise.all([...nodes, ...nodes].map(read))).map(({ body }) => body.secret)
    assert.equal(new Set(secrets).size, 1)
  })
})

test('[STA-11] if the counters are unavailable, reports are accepted', async (t) => {
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
