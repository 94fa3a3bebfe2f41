import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { DATA_FOLDERS } from './config.ts'

/** Kinds of data whose alarms run code; those of the others only clean up. */
const WITH_ALARMS = [DATA_FOLDERS.durable_object, DATA_FOLDERS.queue]

/** The earliest alarm of objects and queues in ms since 1970; workerd keeps them in a file per class. Undefined: none. */
export function nextAlarmMs(dataFolder: string): number | undefined {
  const times = WITH_ALARMS.flatMap((kind) => {
    const folder = join(dataFolder, kind)
    if (!existsSync(folder)) return []
    return readdirSync(folder).flatMap((name) => earliestIn(join(folder, name, 'metadata.sqlite')))
  })
  return times.length > 0 ? Math.min(...times) : undefined
}

function earliestIn(file: string): number[] {
  if (!existsSync(file)) return []
  try {
    using database = new DatabaseSync(file, { readOnly: true })
    const row = database.prepare('SELECT min(scheduled_time) / 1000000 AS ms FROM _cf_ALARM').get()
    return row?.ms == null ? [] : [Number(row.ms)]
  } catch {
    // The process had not finished creating it.
    return []
  }
}
