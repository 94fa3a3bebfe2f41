import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { newStatsPlayer } from '../../testing/stats-player.ts'
import { suite } from '../../testing/suite.ts'

const everywhere = (value: number) => ({ allTime: value, daily: value, weekly: value, monthly: value })

for (const [variant, leaderboard] of [
  ['without', {}],
  ['with', { leaderboard: { periods: ['allTime', 'daily'] } }],
] as const)
  suite(`repeated reports ${variant} leaderboards`, { features: {} }, ({ service, project }) => {
    before(async () => {
      const { status } = await project.development.server('PUT', '/v1/config', {
        features: { stats: true },
        stats: [
          { key: 'games', ...leaderboard },
          { key: 'level', aggregation: 'latest' },
        ],
        integrity: { stats: { maxSubmitsPerMinute: 600 } },
      })
      assert.equal(status, 200)
    })

    const someone = () => newStatsPlayer(project.development)

    test('[STA-18] a report that is sent again counts once, and is answered in the same way', async () => {
      const { submit, read } = await someone()
      await submit({ games: 10 })
      const [first, again] = [
        await submit({ games: 2, level: 3 }, 'a'),
        await submit({ games: 2, level: 3 }, 'a'),
      ]
      assert.deepEqual([first.status, again.status], [200, 200])
      assert.deepEqual(first.body.stats, { games: everywhere(12), level: everywhere(3) })
      assert.deepEqual(again.body, first.body)
      await submit({ games: 2 }, 'b')
      assert.deepEqual(await read(), { games: 14, level: 3 })
      const withoutKey = [await submit({ games: 1 }), await submit({ games: 1 })]
      assert.equal(withoutKey[1]?.body.stats.games.allTime, 16)
    })

    test('[STA-18] of concurrent reports with one key one counts', async () => {
      const { submit, read } = await someone()
      for (const key of ['first', 'second'])
        await Promise.all(Array.from({ length: 20 }, () => submit({ games: 1 }, key)))
      assert.deepEqual(await read(), { games: 2 })
    })

    test('[STA-18] a stat knows its last 16 reports with a key', async () => {
      const { submit, read } = await someone()
      for (let at = 0; at < 16; at++) await submit({ games: 1 }, `report-${at}`)
      await submit({ games: 1 })
      await submit({ games: 1 }, 'report-0')
      assert.equal((await read())['games'], 17)
      await submit({ games: 1 }, 'report-16')
      await submit({ games: 1 }, 'report-0')
      assert.equal((await read())['games'], 19)
    })

    test('[STA-18] keys belong to the player, and a stat that did not count before counts then', async () => {
      const [one, other] = [await someone(), await someone()]
      for (const { submit, read } of [one, other]) {
        await submit({ games: 1 }, 'same')
        await submit({ games: 1, level: 2 }, 'same')
        assert.deepEqual(await read(), { games: 1, level: 2 })
      }
    })

    test('[STA-18] a report that is sent again on the next day stays in its day', async () => {
      const { submit, renew } = await someone()
      await submit({ games: 3 }, 'late')
      service.clock.advance(32 * DAY_MS)
      await renew()
      const { body } = await submit({ games: 3 }, 'late')
      assert.deepEqual(body.stats, { games: { allTime: 3, daily: 0, weekly: 0, monthly: 0 } })
    })

    test('[STA-18] a key that is none answers 400 invalid_idempotency_key', async () => {
      const { submit, read } = await someone()
      for (const key of ['a b', 'x'.repeat(129)]) {
        const { status, body } = await submit({ games: 1 }, key)
        assert.deepEqual([status, body.error.code], [400, 'invalid_idempotency_key'])
      }
      assert.deepEqual(await read(), {})
    })
  })
