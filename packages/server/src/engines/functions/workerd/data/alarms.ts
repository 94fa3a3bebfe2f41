import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { DATA_FOLDERS } from '../config/config.ts'
import { ALARMS_FILE, findDataFile, storeFolder } from './data-files.ts'

/** The earliest alarm of objects, queues and files in ms since 1970; workerd keeps them in a file per class. Undefined: none. */
export function nextAlarmMs(dataFolder: string): number | undefined {
  const objects = join(dataFolder, DATA_FOLDERS.objects)
  const folders = existsSync(objects) ? readdirSync(objects).map((name) => join(objects, name)) : []
  // Alarms of key-value namespaces only remove what nobody sees; those of files remove bodies that were deleted.
  folders.push(storeFolder(dataFolder, 'queue'), storeFolder(dataFolder, 'files'))
  const times = folders.flatMap((folder) => earliestIn(join(folder, ALARMS_FILE)))
  return times.length > 0 ? Math.min(...times) : undefined
}

function earliestIn(file: string): number[] {
  if (!findDataFile(file)) return []
  try {
    using database = new DatabaseSync(file, { readOnly: true })
    const row = database.prepare('SELECT min(scheduled_time) / 1000000 AS ms FROM _cf_ALARM').get()
    return row?.ms == null ? [] : [Number(row.ms)]
  } catch {
    // The process had not finished creating it.
    return []
  }
}
