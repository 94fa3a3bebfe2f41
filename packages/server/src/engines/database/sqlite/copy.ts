import { backup, DatabaseSync } from 'node:sqlite'

/**
 * Copies a SQLite file in the state of one moment, also while other connections write. Without the read transaction the copy would
 * start again after each of their commits.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true })
  source.exec('begin')
  // The transaction begins with the first read.
  source.prepare('select 1 from sqlite_schema').get()
  await backup(source, to)
}
