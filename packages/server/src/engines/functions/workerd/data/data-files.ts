import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { DATA_FOLDERS } from '../config/config.ts'
import { STORES, type StoreType, uniqueKeyOf } from '../config/own-workers.ts'

/**
 * A file in the data of a process, or undefined. The process may have been taken over and can put anything into the folder: opening a FIFO would
 * stop the service, and a link may lead to any other file.
 */
export function findDataFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? found : undefined
}

/** The folder of all stores of a type: a SQLite file per store, and one in which workerd keeps their alarms. */
export const storeFolder = (dataFolder: string, type: StoreType) =>
  join(dataFolder, DATA_FOLDERS.stores, uniqueKeyOf(STORES[type].className))

export const ALARMS_FILE = 'metadata.sqlite'

/** Whether a file of such a folder is a store. */
export const isStoreFile = (name: string) => name.endsWith('.sqlite') && name !== ALARMS_FILE
