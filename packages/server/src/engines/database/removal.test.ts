import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'

import * as fc from 'fast-check'

import { HOUR_MS } from '../../platform/clock.ts'
import { inEnvironment } from '../../platform/current-environment.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/databases.ts'
import { runs } from '../../testing/runs.ts'
import { engines } from '../../testing/service.ts'
import { columns, type Database, statement } from './database.ts'
import { Overdue } from './overdue.ts'
import { purgeEnvironment } from './purge.ts'
import { removalBefore, removalUpTo, STEP_ROWS } from './removal.ts'
import { removeOld } from './remove-old.ts'
import { deleteBy, insertRow } from './row-statements.ts'

const oldDays = removalBefore('players_days', ['day', 'playerId'], {
  per: 'environmentId',
  key: ['environmentId', 'day', 'playerId'],
})
const expired = removalUpTo('revocations', ['atMs'])
const LIMIT = '2026-03-01'
const BIGGEST = STEP_ROWS.at(-1) ?? 0

type Day = { environmentId: string; playerId: string; day: string }
const insertDay = insertRow('players_days', ['environmentId', 'playerId', 'day'])
const allDays = statement((q) =>
  q.selectFrom('players_days').selectAll().orderBy('environmentId').orderBy('day').orderBy('playerId'),
)
const clearDays = statement((q) => q.deleteFrom('players_days'))
const removeDay = deleteBy('players_days', ['environmentId', 'playerId', 'day'])

type Revocation = { id: string; atMs: number }
const putRevocation = statement((q, row: Revocation) =>
  q
    .insertInto('revocations')
    .values({ ...columns(row, ['id', 'atMs']), kind: 'key', environmentId: null, subject: '' })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ atMs: row.atMs })),
)
const touchRevocation = statement((q, { id, atMs }: Revocation) =>
  q.updateTable('revocations').set({ atMs }).where('id', '=', id),
)
const removeRevocation = deleteBy('revocations', ['id'])
const allRevocations = statement((q) => q.selectFrom('revocations').select(['id', 'atMs']))
const clearRevocations = statement((q) => q.deleteFrom('revocations'))

const daysOf = (environmentId: string, day: string, count: number): Day[] =>
  Array.from({ length: count }, (_, at) => ({
    environmentId,
    day,
    playerId: `ply_${String(at).padStart(6, '0')}`,
  }))

for (const engine of engines) {
  describe(`removal by age on ${engine}`, () => {
    let database: TestDatabase
    let db: Database
    before(async () => {
      database = await openTestDatabase(engine)
      db = database.db
    })
    afterEach(async () => {
      await db.run(clearDays, {})
      await db.run(clearRevocations, {})
    })
    after(() => database.close())

    const insertDays = (days: readonly Day[]) =>
      db.transaction(async (transaction) => {
        for (const day of days) await transaction.run(insertDay, day)
      })

    /** The number of rows of each step, and what is called before it. */
    function watched(beforeStep: (steps: number) => void = () => {}) {
      const steps: number[] = []
      const watching: Database = {
        ...db,
        inBackground: (work) =>
          db.inBackground((transaction) => {
            beforeStep(steps.length)
            return work({
              ...transaction,
              async all(statement, values) {
                const rows = await transaction.all(statement, values)
                steps.push(rows.length)
                return rows
              },
            })
          }),
      }
      return { steps, db: watching }
    }

    test('[OPS-81] old rows are removed in steps, and the others stay', async () => {
      const kept = [...daysOf('env_a', LIMIT, 3), ...daysOf('env_b', '2026-04-01', 3)]
      await insertDays([
        ...kept,
        ...daysOf('env_a', '2026-01-01', 2_500),
        ...daysOf('env_a', '2026-01-02', 2),
      ])
      await insertDays(daysOf('env_b', '2026-02-28', 30))

      const watching = watched()
      assert.equal(await removeOld(watching.db, oldDays, LIMIT), 2_532)
      assert.deepEqual(await db.all(allDays, {}), kept)
      assert.ok(watching.steps.length >= 4, String(watching.steps))
      for (const rows of watching.steps) assert.ok(rows <= BIGGEST, String(watching.steps))
      assert.equal(await removeOld(db, oldDays, LIMIT), 0)
    })

    test('[OPS-81] without old rows nothing is written', async () => {
      await insertDays(daysOf('env_a', LIMIT, 1))
      const watching = watched()
      await removeOld(watching.db, oldDays, LIMIT)
      assert.deepEqual(watching.steps, [])
    })

    test('[OPS-81] [OPS-82] a removal that the stop of the service ends is finished by the next run', async () => {
      await insertDays(daysOf('env_a', '2026-01-01', 1_000))
      const stop = new AbortController()
      const watching = watched((steps) => void (steps === 1 && stop.abort(new Error('stopped'))))
      await assert.rejects(removeOld(watching.db, oldDays, LIMIT, stop.signal), /stopped/)
      const left = (await db.all(allDays, {})).length
      assert.ok(left > 0 && left < 1_000, `${left} are left`)
      assert.deepEqual(db.overdue.read(), [['{table="players_days"}', 59 * 86_400]])

      assert.equal(await removeOld(db, oldDays, LIMIT), left)
      assert.deepEqual(db.overdue.read(), [['{table="players_days"}', 0]])
    })

    test('[OPS-81] writes go between the steps of removals', async () => {
      await insertDays(daysOf('env_a', '2026-01-01', 1_500))
      for (let at = 0; at < 500; at++) await db.run(putRevocation, { id: `rev_${at}`, atMs: at })
      const ended = Promise.all([removeOld(db, oldDays, LIMIT), removeOld(db, expired, 1_000)])
      const state = { isOver: false, writes: 0 }
      void ended.finally(() => (state.isOver = true))
      while (!state.isOver) {
        await db.run(putRevocation, { id: 'rev_live', atMs: 9_999 })
        state.writes++
      }
      assert.deepEqual(await ended, [1_500, 500])
      assert.ok(state.writes > 1, `${state.writes} writes`)
    })

    test('[OPS-81] the rows of an environment are removed in steps of the background', async () => {
      await insertDays([...daysOf('env_a', '2026-01-01', 1_100), ...daysOf('env_b', '2026-01-01', 2)])
      let steps = 0
      const counted: Database = { ...db, inBackground: (work) => (steps++, db.inBackground(work)) }
      assert.equal(await purgeEnvironment(counted, 'env_a'), 1_100)
      assert.ok(steps > 3)
      assert.equal((await db.all(allDays, {})).length, 2)
    })

    /**
     * Rows are written while others are removed: one that was made young again before it was removed stays, and of the old rows that
     * nobody has written none is left.
     */
    test('[OPS-81] a model: removal in steps beside writes of the same rows', async () => {
      const IDS = Array.from({ length: 130 }, (_, at) => `rev_${at}`)
      const write = fc.record({
        id: fc.constantFrom(...IDS),
        do: fc.constantFrom('renew', 'age', 'put', 'remove'),
        atMs: fc.integer({ min: 0, max: 200 }),
      })
      const property = fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 200 }), { minLength: IDS.length, maxLength: IDS.length }),
        fc.array(write, { maxLength: 40 }),
        async (ages, writes) => {
          await db.run(clearRevocations, {})
          const model = new Map(IDS.map((id, at) => [id, ages[at] ?? 0]))
          await db.transaction(async (transaction) => {
            for (const [id, atMs] of model) await transaction.run(putRevocation, { id, atMs })
          })
          const removing = removeOld(db, expired, 100)
          for (const { id, do: what, atMs } of writes) {
            const newAtMs = what === 'age' ? Math.min(atMs, 100) : 101 + atMs
            if (what === 'put') await db.run(putRevocation, { id, atMs: newAtMs })
            // Neither changes anything if the row was removed before.
            const isThere =
              what === 'put' ||
              (what !== 'remove' && (await db.run(touchRevocation, { id, atMs: newAtMs })) === 1)
            if (what === 'remove') await db.run(removeRevocation, { id })
            if (isThere) model.set(id, newAtMs)
            else model.delete(id)
          }
          await removing
          await removeOld(db, expired, 100)
          const left = new Map((await db.all(allRevocations, {})).map(({ id, atMs }) => [id, atMs]))
          const young = [...model].filter(([, atMs]) => atMs > 100).toSorted(byId)
          assert.deepEqual([...left].toSorted(byId), young)
        },
      )
      await fc.assert(property, { numRuns: runs(15, 300) })
    })

    if (engine === 'postgres') {
      test('[OPS-81] a removal waits for no row and for no connection that requests use', async () => {
        await insertDays([...daysOf('env_a', '2026-01-01', 50)])
        const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        let busy = 0
        // As many as there are connections for transactions, with a row that is to be removed.
        const transactions = Array.from({ length: 10 }, (_, at) =>
          inEnvironment(`env_${at}`, () =>
            db.transaction(async (transaction) => {
              await transaction.run(removeDay, {
                environmentId: 'env_a',
                day: '2026-01-01',
                playerId: `ply_00000${at}`,
              })
              if (++busy === 10) locked.resolve()
              await done.promise
            }),
          ),
        )
        await locked.promise
        assert.equal(await removeOld(db, oldDays, LIMIT), 40)
        done.resolve()
        await Promise.all(transactions)
        assert.deepEqual(await db.all(allDays, {}), [])
      })
    }
  })
}

test('[OPS-82] a node forgets after three hours what it has left, because another one goes on', () => {
  let nowMs = 0
  const overdue = new Overdue(() => nowMs)
  overdue.note('players_days', 5_000)
  overdue.note('sessions', Number.NaN)
  nowMs = 3 * HOUR_MS - 1
  assert.deepEqual(overdue.read(), [['{table="players_days"}', 5]])
  nowMs++
  assert.deepEqual(overdue.read(), [])
})

const byId = ([a]: [string, number], [b]: [string, number]) => (a < b ? -1 : 1)
