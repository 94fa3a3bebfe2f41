import { VERSION } from '../../../version.ts'

/** The file of the database in a backup. */
export const SQLITE_FILE = 'svc.sqlite'
export const DUMP_FILE = 'database.dump'

/** What a backup says about its database. */
export type DatabaseFacts = {
  engine: 'sqlite' | 'postgres'
  /** Its file in the backup. */
  file: typeof SQLITE_FILE | typeof DUMP_FILE
  schema: string
  oldestVersion: string | null
  installation: string
  tables: Record<string, number>
  /** Keys of the files of hosted apps that the database refers to. */
  blobKeys: string[]
}

/** Throws if the database is from before the tables that a backup reads. */
export function requireBackupTables(names: readonly string[]): void {
  if (names.includes('installation') && names.includes('hosting_blobs')) return
  throw new Error(
    `The database is too old for a backup by version ${VERSION}. Write the backup with the version that last ran on it.`,
  )
}
