import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'

import { type Database, statement } from '../../engines/database/database.ts'
import { createStoppedClock, HOUR_MS, SECOND_MS } from '../../platform/clock.ts'
import { createIds, systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { engines } from '../../testing/service.ts'
import { createRevocations, createRevocationStore } from './index.ts'

const clear = statement((q) => q.deleteFrom('revocations'))
const PLAYER = { kind: 'player', environmentId: 'env_1' } as const

for (const engine of engines) {
  describe(`revocations on ${engine}`, () => {
    let db: Database
    let close: () => Promise<void>
    before(async () => void ({ db, close } = await openTestDatabase(engine)))
    beforeEach(() => db.run(clear, {}))
    after(() => close())

    /** A node of the service, with a clock that all nodes share. */
    function startNode(time = { ms: 1_000_000_000 }) {
      const found: string[] = []
      const reported: unknown[] = []
      let queries = 0
      const counted: Database = {
        ...db,
        databaseNowMs: () => time.ms,
        all(...query) {
          queries++
          return db.all(...query)
        },
      }
      const revocations = createRevocations(createRevocationStore(counted), {
        ids: createIds(createStoppedClock(), systemRandom),
        report: (error) => reported.push(error),
      })
      revocations.on('player', ({ subject }) => void found.push(subject))
      const note = (subject: string) => revocations.note(db, { ...PLAYER, subject })
      return { revocations, note, found, reported, time, queries: () => queries }
    }

    test('each is found once, in the order of their times, by every node', async () => {
      const here = startNode()
      const there = startNode(here.time)
      await here.note('first')
      here.time.ms += 1
      await there.note('second')
      for (let second = 0; second < 20; second++) {
        here.time.ms += SECOND_MS
        for (const node of [here, there]) await node.revocations.read()
      }
      for (const { found } of [here, there]) assert.deepEqual(found, ['first', 'second'])
    })

    test('one read is one query, with and without revocations', async () => {
      const node = startNode()
      await node.revocations.read()
      for (const subject of ['a', 'b', 'c']) await node.note(subject)
      await node.revocations.read()
      assert.equal(node.queries(), 2)
    })

    test('[WSK-24] a revocation whose handler failed is found again, also after minutes', async () => {
      const node = startNode()
      let attempts = 0
      node.revocations.on('player', async () => {
        if (++attempts < 300) throw new Error('the database is unavailable')
      })
      await node.note('first')
      for (let second = 0; second < 320; second++) {
        node.time.ms += SECOND_MS
        await node.revocations.read()
      }
      assert.equal(attempts, 300)
      assert.equal(node.reported.length, 299)
    })

    test('a read finds revocations committed before it was requested, also while another read is in flight', async () => {
      const node = startNode()
      const reading = node.revocations.read()
      await node.note('first')
      await node.revocations.read()
      assert.deepEqual(node.found, ['first'])
      await reading
    })

    test('rows are removed an hour later', async () => {
      const node = startNode()
      await node.note('old')
      node.time.ms += HOUR_MS - 1
      await node.revocations.purgeExpired()
      const count = async () => (await db.search((q) => q.selectFrom('revocations').selectAll())).length
      assert.equal(await count(), 1)
      node.time.ms += 1
      await node.revocations.purgeExpired()
      assert.equal(await count(), 0)
    })

    test('a revocation of a rolled back transaction is not found', async () => {
      const node = startNode()
      const failing = db.transaction(async (transaction) => {
        await node.revocations.note(transaction, { ...PLAYER, subject: 'never' })
        throw new Error('the change failed')
      })
      await assert.rejects(failing, /the change failed/)
      await node.revocations.read()
      assert.deepEqual(node.found, [])
    })

    if (engine === 'sqlite') return
    test('a revocation is found if its transaction commits after a later one was read', async () => {
      const node = startNode()
      const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const slow = db.transaction(async (transaction) => {
        await node.revocations.note(transaction, { ...PLAYER, subject: 'slow' })
        written.resolve()
        await released.promise
      })
      await written.promise
      node.time.ms += 10
      await node.note('quick')
      node.time.ms += SECOND_MS
      await node.revocations.read()
      assert.deepEqual(node.found, ['quick'])

      released.resolve()
      await slow
      // The longest duration of a transaction; the reads in between start after its row.
      for (let second = 0; second < 30; second++) {
        node.time.ms += SECOND_MS
        await node.revocations.read()
      }
      assert.deepEqual(node.found, ['quick', 'slow'])
    })
  })
}
