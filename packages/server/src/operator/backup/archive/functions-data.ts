import { existsSync } from 'node:fs'
import { copyFile, mkdir, opendir, readdir, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { copySqlite } from '../../../engines/database/sqlite/copy.ts'

/** SQLite's files next to a database: a copy of the database includes their content. */
const BESIDE_DATABASE = /-(?:wal|shm|journal)$/

/**
 * Copies databases, KV, queues, objects and names of files of every environment, each in a consistent state. A file that the service
 * removes meanwhile is left out. Returns the databases that SQLite cannot read; they are copied byte by byte.
 */
export async function copyFunctions(from: string, to: string): Promise<string[]> {
  const damaged: string[] = []
  await mkdir(to)
  for (const dataId of await readdir(from))
    for await (const path of filesIn(join(from, dataId, 'data'))) {
      if (BESIDE_DATABASE.test(path)) continue
      const copy = join(to, relative(from, path))
      await mkdir(dirname(copy), { recursive: true })
      try {
        if (!path.endsWith('.sqlite')) await copyFile(path, copy)
        else if (!(await copyDatabase(path, copy))) damaged.push(relative(from, path))
      } catch (error) {
        if (existsSync(path)) throw error
        await rm(copy, { force: true })
      }
    }
  return damaged
}

/** Returns whether SQLite could read it. */
async function copyDatabase(path: string, copy: string): Promise<boolean> {
  try {
    await copySqlite(path, copy)
    return true
  } catch (error) {
    if (!isDamage(error)) throw error
    await rm(copy, { force: true })
    await copyFile(path, copy)
    return false
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; any other error, such as a full disk, is one of the backup. */
const isDamage = (error: unknown) =>
  error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff)

/** All files in a folder and below. A folder that vanishes meanwhile is left out. */
export async function* filesIn(folder: string, skipped?: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name)
      if (entry.name === skipped) continue
      if (entry.isDirectory()) yield* filesIn(path, skipped)
      else if (entry.isFile()) yield path
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (existsSync(folder) || (code !== 'ENOENT' && code !== 'ENOTDIR')) throw error
  }
}
