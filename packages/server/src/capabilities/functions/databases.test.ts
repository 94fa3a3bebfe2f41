import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { suite } from '../../testing/suite.ts'

const DB = '/v1/admin/functions/db'
const CODE = 'export default { fetch: () => new Response() }'

suite('databases of functions', { features: {}, start: startFunctionsService }, ({ project }) => {
  before(() => deployFunctions(project.development, CODE, { bindings: [{ type: 'db', name: 'DB' }] }))
  const query = (sql: string, params?: unknown[], binding = 'DB') =>
    project.development.server('POST', `${DB}/${binding}/query`, { sql, ...(params && { params }) })
  const migrate = async (...migrations: { name: string; sql: string }[]) =>
    (await project.development.server('POST', `${DB}/DB/migrate`, { migrations })).body

  test('[FUN-10] return the rows of the last statement, with what it read and wrote', async () => {
    const created = await query('create table players (id integer primary key, name text, data blob)')
    assert.equal(created.status, 200)
    const inserted = await query('insert into players (name, data) values (?, ?)', [
      'Bob',
      { $base64: 'AAEC' },
    ])
    assert.deepEqual([inserted.body.meta.rowsWritten > 0, inserted.body.meta.lastRowId], [true, 1])
    const { body } = await query('select id, name, data, null as empty from players')
    assert.deepEqual(body.results, [{ id: 1, name: 'Bob', data: { $base64: 'AAEC' }, empty: null }])
    assert.equal(body.meta.rowsRead, 1)
  })

  test('[FUN-10] run several statements as one transaction', async () => {
    await query('create table counted (n integer)')
    const failed = await query('insert into counted values (1); insert into nowhere values (2)')
    assert.deepEqual([failed.status, failed.body.error.code], [400, 'sql_error'])
    assert.match(failed.body.error.details.reason, /nowhere/)
    assert.deepEqual((await query('select count(*) as n from counted')).body.results, [{ n: 0 }])
    const both = await query('insert into counted values (1); select count(*) as n from counted')
    assert.deepEqual(both.body.results, [{ n: 1 }])
  })

  test('[FUN-10] refuse bad SQL, unknown bindings, wrong parameters and results that are too large', async () => {
    for (const sql of ['selekt', "attach 'x' as y", 'pragma journal_mode = off'])
      assert.deepEqual((await query(sql)).body.error?.code, 'sql_error', sql)
    const unknown = await query('select 1', [], 'OTHER')
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'binding_not_found'])
    for (const params of [[{}], [[1]], [{ $base64: '###' }]])
      assert.equal(
        (await query('select ?', params)).body.error.code,
        'invalid_request',
        JSON.stringify(params),
      )
    const rows = (count: number) =>
      `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c`
    assert.equal((await query(rows(10_000))).body.results.length, 10_000)
    const tooMany = await query(rows(10_001))
    assert.deepEqual([tooMany.status, tooMany.body.error.code], [413, 'result_too_large'])
    const tooLarge = await query("select replace(hex(zeroblob(600000)), '00', 'xx') as text")
    assert.deepEqual([tooLarge.status, tooLarge.body.error.code], [413, 'result_too_large'])
  })

  test('[FUN-11] apply each migration once, in order, and stop at the first failure', async () => {
    const first = {
      name: '0001',
      sql: 'create table scores (n integer);\r\ncreate trigger t after insert on scores begin select 1; update scores set n = n; end;\r\ninsert into scores values (1); -- done',
    }
    const broken = { name: '0002', sql: 'insert into scores values (2); insert into missing values (1)' }
    const last = { name: '0003', sql: 'insert into scores values (3)' }
    const failed = await migrate(first, broken, last)
    assert.deepEqual([failed.applied, failed.skipped], [['0001'], []])
    assert.deepEqual(
      failed.failed.map(({ name }: { name: string }) => name),
      ['0002'],
    )
    assert.deepEqual((await query('select n from scores')).body.results, [{ n: 1 }])

    const fixed = await migrate(first, { ...broken, sql: 'insert into scores values (2)' }, last)
    assert.deepEqual(fixed, { applied: ['0002', '0003'], failed: [], skipped: ['0001'] })
    assert.deepEqual((await query('select n from scores order by n')).body.results, [
      { n: 1 },
      { n: 2 },
      { n: 3 },
    ])
    const twice = await project.development.server('POST', `${DB}/DB/migrate`, { migrations: [first, first] })
    assert.equal(twice.body.error.code, 'invalid_request')
  })

  test('[FUN-11] note applied migrations in a table of this name, also in one of D1', async () => {
    const first = { name: '0001.sql', sql: 'create table teams (name text)' }
    const second = { name: '0002.sql', sql: "insert into teams values ('red')" }
    const migrateIn = (table: string, ...migrations: object[]) =>
      project.development.server('POST', `${DB}/DB/migrate`, { migrations, table })
    await query(
      "create table d1_migrations (id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null); insert into d1_migrations (name) values ('0000.sql')",
    )
    const before = { name: '0000.sql', sql: 'create table nowhere (n)' }
    const { body } = await migrateIn('d1_migrations', before, first, second)
    assert.deepEqual(body, { applied: ['0001.sql', '0002.sql'], failed: [], skipped: ['0000.sql'] })
    assert.deepEqual((await migrateIn('d1_migrations', first, second)).body.skipped, ['0001.sql', '0002.sql'])
    const names = await query('select id, name from d1_migrations order by id')
    assert.deepEqual(names.body.results.at(-1), { id: 3, name: '0002.sql' })

    await query('create table other_shape (n integer)')
    const taken = await migrateIn('other_shape', second)
    assert.equal(taken.status, 200)
    assert.match(taken.body.failed[0].error, /^other_shape: no such column/)
    for (const table of ['', 'a b', 'a"b', '1a', 'sqlite_a', '_cf_a', 'x'.repeat(65)])
      assert.equal((await migrateIn(table, first)).body.error.code, 'invalid_request', table)
  })

  test('[FUN-17] apply migrations to a database by its id, before a version with its binding is live', async () => {
    const { server } = project.production
    const body = { migrations: [{ name: '1', sql: 'create table early (n); insert into early values (7)' }] }
    assert.equal(
      (await server('POST', `${DB}/EARLY/migrate`, { ...body, id: 'later' })).body.error.code,
      'functions_disabled',
    )
    await server('POST', '/v1/admin/functions/enable', {})
    assert.equal((await server('POST', `${DB}/EARLY/migrate`, body)).body.error.code, 'binding_not_found')
    assert.deepEqual((await server('POST', `${DB}/EARLY/migrate`, { ...body, id: 'later' })).body.applied, [
      '1',
    ])
    // Also beside a version without a database.
    await deployFunctions(project.production, CODE)
    assert.deepEqual((await server('POST', `${DB}/EARLY/migrate`, { ...body, id: 'later' })).body.skipped, [
      '1',
    ])
    await deployFunctions(project.production, CODE, {
      bindings: [{ type: 'db', name: 'EARLY', id: 'later' }],
    })
    const { body: read } = await server('POST', `${DB}/EARLY/query`, { sql: 'select n from early' })
    assert.deepEqual(read.results, [{ n: 7 }])
  })
})
