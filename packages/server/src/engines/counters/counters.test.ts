import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'

import * as fc from 'fast-check'

import { createStoppedClock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { runs } from '../../testing/runs.ts'
import { openCounters } from './open.ts'

/** The same tests for every engine. `other` is a second node; in memory it is the same node. */
function countersTests(engine: string, redisUrl: () => string | undefined) {
  async function setUp(t: TestContext) {
    const clock = createStoppedClock()
    clock.advance(15 * SECOND_MS)
    const options = { prefix: `test-${randomUUID()}:`, commandTimeoutMs: 10_000 }
    const counters = await openCounters(redisUrl(), clock, options)
    const other = redisUrl() === undefined ? counters : await openCounters(redisUrl(), clock, options)
    t.after(() => Promise.all([counters.close(), other.close()]))
    return { clock, counters, other, options }
  }

  describe(`counters on ${engine}`, () => {
    test('hits of one key are counted together on every node', async (t) => {
      const { counters, other } = await setUp(t)

      const hits = Array.from({ length: 100 }, (_, i) => (i % 2 ? counters : other).hit('log-in', MINUTE_MS))
      const counts = (await Promise.all(hits)).map(({ count }) => count)

      assert.deepEqual(
        counts.toSorted((a, b) => a - b),
        Array.from({ length: 100 }, (_, i) => i + 1),
      )
      assert.equal((await other.read('log-in', MINUTE_MS)).count, 100)
    })

    test('keys and window lengths are counted separately', async (t) => {
      const { counters } = await setUp(t)
      await counters.hit('a', MINUTE_MS)
      await counters.hit('a', MINUTE_MS)
      await counters.hit('a', HOUR_MS)

      assert.equal((await counters.hit('b', MINUTE_MS)).count, 1)
      assert.equal((await counters.read('a', MINUTE_MS)).count, 2)
      assert.equal((await counters.read('a', HOUR_MS)).count, 1)
    })

    test('a window begins at a multiple of its length and reports its end', async (t) => {
      const { clock, counters } = await setUp(t)
      assert.deepEqual(await counters.hit('a', MINUTE_MS), { count: 1, resetsInMs: 45_000 })

      clock.advance(44_999)
      assert.deepEqual(await counters.hit('a', MINUTE_MS), { count: 2, resetsInMs: 1 })

      clock.advance(1)
      assert.deepEqual(await counters.read('a', MINUTE_MS), { count: 0, resetsInMs: 60_000 })
      assert.deepEqual(await counters.hit('a', MINUTE_MS), { count: 1, resetsInMs: 60_000 })
    })

    test('a short window does not shorten a long one of the same key', async (t) => {
      const { clock, counters } = await setUp(t)
      await counters.hit('a', HOUR_MS)
      await counters.hit('a', SECOND_MS)

      clock.advance(10 * MINUTE_MS)

      assert.equal((await counters.hit('a', SECOND_MS)).count, 1)
      assert.equal((await counters.hit('a', HOUR_MS)).count, 2)
    })

    test('reading does not count', async (t) => {
      const { counters } = await setUp(t)
      assert.equal((await counters.read('never hit', MINUTE_MS)).count, 0)
      assert.equal((await counters.read('never hit', MINUTE_MS)).count, 0)
      assert.equal((await counters.hit('never hit', MINUTE_MS)).count, 1)
    })

    test('a hit can be undone in its own window, and never below zero', async (t) => {
      const { clock, counters, other } = await setUp(t)
      await counters.takeBack('a', MINUTE_MS)
      await counters.hit('a', MINUTE_MS)
      await counters.hit('a', MINUTE_MS)
      await counters.hit('a', HOUR_MS)

      await other.takeBack('a', MINUTE_MS)
      assert.equal((await counters.read('a', MINUTE_MS)).count, 1)
      assert.equal((await counters.read('a', HOUR_MS)).count, 1)
      for (let i = 0; i < 3; i++) await other.takeBack('a', MINUTE_MS)
      assert.equal((await counters.hit('a', MINUTE_MS)).count, 1)

      clock.advance(MINUTE_MS)
      await counters.takeBack('a', MINUTE_MS)
      assert.equal((await counters.hit('a', MINUTE_MS)).count, 1)
    })

    test('a cleared key starts again from zero in every window; other keys do not', async (t) => {
      const { counters, other } = await setUp(t)
      for (const windowMs of [MINUTE_MS, HOUR_MS]) await counters.hit('a', windowMs)
      await counters.hit('b', MINUTE_MS)

      await other.clear('a')

      assert.equal((await counters.read('a', MINUTE_MS)).count, 0)
      assert.equal((await counters.hit('a', HOUR_MS)).count, 1)
      assert.equal((await counters.read('b', MINUTE_MS)).count, 1)
      await counters.clear('never hit')
    })

    test('at most `max` hits are admitted within any period of the length of the window', async (t) => {
      const { clock, counters, other } = await setUp(t)
      clock.advance(45 * SECOND_MS - 1)
      const admit = (node: typeof counters) => node.admit('a', MINUTE_MS, 3)
      const admitted = { isAdmitted: true, retryInMs: 0 }
      assert.deepEqual([await admit(counters), await admit(other)], [admitted, admitted])
      clock.advance(1)
      assert.deepEqual(await admit(other), admitted)
      assert.deepEqual(await admit(counters), { isAdmitted: false, retryInMs: 59_999 })
      clock.advance(59_998)
      // Rejected hits do not count.
      assert.deepEqual(await admit(other), { isAdmitted: false, retryInMs: 1 })
      clock.advance(1)
      assert.deepEqual([await admit(counters), await admit(other)], [admitted, admitted])
      assert.deepEqual(await admit(counters), { isAdmitted: false, retryInMs: 1 })
      assert.deepEqual(await counters.admit('b', MINUTE_MS, 1), admitted)
    })

    test('100 concurrent hits on every node: exactly the limit is admitted', async (t) => {
      const { counters, other } = await setUp(t)
      const all = Array.from({ length: 100 }, (_, i) => (i % 2 ? counters : other).admit('a', MINUTE_MS, 7))
      const admitted = (await Promise.all(all)).filter(({ isAdmitted }) => isAdmitted)
      assert.equal(admitted.length, 7)
    })

    test('random hits: no window exceeds the limit, and no hit is rejected needlessly', async (t) => {
      const { clock, counters } = await setUp(t)
      const steps = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 30 })
      let run = 0
      const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (pauses, max) => {
        const key = `run-${++run}`
        const times: number[] = []
        for (const pauseMs of pauses) {
          clock.advance(pauseMs)
          const nowMs = clock.now().getTime()
          const isDue = times.filter((atMs) => nowMs - atMs < MINUTE_MS).length < max
          assert.equal((await counters.admit(key, MINUTE_MS, max)).isAdmitted, isDue)
          if (isDue) times.push(nowMs)
        }
      })
      await fc.assert(property, { numRuns: runs(10, 200) })
    })

    test('a changed limit applies immediately, also to earlier hits', async (t) => {
      const { clock, counters } = await setUp(t)
      const admit = async (max: number) => (await counters.admit('a', MINUTE_MS, max)).isAdmitted
      assert.deepEqual([await admit(2), await admit(2), await admit(2)], [true, true, false])
      assert.deepEqual([await admit(1), await admit(3), await admit(3)], [false, true, false])
      clock.advance(MINUTE_MS)
      assert.deepEqual([await admit(1), await admit(1), await admit(2)], [true, false, true])
    })

    test('setting the clock back neither admits more nor blocks', async (t) => {
      const { clock, counters } = await setUp(t)
      const admit = async () => (await counters.admit('a', MINUTE_MS, 2)).isAdmitted
      assert.equal(await admit(), true)
      clock.step(-SECOND_MS)
      assert.deepEqual([await admit(), await admit()], [true, false])
      clock.step(-HOUR_MS)
      clock.advance(MINUTE_MS)
      assert.deepEqual([await admit(), await admit(), await admit()], [true, true, false])
    })

    test('any text can be a key', async (t) => {
      const { counters } = await setUp(t)
      for (const key of ['', ':', 'a:60000', 'ünï ✓\u0000\r\n', '*', 'x'.repeat(2_000)]) {
        assert.equal((await counters.hit(key, MINUTE_MS)).count, 1)
        assert.equal((await counters.hit(key, MINUTE_MS)).count, 2)
        assert.equal((await counters.admit(key, MINUTE_MS, 1)).isAdmitted, true)
        assert.equal((await counters.admit(key, MINUTE_MS, 1)).isAdmitted, false)
      }
    })

    test('it answers a ping', async (t) => {
      const { counters } = await setUp(t)
      await counters.ping()
    })
  })
}

test('[GEN-55] setting the clock changes no limit that is kept in memory', async (t) => {
  const clock = createStoppedClock()
  const counters = await openCounters(undefined, clock)
  t.after(() => counters.close())
  const use = async () => [
    (await counters.admit('a', MINUTE_MS, 1)).isAdmitted,
    (await counters.hit('a', MINUTE_MS)).count,
  ]
  assert.deepEqual(await use(), [true, 1])
  clock.step(-HOUR_MS)
  assert.deepEqual(await use(), [false, 2])
  clock.step(DAY_MS)
  assert.deepEqual(await use(), [false, 3])
  clock.advance(MINUTE_MS)
  assert.deepEqual(await use(), [true, 1])
})

countersTests('memory', () => undefined)
countersTests('Redis', testRedisUrl)
