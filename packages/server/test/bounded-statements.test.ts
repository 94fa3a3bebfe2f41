import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { CompiledQuery } from 'kysely'

import type { Database } from '../src/engines/database/database.ts'
import {
  compile,
  declaredStatements,
  statement,
  type Statement,
  type Values,
} from '../src/engines/database/statement.ts'

type Declared = Statement<Values, unknown>

// Before any store is loaded: this file has a process of its own.
const declared = new Set<Declared>()
declaredStatements.subscribe((made) => declared.add(made as Declared))

const { deleteBy, updateBy } = await import('../src/engines/database/row-statements.ts')
const { openTestDatabase } = await import('../src/testing/databases.ts')
const { compilerOf } = await import('../src/testing/sent-statements.ts')
const { engines, startService } = await import('../src/testing/service.ts')
const { writtenBy } = await import('../src/testing/statement-bounds.ts')

const SOURCES = join(import.meta.dirname, '../src')
/** Why a statement that is neither of one row, nor of one owner, nor a step, cannot change very many rows. */
const FEW: Record<string, readonly string[]> = {
  'a limit of the contract, or what developers type': [
    'update projects_keys by projectId',
    'delete projects_renames by projectId',
    'update members by projectId',
    'delete members_invitations by projectId',
    'delete members_invitations by projectId, invitedBy',
    'delete developers_invitations by kind',
    'delete developers_invitations by kind, email',
    'delete config_versions by environmentId',
    'delete functions_versions by environmentId',
    'delete functions_resources by environmentId',
    'delete functions_secrets by environmentId',
    'delete channels_lists by environmentId, name',
    'delete channels_lists by environmentId, name, list',
    'delete stats_deliveries by environmentId',
    'update leaderboards by environmentId, key',
    'update leaderboards by environmentId, key, period',
    'delete leaderboards_winners by environmentId, key, label',
    'update money_invites by nothing',
  ],
  'what one game has deployed': [
    'update hosting_blobs by projectId',
    'delete hosting_authors by environmentId',
    'delete hosting_activations by environmentId',
    'delete hosting_deployments by environmentId',
  ],
  'one row a minute, an hour or a day, of a time that is limited': [
    'delete functions_cron_slots by environmentId',
    'delete functions_cron_slots by environmentId, cron',
    'delete functions_minutes by environmentId',
    'delete functions_storage_hours by environmentId',
    'delete secrets by nothing',
  ],
  'the mails to one address, or those that one game sent in a week, which its developer deletes': [
    'delete mail_outbox by environmentId',
    'delete mail_outbox by recipient',
    'delete mail_outbox by environmentId, recipient',
  ],
  'the keys that one player has used in a day': ['delete idempotency_answers by nothing'],
  'what was kept while the clock was ahead: one row of a game and day': [
    'delete players_sums by nothing',
    'update players_counts by nothing',
    'delete sharing_sums by nothing',
  ],
  'one row of each project whose files were removed since the last hour': [
    'delete hosting_projects by nothing',
  ],
}

const UNIQUE_SQL = `
  select t.name as "table", group_concat(c.name) as names from sqlite_schema t, pragma_table_info(t.name) c
    where c.pk > 0 group by t.name
  union all
  select t.name, group_concat(c.name) from sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
    where i."unique" = 1 and i.partial = 0 group by t.name, i.name`

const rawRows = <Row>(db: Database, sql: string, values: unknown[] = [], settings: readonly string[] = []) =>
  db.transaction(async (transaction) => {
    const raw = (text: string, parameters: unknown[]) =>
      transaction.search<Row>(() => ({
        compile: () => CompiledQuery.raw(text, parameters) as CompiledQuery<Row>,
      }))
    for (const setting of settings) await raw(setting, [])
    return raw(sql, values)
  })

describe('the statements of the service', () => {
  let unique: Map<string, string[][]>
  before(async () => {
    const WRITES = /\b(?:deleteFrom|updateTable|deleteBy|takeBy|updateBy|removalBefore|removalUpTo)\b/
    for (const file of globSync('{capabilities,engines}/**/*.ts', { cwd: SOURCES }))
      if (!file.endsWith('.test.ts') && WRITES.test(readFileSync(join(SOURCES, file), 'utf8')))
        await import(join(SOURCES, file))
    // Some are declared by the functions that create the stores.
    await (await startService('sqlite')).stop()

    const { db, close } = await openTestDatabase('sqlite')
    const rows = await rawRows<{ table: string; names: string }>(db, UNIQUE_SQL)
    unique = new Map()
    for (const { table, names } of rows) unique.set(table, [...(unique.get(table) ?? []), names.split(',')])
    await close()
  })
  after(() => declared.clear())

  const writtenAs = (one: Declared) => writtenBy(compile(compilerOf('sqlite'), one), unique)

  test('[OPS-83] no statement deletes or changes rows without a bound', () => {
    const written = [...declared].map(writtenAs).filter((one) => one !== undefined)
    assert.ok(written.length > 400, `${written.length} statements were found`)
    const unbounded = new Set(written.filter((one) => !one.isBounded).map(({ name }) => name))
    assert.deepEqual([...unbounded].toSorted(), Object.values(FEW).flat().toSorted())
  })

  test('[OPS-83] a planted statement without a bound is found', () => {
    const bad = [
      statement((q, { now }: { now: string }) => q.deleteFrom('sessions').where('expiresAt', '<=', now)),
      statement((q) => q.deleteFrom('players_days')),
      statement((q) => q.updateTable('players').set({ bannedUntil: null })),
      deleteBy('saves', ['environmentId']),
      updateBy('stats', ['updatedAt'], ['environmentId', 'key']),
      statement((q, { before }: { before: string }) =>
        q
          .deleteFrom('mail_outbox')
          .where('id', '<=', (row) =>
            row.selectFrom('mail_outbox').select('id').where('sentAt', '<', before).limit(1),
          ),
      ),
      statement((q, { id }: { id: string }) =>
        q.deleteFrom('players').where((e) => e.or([e('id', '=', id), e('bannedUntil', 'is', null)])),
      ),
    ]
    for (const one of bad as unknown as Declared[]) {
      const { name, isBounded } = writtenAs(one) ?? assert.fail('it writes')
      assert.equal(isBounded, false, name)
      assert.ok(!Object.values(FEW).flat().includes(name), name)
    }
  })

  for (const engine of engines)
    test(`[OPS-84] every removal by age finds its rows by an index, on ${engine}`, async (t) => {
      const { db, close } = await openTestDatabase(engine)
      t.after(close)
      const steps = [...declared]
        .map((one) => compile(compilerOf(engine), one).sql)
        .filter(
          (sql) => /^delete .* limit 2000/.test(sql) && sql.includes('ctid') === (engine === 'postgres'),
        )
      assert.ok(steps.length > 20, `${steps.length} removals were found`)
      for (const sql of steps) {
        const parameters = sql.match(/\?|\$\d+/g)?.map(() => '1')
        // The tables are empty: PostgreSQL would read all of them.
        const settings = ['seqscan', 'bitmapscan', 'sort'].map((way) => `set local enable_${way} = off`)
        const rows = await (engine === 'sqlite'
          ? rawRows<Record<string, string>>(db, `explain query plan ${sql}`, parameters)
          : rawRows<Record<string, string>>(db, `explain ${sql}`, parameters, settings))
        const plan = rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n')
        assert.doesNotMatch(plan, /\bSCAN\b|Seq Scan/, `${sql}\n${plan}`)
        // There are two rows a day of an environment.
        if (!sql.includes('players_sums')) assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, `${sql}\n${plan}`)
      }
    })
})
