import type { Logs } from '../logs/logs.ts'
import { storageBytes } from './stored-bytes.ts'

type StorageLimitOptions = {
  dataFolder: string
  bytesMax: number
  checkMs: number
  logs: Logs
  /** Starts the process again, in the mode that `isFull` needs. */
  restart(): Promise<void>
  isStopped(): boolean
}

/** Over the limit, the process runs in a mode in which nothing grows, until the data is under it again. */
export function createStorageLimit(options: StorageLimitOptions) {
  const { dataFolder, bytesMax, checkMs, logs, restart, isStopped } = options
  let isFull = false
  let nextCheckAt = 0

  async function check() {
    const bytes = await storageBytes(dataFolder)
    if (bytes > bytesMax === isFull || isStopped()) return
    isFull = !isFull
    const message = isFull
      ? `The storage is full: ${bytes} of ${bytesMax} bytes. Only what makes it smaller is accepted.`
      : 'The storage is under its limit again.'
    logs.add({ level: isFull ? 'error' : 'info', message, requestId: null })
    await restart()
  }

  return {
    isFull: () => isFull,
    /** Called while the process runs; reads the disk once per `checkMs`. */
    checkWhenDue() {
      const now = performance.now()
      if (now < nextCheckAt) return
      nextCheckAt = now + checkMs
      check().catch(() => {})
    },
  }
}
