import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import { type Database, statement } from '../../engines/database/database.ts'
import { ApiError } from '../../platform/api-error.ts'
import { DAY_MS, MINUTE_MS, type MovableClock, createStoppedClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { createVault } from '../../platform/security/vault.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { type IdempotentResponses, createResponseStore, createIdempotentResponses } from './index.ts'

const vault = createVault({ current: Buffer.alloc(32, 1), previous: [] }, systemRandom)
const request = { scope: 'dev_1 POST /v1/projects', key: 'k1', requestHash: 'hash' }
const { scope, key } = request

const rows = statement((q) => q.selectFrom('idempotency_answers').selectAll())
const clear = statement((q) => q.deleteFrom('idempotency_answers'))

const refused = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`idempotent responses on ${engine}`, () => {
    let db: Database
    let close: () => Promise<void>
    let clock: MovableClock
    let answers: IdempotentResponses
    /** A second node on the same database. */
    let elsewhere: IdempotentResponses
    before(async () => void ({ db, close } = await openTestDatabase(engine)))
    beforeEach(async () => {
      await db.run(clear, {})
      clock = createStoppedClock()
      answers = createIdempotentResponses(createResponseStore(db), vault, clock)
      elsewhere = createIdempotentResponses(createResponseStore(db), vault, clock)
    })
    after(() => close())

    test('a retry gets the response to the first request, on every node', async () => {
      assert.deepEqual(await answers.begin(request), { kind: 'new' })
      await answers.finish(scope, key, 201, { id: 'prj_1', name: 'Ü' })

      const answered = { kind: 'answered', status: 201, body: { id: 'prj_1', name: 'Ü' } }
      assert.deepEqual(await answers.begin(request), answered)
      assert.deepEqual(await elsewhere.begin(request), answered)
    })

    test('the same key in another scope is another key', async () => {
      await answers.begin(request)
      assert.deepEqual(await answers.begin({ ...request, scope: 'dev_2 POST /v1/projects' }), { kind: 'new' })
    })

    test('the same key with another request answers idempotency_key_reused, while it runs and after', async () => {
      const other = { ...request, requestHash: 'other' }
      await answers.begin(request)
      await assert.rejects(answers.begin(other), refused('idempotency_key_reused'))
      await assert.rejects(elsewhere.begin(other), refused('idempotency_key_reused'))

      await answers.finish(scope, key, 200, {})
      await assert.rejects(answers.begin(other), refused('idempotency_key_reused'))
    })

    test('while the first request runs, a second one answers idempotency_key_in_use', async () => {
      await answers.begin(request)
      await assert.rejects(answers.begin(request), refused('idempotency_key_in_use'))
      await assert.rejects(elsewhere.begin(request), refused('idempotency_key_in_use'))
    })

    test('20 concurrent requests with one key: exactly one runs', async () => {
      for (let round = 0; round < 10; round++) {
        const race = Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? answers : elsewhere).begin({ ...request, key: `race-${round}` }),
        )
        const outcomes = await Promise.allSettled(race)

        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') assert.ok(refused('idempotency_key_in_use')(outcome.reason))
        }
      }
    })

    test('20 concurrent requests with an expired key: exactly one runs', async () => {
      await answers.begin(request)
      await answers.finish(scope, key, 200, {})
      clock.advance(DAY_MS)
      const race = Array.from({ length: 20 }, (_, index) => (index % 2 ? answers : elsewhere).begin(request))

      const outcomes = await Promise.allSettled(race)
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    })

    for (const status of [200, 201, 400, 404, 409]) {
      test(`a final status is stored: ${status}`, async () => {
        await answers.begin(request)
        await answers.finish(scope, key, status, { status })
        assert.deepEqual(await answers.begin(request), { kind: 'answered', status, body: { status } })
      })
    }

    for (const status of [408, 429, 500, 503]) {
      test(`a retryable status releases the key: ${status}`, async () => {
        await answers.begin(request)
        await answers.finish(scope, key, status, {})
        assert.deepEqual(await elsewhere.begin({ ...request, requestHash: 'other' }), { kind: 'new' })
      })
    }

    test('an abandoned key may be used again', async () => {
      await answers.begin(request)
      await answers.abandon(scope, key)
      assert.deepEqual(await answers.begin(request), { kind: 'new' })
    })

    test('a response is stored for exactly 24 hours', async () => {
      await answers.begin(request)
      await answers.finish(scope, key, 200, {})

      clock.advance(DAY_MS - 1)
      assert.equal((await answers.begin(request)).kind, 'answered')
      clock.advance(1)
      assert.equal((await answers.begin(request)).kind, 'new')
    })

    test('a node that died during a request blocks its key for a minute', async () => {
      await answers.begin(request)

      clock.advance(MINUTE_MS - 1)
      await assert.rejects(elsewhere.begin(request), refused('idempotency_key_in_use'))
      clock.advance(1)
      assert.deepEqual(await elsewhere.begin(request), { kind: 'new' })
    })

    test('a live node renews the lease of its key, however long the request takes', async () => {
      await answers.begin(request)
      clock.advance(2 * MINUTE_MS)
      await assert.rejects(answers.begin(request), refused('idempotency_key_in_use'))
    })

    test('a request whose lease expired cannot overwrite the result of the next one', async () => {
      await answers.begin(request)
      clock.advance(MINUTE_MS)
      await elsewhere.begin(request)

      await answers.abandon(scope, key)
      await assert.rejects(answers.begin(request), refused('idempotency_key_in_use'))

      await elsewhere.finish(scope, key, 200, { by: 'the second' })
      await answers.finish(scope, key, 200, { by: 'the first' })
      assert.deepEqual(await answers.begin(request), {
        kind: 'answered',
        status: 200,
        body: { by: 'the second' },
      })
    })

    test('responses are stored encrypted: they may contain a key that is shown once', async () => {
      await answers.begin(request)
      await answers.finish(scope, key, 201, { key: 'sk_prod_canary' })
      assert.doesNotMatch(JSON.stringify(await db.all(rows, {})), /canary/)
    })

    test('the purge removes all expired responses and nothing else', async () => {
      const old = Array.from({ length: 520 }, (_, index) =>
        answers.begin({ ...request, key: `old-${index}` }),
      )
      await Promise.all(old)
      clock.advance(MINUTE_MS)
      await answers.begin({ ...request, key: 'fresh' })

      assert.equal(await elsewhere.purgeExpired(), 520)
      assert.deepEqual(
        (await db.all(rows, {})).map((row) => row.key),
        ['fresh'],
      )
      assert.equal(await elsewhere.purgeExpired(), 0)
    })
  })
}
