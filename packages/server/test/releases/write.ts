import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { startPostgres } from '../../../../scripts/services.ts'
import { copyToPostgres } from '../../src/engines/database/copy/copy-to-postgres.ts'
import { openDatabase } from '../../src/engines/database/open.ts'
import { createStoppedClock } from '../../src/platform/clock.ts'
import { insertSampleRows } from '../../src/testing/sample-rows.ts'
import { VERSION } from '../../src/version.ts'

/**
 * node --conditions=source packages/server/test/releases/write.ts
 *
 * Writes the databases of this version, with sample rows in every table, as SQL: `<version>/sqlite.sql` and `<version>/postgres.sql`.
 * Run it when a version is released; the files of an older version are never written again.
 */
const folder = join(import.meta.dirname, VERSION)
const dataDir = mkdtempSync(join(tmpdir(), 'svc-release-'))
const clock = createStoppedClock()
const postgres = await startPostgres({ sync: false })
try {
  const db = await openDatabase({ dataDir, clock, log: () => {}, version: VERSION })
  await db.close()
  const path = join(dataDir, 'svc.sqlite')
  insertSampleRows(path)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sqlite.sql'), sqliteDump(path))
  await copyToPostgres({ dataDir, to: postgres.url, clock, log: () => {}, version: VERSION })
  writeFileSync(join(folder, 'postgres.sql'), postgresDump(postgres.url))
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** The schema, and an insert for each row. */
function sqliteDump(path: string): string {
  using database = new DatabaseSync(path, { readOnly: true })
  const literals = (table: string, columns: readonly string[]) => {
    const literal = columns.map((column) => `quote("${column}")`).join(` || ', ' || `)
    return database.prepare(`select ${literal} as row from "${table}" order by 1`).all()
  }
  const schema = database
    .prepare(`select type, name, sql from sqlite_schema where sql is not null order by rowid`)
    .all()
  const isTable = ({ type, name }: Record<string, unknown>) =>
    type === 'table' && !String(name).startsWith('sqlite_')
  const rows = schema.filter(isTable).flatMap(({ name }) => {
    const columns = database
      .prepare('select name from pragma_table_info(?)')
      .all(String(name))
      .map((column) => String(column['name']))
    return literals(String(name), columns).map(
      ({ row }) => `insert into "${String(name)}" values (${String(row)});`,
    )
  })
  const statements = schema
    .filter(({ name }) => !String(name).startsWith('sqlite_'))
    .map(({ sql }) => `${String(sql)};`)
  return [...statements, ...rows, ''].join('\n')
}

/** As `pg_dump` writes it, without what depends on its version and without its own commands, which only `psql` knows. */
function postgresDump(url: string): string {
  const dump = execFileSync('pg_dump', ['--no-owner', '--no-comments', '--inserts', '--dbname', url], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return dump
    .split('\n')
    .filter(
      (line) => !/^(?:--|\\|$)/.test(line) && !/^SELECT pg_catalog\.set_config\('search_path'/.test(line),
    )
    .concat('')
    .join('\n')
}
