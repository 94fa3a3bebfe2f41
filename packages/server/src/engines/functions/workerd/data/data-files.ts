import { lstatSync, type Stats } from 'node:fs'

/**
 * A file in the data of a process, or undefined. The process may have been taken over and can put anything there: opening a FIFO would
 * stop the service, and a link leads elsewhere.
 */
export function findDataFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? found : undefined
}
