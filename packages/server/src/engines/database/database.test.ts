import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { ApiError } from '../../platform/api-error.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/databases.ts'
import { columns, type Database, statement, type Tables } from './database.ts'

type Secret = Tables['secrets']

const insertSecret = statement((q, values: Secret) =>
  q.insertInto('secrets').values(columns(values, ['id', 'sealed', 'updatedAt'])),
)
const insertAndReturn = statement((q, values: Secret) =>
  q
    .insertInto('secrets')
    .values(columns(values, ['id', 'sealed', 'updatedAt']))
    .returning(['id', 'sealed']),
)
const findSecret = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').selectAll().where('id', '=', id),
)
const secretsLike = statement((q, { prefix, limit }: { prefix: string; limit: number }) =>
  q.selectFrom('secrets').select('id').where('id', 'like', prefix).orderBy('id').limit(limit),
)
const removeLike = statement((q, { prefix }: { prefix: string }) =>
  q.deleteFrom('secrets').where('id', 'like', prefix),
)
const seal = statement((q, { id, sealed }: { id: string; sealed: string }) =>
  q.updateTable('secrets').set({ sealed }).where('id', '=', id).where('updatedAt', '=', 'constant'),
)
const readHead = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('audit_heads').select('sequence').where('projectId', '=', projectId),
)
const writeHead = statement((q, { projectId, sequence }: { projectId: string; sequence: number }) =>
  q
    .insertInto('audit_heads')
    .values({ projectId, sequence, hash: '' })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet({ sequence })),
)
const insertProject = statement((q, values: Pick<Tables['projects'], 'id' | 'slug' | 'deletedAt'>) =>
  q.insertInto('projects').values({
    ...columns(values, ['id', 'slug', 'deletedAt']),
    developerId: 'dev_1',
    name: 'Ünïcode 🙂 "quoted"',
    createdAt: '2026-01-01T00:00:00.000Z',
  }),
)
const findProject = statement((q, { id }: { id: string }) =>
  q.selectFrom('projects').selectAll().where('id', '=', id),
)
const countSecrets = statement((q, { prefix }: { prefix: string }) =>
  q
    .selectFrom('secrets')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('id', 'like', prefix),
)

const insertTwo = statement((q, { ids, sealed }: { ids: string[]; sealed: string }) =>
  q
    .insertInto('secrets')
    .values([0, 1].map((at) => ({ id: ids[at] as string, sealed, updatedAt: 'constant' })))
    .returning(['id', 'sealed', 'updatedAt']),
)
const sealedOrListed = statement((q, { ids, limit }: { ids: string[]; limit: number }) =>
  q
    .selectFrom('secrets')
    .select('id')
    .where((e) =>
      e.or([e('sealed', '=', ids[1] as string), e('id', 'in', [ids[0] as string, ids[1] as string])]),
    )
    .orderBy('id')
    .limit(limit),
)

const secret = (id: string, sealed = 'x'): Secret => ({ id, sealed, updatedAt: 'constant' })
const count = async (db: Database, prefix: string) => (await db.first(countSecrets, { prefix }))?.count

const variants = [
  { name: 'sqlite', engine: 'sqlite', sqlite: {} },
  { name: 'sqlite with a sync of each commit', engine: 'sqlite', sqlite: { syncMode: 'each' } },
  { name: 'postgres', engine: 'postgres', sqlite: {} },
] as const

for (const { name, engine, sqlite } of variants) {
  describe(`database on ${name}`, () => {
    let opened: TestDatabase
    let db: Database
    before(async () => {
      opened = await openTestDatabase(engine, sqlite)
      db = opened.db
    })
    after(() => opened.close())

    test('a statement runs with the values of the call and the constants of its text', async () => {
      await db.run(insertSecret, secret('values:1'))
      await db.run(insertSecret, { ...secret('values:2'), updatedAt: 'another' })

      assert.equal(await db.run(seal, { id: 'values:1', sealed: 'changed' }), 1)
      assert.equal(await db.run(seal, { id: 'values:2', sealed: 'changed' }), 0)

      assert.deepEqual(await db.first(findSecret, { id: 'values:1' }), secret('values:1', 'changed'))
    })

    test('a statement may use the values of a list, and a value several times', async () => {
      const ids = ['list:1', 'list:2']
      assert.deepEqual(await db.all(insertTwo, { ids, sealed: 'list:3' }), [
        secret('list:1', 'list:3'),
        secret('list:2', 'list:3'),
      ])
      const both = [{ id: 'list:1' }, { id: 'list:2' }]
      assert.deepEqual(await db.all(sealedOrListed, { ids: ['list:2', 'list:3'], limit: 9 }), both)
      assert.deepEqual(await db.all(sealedOrListed, { ids, limit: 9 }), both)
      assert.deepEqual(await db.all(sealedOrListed, { ids: ['none', 'list:2'], limit: 9 }), both.slice(1))
      await assert.rejects(db.all(sealedOrListed, { ids: ['list:1'], limit: 9 }), /no value for ids\[1\] in/)
    })

    test('a statement that spreads its values is refused, because it would lose them', async () => {
      const spread = statement((q, values: Secret) => q.insertInto('secrets').values({ ...values }))
      const whole = statement((q, values: Secret) => q.insertInto('secrets').values(values))
      const rest = statement((q, { id, ...others }: Secret) =>
        q.updateTable('secrets').set(others).where('id', '=', id),
      )

      for (const wrong of [spread, whole, rest])
        await assert.rejects(
          db.run(wrong, secret('spread:1')),
          /name them with columns\(values, \[\.\.\.\]\)/,
        )
    })

    test('first returns one row or undefined, all returns every row, run the number of changed rows', async () => {
      for (const id of ['count:1', 'count:2', 'count:3']) await db.run(insertSecret, secret(id))

      assert.equal(await db.first(findSecret, { id: 'count:none' }), undefined)
      assert.deepEqual(await db.all(secretsLike, { prefix: 'none:%', limit: 9 }), [])
      assert.deepEqual(await db.all(secretsLike, { prefix: 'count:%', limit: 2 }), [
        { id: 'count:1' },
        { id: 'count:2' },
      ])
      assert.equal(await count(db, 'count:%'), 3)
      assert.equal(await db.run(removeLike, { prefix: 'count:%' }), 3)
      assert.equal(await db.run(removeLike, { prefix: 'count:%' }), 0)
    })

    test('a write may return its row', async () => {
      assert.deepEqual(await db.first(insertAndReturn, secret('returned')), { id: 'returned', sealed: 'x' })
      assert.deepEqual(await db.all(insertAndReturn, secret('returned:2')), [
        { id: 'returned:2', sealed: 'x' },
      ])
    })

    test('null, text and numbers are stored and read unchanged', async () => {
      await db.run(insertProject, { id: 'prj_null', slug: 'null', deletedAt: null })
      const project = await db.first(findProject, { id: 'prj_null' })
      assert.equal(project?.deletedAt, null)
      assert.equal(project?.name, 'Ünïcode 🙂 "quoted"')

      await db.run(writeHead, { projectId: 'large', sequence: Number.MAX_SAFE_INTEGER })
      assert.deepEqual(await db.first(readHead, { projectId: 'large' }), {
        sequence: Number.MAX_SAFE_INTEGER,
      })
    })

    test('a missing value is reported with its name', async () => {
      await assert.rejects(db.first(findSecret, {} as { id: string }), /no value for id/)
    })

    test('text is ordered by its bytes on every engine', async () => {
      for (const id of ['b', 'a', 'B', 'ä', '_', '1']) await db.run(insertSecret, secret(`order:${id}`))

      const rows = await db.all(secretsLike, { prefix: 'order:%', limit: 9 })

      assert.deepEqual(
        rows.map(({ id }) => id.slice(6)),
        ['1', 'B', '_', 'a', 'b', 'ä'],
      )
    })

    test('a search is built for its call', async () => {
      await db.run(insertSecret, secret('search:1'))
      const ids = ['search:1', 'search:2']

      const found = await db.search((q) => q.selectFrom('secrets').select('id').where('id', 'in', ids))

      assert.deepEqual(found, [{ id: 'search:1' }])
      const inside = await db.transaction((transaction) =>
        transaction.search((q) => q.selectFrom('secrets').select('id').where('id', 'in', ids)),
      )
      assert.deepEqual(inside, found)
    })

    test('a scan returns all rows, and sees every write that was acknowledged', async () => {
      for (let at = 0; at < 20; at++) {
        await db.run(insertSecret, secret(`scan-${at}`))

        const [counted] = await db.scan(countSecrets, { prefix: 'scan-%' })
        assert.deepEqual(counted, { count: at + 1 })
      }
      const ids = await db.scan(secretsLike, { prefix: 'scan-1%', limit: 3 })
      assert.deepEqual(ids, [{ id: 'scan-1' }, { id: 'scan-10' }, { id: 'scan-11' }])
    })

    test('a transaction is atomic, and returns the result of its work', async () => {
      const answer = await db.transaction(async (transaction) => {
        await transaction.run(insertSecret, secret('whole:1'))
        await transaction.run(insertSecret, secret('whole:2'))
        return 'done'
      })

      assert.equal(answer, 'done')
      assert.equal(await count(db, 'whole:%'), 2)
    })

    test('statements that are sent together all run, and each returns its result', async () => {
      const answers = await db.pipelined((queries) =>
        Promise.all([
          queries.run(insertSecret, secret('together:1')),
          queries.first(insertAndReturn, secret('together:2')),
        ]),
      )

      assert.deepEqual(answers, [1, { id: 'together:2', sealed: 'x' }])
      assert.equal(await count(db, 'together:%'), 2)
    })

    test('if one pipelined statement fails, the whole batch rolls back; other transactions are unaffected', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          db.pipelined((queries) =>
            Promise.all([
              queries.run(insertSecret, secret(`torn:${n}:1`)),
              queries.run(insertSecret, secret(`torn:${n}:${n % 2 ? 1 : 2}`)),
            ]),
          ),
        ),
      )

      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 10)
      assert.equal(await count(db, 'torn:%'), 20)
    })

    test('inserts into different tables that are sent together return their numbers of rows, and fail together', async () => {
      const insertBoth = (id: string, slug: string) =>
        db.pipelined((queries) =>
          Promise.all([
            queries.run(insertSecret, secret(id)),
            queries.run(insertProject, { id, slug, deletedAt: null }),
            queries.run(writeHead, { projectId: id, sequence: 7 }),
          ]),
        )

      assert.deepEqual(await insertBoth('tables:1', 'tables-1'), [1, 1, 1])
      await assert.rejects(insertBoth('tables:2', 'tables-1'))
      await assert.rejects(insertBoth('tables:1', 'tables-2'))

      assert.equal(await count(db, 'tables:%'), 1)
      assert.equal((await db.first(findProject, { id: 'tables:1' }))?.slug, 'tables-1')
      assert.deepEqual(await db.first(readHead, { projectId: 'tables:1' }), { sequence: 7 })
      assert.equal(await db.first(readHead, { projectId: 'tables:2' }), undefined)
    })

    test('statements that fail together do not undo or repeat what was written beside them', async () => {
      const fails = () =>
        db.pipelined((queries) =>
          Promise.all([
            queries.run(insertSecret, secret('beside:4')),
            queries.run(insertSecret, secret('beside:1')),
          ]),
        )
      const outcomes = await Promise.allSettled([
        db.run(insertSecret, secret('beside:1')),
        db.transaction((transaction) => transaction.run(insertSecret, secret('beside:2'))),
        fails(),
        db.run(insertSecret, secret('beside:2')),
        fails(),
        db.run(insertSecret, secret('beside:3')),
      ])

      const states = outcomes.map(({ status }) => status)
      assert.deepEqual(
        [states[0], states[2], states[4], states[5]],
        ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(new Set([states[1], states[3]]), new Set(['fulfilled', 'rejected']))
      assert.equal(await count(db, 'beside:%'), 3)
    })

    test('work that throws is rolled back alone, and its error is rethrown', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          db.transaction(async (transaction) => {
            await transaction.run(insertSecret, secret(`undone:${n}`))
            if (n % 2) throw new ApiError('email_taken')
          }),
        ),
      )

      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      assert.equal(refused.length, 10)
      for (const { reason } of refused) assert.equal(reason.code, 'email_taken')
      assert.equal(await count(db, 'undone:%'), 10)
    })

    test('a failed statement does not affect the others', async () => {
      await db.run(insertSecret, secret('alone:0'))

      const outcomes = await Promise.allSettled(
        [0, 1, 2, 0, 3].map((n) => db.run(insertSecret, secret(`alone:${n}`))),
      )

      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await count(db, 'alone:%'), 4)
    })

    test('a transaction cannot be used after its end', async () => {
      let kept: Parameters<Parameters<Database['transaction']>[0]>[0] | undefined
      await db.transaction(async (transaction) => void (kept = transaction))

      await assert.rejects(async () => kept?.run(insertSecret, secret('late')), /has ended/)
    })

    test('a read outside does not see an open transaction', async () => {
      await db.transaction(async (transaction) => {
        await transaction.run(insertSecret, secret('hidden:1'))
        assert.ok(await transaction.first(findSecret, { id: 'hidden:1' }))
        assert.equal(await db.first(findSecret, { id: 'hidden:1' }), undefined)
      })

      assert.ok(await db.first(findSecret, { id: 'hidden:1' }))
    })

    test('exclusively makes read-decide-write atomic: 100 concurrent increments give 100', async () => {
      const projectId = 'counter'
      const increment = () =>
        db.exclusively(`head:${projectId}`, async (transaction) => {
          const { sequence } = (await transaction.first(readHead, { projectId })) ?? { sequence: 0 }
          await transaction.run(writeHead, { projectId, sequence: sequence + 1 })
        })

      await Promise.all(Array.from({ length: 100 }, increment))

      assert.deepEqual(await db.first(readHead, { projectId }), { sequence: 100 })
    })

    test('lock does the same inside a transaction', async () => {
      const projectId = 'locked'
      const increment = () =>
        db.transaction(async (transaction) => {
          await transaction.lock(`head:${projectId}`)
          const { sequence } = (await transaction.first(readHead, { projectId })) ?? { sequence: 0 }
          await transaction.run(writeHead, { projectId, sequence: sequence + 1 })
        })

      await Promise.all(Array.from({ length: 50 }, increment))

      assert.deepEqual(await db.first(readHead, { projectId }), { sequence: 50 })
    })

    test('2,000 concurrent writes all succeed', async () => {
      const changed = await Promise.all(
        Array.from({ length: 2_000 }, (_, n) => db.run(insertSecret, secret(`many:${n}`))),
      )

      assert.ok(changed.every((rows) => rows === 1))
      assert.equal(await count(db, 'many:%'), 2_000)
    })

    test('ping works while the database answers, and requireWritable while it accepts writes', async () => {
      await db.ping()
      await db.requireWritable()
    })
  })

  test(`close on ${name} waits for the writers and rejects later ones`, async () => {
    const { db, close } = await openTestDatabase(engine, sqlite)
    const writes = [
      ...Array.from({ length: 50 }, (_, n) => db.run(insertSecret, secret(`closing:${n}`))),
      db.transaction((transaction) => transaction.run(insertSecret, secret('closing:transaction'))),
    ]

    const [, ...changed] = await Promise.all([db.close(), ...writes])

    assert.deepEqual(changed, Array(51).fill(1))
    await assert.rejects(db.run(insertSecret, secret('closed')), { code: 'service_unavailable' })
    await assert.rejects(db.first(findSecret, { id: 'closed' }), { code: 'service_unavailable' })
    await assert.rejects(
      db.transaction(async () => {}),
      { code: 'service_unavailable' },
    )
    await close()
  })
}
