import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { copySqlite } from '../../../engines/database/sqlite/copy.ts'
import type { BackupSettings } from '../settings.ts'
import { type DatabaseFacts, DUMP_FILE, requireBackupTables, SQLITE_FILE } from './database-facts.ts'

/** Writes the database of one moment to `folder`. */
export async function snapshotDatabase(
  { dataDir, databaseUrl }: Pick<BackupSettings, 'dataDir' | 'databaseUrl'>,
  folder: string,
): Promise<DatabaseFacts> {
  if (databaseUrl !== undefined) {
    const { dumpDatabase } = await import('./postgres.ts')
    return {
      engine: 'postgres',
      file: DUMP_FILE,
      ...(await dumpDatabase(databaseUrl, join(folder, DUMP_FILE))),
    }
  }
  if (!existsSync(join(dataDir, SQLITE_FILE)))
    throw new Error(`There is no database in ${dataDir}. Check SVC_DATA_DIR.`)
  const copy = join(folder, SQLITE_FILE)
  await copySqlite(join(dataDir, SQLITE_FILE), copy)
  using database = openImmutable(copy)
  const list = (sql: string) => database.prepare(sql).all()
  if (!list(`select 1 from sqlite_schema where name = 'migrations'`)[0])
    throw new Error(`The database in ${dataDir} is empty: start the service once.`)
  const tables = countRows(database)
  requireBackupTables(Object.keys(tables))
  const fact = (name: string) => {
    const found = database.prepare('select value from installation where name = ?').get(name)
    return found && String(found['value'])
  }
  return {
    engine: 'sqlite',
    file: SQLITE_FILE,
    schema: String(list('select max(name) as name from migrations')[0]?.['name']),
    oldestVersion: fact('oldestVersion') ?? null,
    installation: fact('id') ?? '',
    tables,
    blobKeys: list(`select key from hosting_blobs where state = 'stored'`).map(({ key }) => String(key)),
  }
}

/** The number of rows of every table. */
export function countRows(database: DatabaseSync): Record<string, number> {
  const names = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`)
    .all()
  return Object.fromEntries(
    names.map(({ name }) => [
      String(name),
      Number(database.prepare(`select count(*) as n from "${String(name)}"`).get()?.['n']),
    ]),
  )
}

/** Opens a file that nobody writes: SQLite creates no files next to it. */
export const openImmutable = (path: string) =>
  new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })

/** Undefined if SQLite finds no damage. */
export function damageOf(path: string): string | undefined {
  try {
    using database = openImmutable(path)
    const [result] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})
    return result === 'ok' ? undefined : String(result)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
