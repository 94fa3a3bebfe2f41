import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { createStoppedClock, DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { type BoardGame, newBoardGame, placesIn } from '../../testing/leaderboards.ts'
import { type Service, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const DAILY = {
  features: { stats: true },
  stats: [{ key: 'best', aggregation: 'max', leaderboard: { periods: ['daily', 'monthly'] } }],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

/** Players and values of the winners of a day, and how many players the board had. */
async function winnersOf(game: BoardGame, label: string) {
  const list = await game.list('best', `?period=daily&at=${label}`)
  return { places: placesIn(list), count: list.count }
}

suite('leaderboards and a clock that is set', {}, ({ service }) => {
  const setTo = (iso: string) => service.clock.step(Date.parse(iso) - service.clock.now().getTime())

  test('[LDB-19] a value that reaches a closed board after its winners were settled is among them', async () => {
    const game = await newBoardGame(service, DAILY)
    setTo('2027-02-28T12:00:00Z')
    const [a, b, c] = await game.players(3)
    assert.ok(a && b && c)
    await a.submit({ best: 10 })
    setTo('2027-03-01T00:00:20Z')
    await c.renew()
    await c.submit({ best: 1 })
    setTo('2027-03-01T00:02:00Z')
    await service.everyMinute()
    assert.deepEqual(await winnersOf(game, '2027-02-28'), { places: [[1, a.id, 10]], count: 1 })

    setTo('2027-02-28T23:59:40Z')
    await b.renew()
    const late = await b.submit({ best: 99 })
    assert.equal(late.body.stats?.best.daily, 99, JSON.stringify(late.body))
    const [closed] = await service.db.search((q) =>
      q
        .selectFrom('leaderboards')
        .select('settledAt')
        .where((e) => e.and({ environmentId: game.environmentId, label: '2027-02-28' })),
    )
    assert.deepEqual(closed, { settledAt: null }, 'counted again by the job, should this process have ended')
    // Their next report takes their value off the board of yesterday.
    setTo('2027-03-01T00:00:01Z')
    await b.submit({ best: 2 })
    const expected = {
      places: [
        [1, b.id, 99],
        [2, a.id, 10],
      ],
      count: 2,
    }
    assert.deepEqual(await winnersOf(game, '2027-02-28'), expected)
    setTo('2027-03-01T00:05:00Z')
    await service.everyMinute()
    assert.deepEqual(await winnersOf(game, '2027-02-28'), expected)
  })

  test('[LDB-20] after a clock that was ahead, the boards of today go on, and have the right winners', async () => {
    for (const aheadMs of [2 * DAY_MS, 40 * DAY_MS]) {
      const game = await newBoardGame(service, DAILY)
      setTo('2028-03-11T10:00:00Z')
      const [a, b, c] = await game.players(3)
      assert.ok(a && b && c)
      await a.submit({ best: 10 })
      await b.submit({ best: 20 })

      service.clock.step(aheadMs)
      await c.renew()
      await c.submit({ best: 70 })
      await service.everyMinute()
      service.clock.step(-aheadMs)

      setTo('2028-03-11T13:00:00Z')
      await a.renew()
      await a.submit({ best: 40 })
      const running = await game.list('best', '?period=daily')
      assert.deepEqual(
        [placesIn(running), running.count],
        [
          [
            [1, a.id, 40],
            [2, b.id, 20],
          ],
          2,
        ],
      )
      const { body } = await game.development.public('GET', '/v1/x/leaderboards/best/periods')
      assert.deepEqual(body.periods, [], 'no period is over')

      setTo('2028-03-12T00:00:00Z')
      await a.renew()
      await a.submit({ best: 50 })
      setTo('2028-03-12T09:00:00Z')
      await b.renew()
      await b.submit({ best: 60 })
      assert.deepEqual((await game.list('best', '?period=daily')).count, 2)
      setTo('2028-03-13T00:00:00Z')
      await service.everyMinute()
      assert.deepEqual(await winnersOf(game, '2028-03-11'), {
        places: [
          [1, a.id, 40],
          [2, b.id, 20],
        ],
        count: 2,
      })
      assert.deepEqual((await winnersOf(game, '2028-03-12')).places, [
        [1, b.id, 60],
        [2, a.id, 50],
      ])
    }
  })
})

describe('leaderboards on two nodes whose clocks differ', () => {
  const nodes: Service[] = []
  after(async () => {
    for (const node of nodes.toReversed()) await node.stop()
  })
  before(async () => {
    const first = await startService('postgres')
    nodes.push(first)
    nodes.push(await startService('postgres', { clusterOf: { ...first, clock: createStoppedClock() } }))
  })

  for (const behindMs of [3 * SECOND_MS, MINUTE_MS])
    test(`[LDB-19] a node that is ${behindMs / 1_000} s behind reports into yesterday, whose winners were read`, async () => {
      const [ahead, behind] = nodes
      assert.ok(ahead && behind)
      const setTo = (iso: string) => {
        ahead.clock.step(Date.parse(iso) - ahead.clock.now().getTime())
        behind.clock.step(ahead.clock.now().getTime() - behindMs - behind.clock.now().getTime())
      }
      const game = await newBoardGame(ahead, DAILY)
      setTo(behindMs > 3_000 ? '2027-02-28T12:00:00Z' : '2027-03-30T12:00:00Z')
      const [a, b, c] = await game.players(3)
      assert.ok(a && b && c)
      const yesterday = ahead.clock.now().toISOString().slice(0, 10)
      await a.submit({ best: 10 })
      const midnight = Date.parse(`${yesterday}T00:00:00Z`) + DAY_MS
      setTo(new Date(midnight).toISOString())
      for (const player of [a, b, c]) await player.renew()
      await c.submit({ best: 1 })
      assert.equal((await winnersOf(game, yesterday)).count, 1)
      setTo(new Date(midnight + behindMs - 1_000).toISOString())
      await ahead.everyMinute()
      const { body } = await b.on(behind)('POST', '/v1/stats', { stats: { best: 99 } })
      assert.equal(body.stats?.best.daily, 99, JSON.stringify(body))
      assert.deepEqual(placesIn(await game.list('best', '?period=daily')), [[1, c.id, 1]], 'today goes on')
      await b.submit({ best: 3 })

      assert.deepEqual(await winnersOf(game, yesterday), {
        places: [
          [1, b.id, 99],
          [2, a.id, 10],
        ],
        count: 2,
      })
    })
})
