import { CompiledQuery } from 'kysely'

import type { Database, Queries } from './database.ts'

const STEP_ROWS = 500

/**
 * Every table with a column `environmentId`, so that tables of later migrations are included; and what identifies a row: in SQLite the primary
 * key, because some tables have no `rowid`.
 */
const TABLES_SQL = {
  sqlite: `select t.name, coalesce((select group_concat('"' || k.name || '"') from pragma_table_info(t.name) k where k.pk > 0), 'rowid') as "rowKey"
    from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table' and c.name = 'environmentId'`,
  postgres: `select table_name as name, 'ctid' as "rowKey" from information_schema.columns where table_schema = current_schema() and column_name = 'environmentId'`,
}
const PLACE = { sqlite: '?', postgres: '$1' }

/** Deletes all rows of an environment in small batches, so writers are not blocked. Idempotent. */
export async function purgeEnvironment(db: Database, environmentId: string): Promise<number> {
  const { engine } = db
  const tables = await db.inBackground((transaction) =>
    raw<{ name: string; rowKey: string }>(transaction, TABLES_SQL[engine]),
  )
  let removed = 0
  for (const { name, rowKey } of tables) {
    const mine = `select ${rowKey} from "${name}" where "environmentId" = ${PLACE[engine]} limit ${STEP_ROWS}`
    const step = `delete from "${name}" where (${rowKey}) in (${mine}) returning 1`
    for (let rows = STEP_ROWS; rows === STEP_ROWS; removed += rows) {
      rows = (await db.inBackground((transaction) => raw(transaction, step, [environmentId]))).length
    }
  }
  // Secrets have no such column; their name contains the environment id.
  const secrets = `delete from secrets where id like ${PLACE[engine]} returning 1`
  return (
    removed +
    (await db.inBackground((transaction) => raw(transaction, secrets, [`%${environmentId}%`]))).length
  )
}

const raw = <Row>(queries: Queries, sql: string, parameters: unknown[] = []): Promise<Row[]> =>
  queries.search<Row>(() => ({ compile: () => CompiledQuery.raw(sql, parameters) as CompiledQuery<Row> }))
