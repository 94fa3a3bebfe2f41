import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { bodiesPrefix } from '../network/file-bodies.ts'
import { dataFolderOf } from '../process/folders.ts'
import { isStoreFile, storeFolder } from './data-files.ts'

const NAMED = `SELECT files.key AS key, json_extract(part.value, '$.bodyId') AS bodyId
    FROM files, json_each(files.details, '$.parts') AS part
  UNION ALL
  SELECT uploads.key, parts.bodyId FROM parts JOIN uploads ON uploads.id = parts.uploadId`

/** The blobs that the files of all environments in a copy of the folder of functions consist of, with the names of the files. */
export function* namedBodies(root: string): Generator<{ blob: string; dataId: string; key: string }> {
  for (const dataId of namesIn(root)) {
    const folder = storeFolder(dataFolderOf(root, dataId), 'files')
    for (const name of namesIn(folder).filter(isStoreFile)) {
      for (const { key, bodyId } of namedIn(join(folder, name)))
        yield { blob: bodiesPrefix(dataId) + String(bodyId), dataId, key: String(key) }
    }
  }
}

/** None if the database is damaged: one environment must not stop the backup of the others. */
function namedIn(path: string): Record<string, unknown>[] {
  try {
    // Immutable: SQLite creates no files while it reads.
    using database = new DatabaseSync(new URL(`${pathToFileURL(path).href}?immutable=1`), { readOnly: true })
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'files'").get()) return []
    return database.prepare(NAMED).all()
  } catch {
    return []
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
