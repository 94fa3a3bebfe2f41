import { readdir } from 'node:fs/promises'

import { SECOND_MS } from '../clock.ts'
import { openFilesMax } from '../open-files.ts'
import { type Metric, single } from './metrics.ts'

/** Metrics of this process, with the names that common dashboards use. */
export function processMetrics(eventLoopP99Ms: () => number): Metric[] {
  return [
    single('process_cpu_seconds_total', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
    single('process_resident_memory_bytes', () => process.memoryUsage.rss()),
    single('process_open_fds', countOpenFiles),
    single('process_max_fds', openFilesMax),
    single('process_start_time_seconds', () => performance.timeOrigin / SECOND_MS),
    single('nodejs_heap_size_used_bytes', () => process.memoryUsage().heapUsed),
    single('nodejs_eventloop_lag_p99_seconds', () => eventLoopP99Ms() / SECOND_MS),
  ]
}

/** Only Linux lists them. */
const countOpenFiles = async () => (await readdir('/proc/self/fd').catch(() => undefined))?.length
