import type { Clock } from '../../platform/clock.ts'
import type { Blobs } from '../blobs/blobs.ts'

/** `sandbox: 'required'` refuses to run code with less than bubblewrap. */
export type FunctionsSettings = {
  /** Absolute. Data of functions; on several nodes a folder that all share. */
  folder: string
  sandbox: 'required' | 'preferred'
  processesMax: number
  /** Per environment. Over it, its data is read-only. */
  storageBytesMax: number
}

/** What the engine needs of the service. */
export type FunctionsOptions = {
  /** Times of log lines. Alarms and limits follow the machine's time: workerd has no other. */
  clock: Clock
  log(line: string): void
  /** Bodies of files, under `functions-files/<dataId>/`. */
  blobs: Pick<Blobs, 'put' | 'open' | 'remove' | 'list'>
}
