import assert from 'node:assert/strict'
import { test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { createAuditStore } from '../src/capabilities/audit/index.ts'
import { createOutboxStore } from '../src/capabilities/mail/index.ts'
import { createUsageStore } from '../src/capabilities/money/index.ts'
import { joinView, viewIn } from '../src/capabilities/players/index.ts'
import { createSessionStore } from '../src/capabilities/sessions/index.ts'
import type { Database } from '../src/engines/database/database.ts'
import { openTestDatabase } from '../src/testing/databases.ts'
import { sentBy } from '../src/testing/sent-statements.ts'
import { engines } from '../src/testing/service.ts'

/** Lists with a filter that few rows may pass: without an index their cost grows with the table. */
const LISTS: Record<string, (db: Database) => Promise<unknown>> = {
  audit_entries_shown: (db) =>
    createAuditStore(db).listShown({ projectId: 'prj_1', before: 9, limit: 9 }, null),
  audit_entries_shown_of: (db) =>
    createAuditStore(db).listShown(
      { projectId: 'prj_1', before: 9, limit: 9 },
      { env: 'production', wholeProject: false },
    ),
  audit_entries_of: (db) =>
    createAuditStore(db).list(
      { projectId: 'prj_1', before: 9, limit: 9 },
      { env: 'production', wholeProject: false },
    ),
  money_transactions_charges: (db) => createUsageStore(db).charges('dev_1', '2026-01'),
  mail_outbox_by_status: (db) =>
    createOutboxStore(db).page({
      environmentId: 'env_1',
      developer: '',
      before: 'z',
      limit: 9,
      status: 'pending',
    }),
}

/** The plan of the first statement that `read` sends. */
async function planOf(db: Database, read: (db: Database) => Promise<unknown>): Promise<string> {
  const [{ sql, values } = { sql: '', values: [] }] = await sentBy(db, read)
  const plan = await db.transaction(async (transaction) => {
    const raw = (text: string, parameters: unknown[] = []) =>
      transaction.search<Record<string, string>>(() => ({
        compile: () => CompiledQuery.raw(text, parameters) as CompiledQuery<Record<string, string>>,
      }))
    // The tables are empty: PostgreSQL would read all of them.
    for (const way of ['seqscan', 'bitmapscan', 'sort'])
      if (db.engine === 'postgres') await raw(`set local enable_${way} = off`)
    return raw(`${db.engine === 'sqlite' ? 'explain query plan' : 'explain'} ${sql}`, values)
  })
  return plan.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n')
}

for (const engine of engines) {
  for (const [index, list] of Object.entries(LISTS))
    test(`a list is read from ${index}, without a sort, on ${engine}`, async (t) => {
      const { db, close } = await openTestDatabase(engine)
      t.after(close)
      const plan = await planOf(db, list)
      assert.match(plan, new RegExp(`\\b${index}\\b`), plan)
      assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, plan)
    })

  test(`[DSH-75] a page of an environment and of the whole project reads as many entries of both as it shows, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const page = { projectId: 'prj_1', before: 9, limit: 9 }
    const scope = { env: 'production', wholeProject: true }
    for (const [index, list] of [
      ['audit_entries_of', 'list'],
      ['audit_entries_shown_of', 'listShown'],
    ] as const) {
      const plan = await planOf(db, (db) => createAuditStore(db)[list](page, scope))
      assert.equal(plan.match(new RegExp(`\\b${index}\\b`, 'g'))?.length, 2, plan)
      assert.doesNotMatch(plan, /SCAN audit_entries|Seq Scan/, plan)
    }
  })

  test(`a session and its player are looked up by their keys in a new database, which was not analyzed yet, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const find = (db: Database) =>
      createSessionStore(db, { join: joinView, viewIn }).findWithPlayer('env_1', 'ses_1')
    const plan = await planOf(db, find)
    const keys =
      engine === 'sqlite'
        ? [/entry USING PRIMARY KEY/, /players USING PRIMARY KEY/, /SEARCH identity USING INDEX/]
        : [/sessions_pkey/, /players_(pkey|id)\b/, /players_identities_\w+/]
    for (const key of keys) assert.match(plan, key, plan)
  })
}
