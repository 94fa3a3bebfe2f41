import { join } from 'node:path'

import pg from 'pg'

import { openDatabase } from '../packages/server/src/engines/database/open.ts'
import { systemClock } from '../packages/server/src/platform/clock.ts'

/**
 * A migrated database that tests copy. A copy takes a third of the time of the migrations. PostgreSQL can copy only a database
 * without connections, so nothing may connect to it.
 */
export async function createTemplateDatabase(
  postgresUrl: string,
): Promise<{ name: string; remove: () => Promise<void> }> {
  const name = `template_${process.pid}`
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`

  await runSql(postgresUrl, `create database ${name} template template0`)
  const db = await openDatabase({ url: url.href, dataDir: '', clock: systemClock, log: () => {} })
  await db.close()
  return { name, remove: () => runSql(postgresUrl, `drop database if exists ${name} with (force)`) }
}

/** A migrated SQLite file in `folder`, which tests copy, too. */
export async function createTemplateFile(folder: string): Promise<string> {
  const db = await openDatabase({ dataDir: folder, clock: systemClock, log: () => {} })
  await db.close()
  return join(folder, 'svc.sqlite')
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
