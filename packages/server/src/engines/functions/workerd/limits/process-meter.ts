import { mainThreadNs, processNs } from '../process/proc.ts'
import type { Counts } from '../requests/control.ts'

/** What a process has used, for the bill. `mainNs` is the last known CPU time of the thread that runs all JavaScript. */
export function createProcessMeter(pid: number, mainNs: number) {
  /** CPU time of all threads when it was last read, and of the main thread at that time. */
  let last = { allNs: processNs(pid) ?? 0, mainNs }
  let takenNs = last.allNs
  let counts: Counts = { rowsRead: 0, rowsWritten: 0, deliveries: 0 }
  let takenCounts = counts

  function read(lastMainNs: number) {
    const allNs = processNs(pid)
    if (allNs !== undefined) last = { allNs, mainNs: mainThreadNs(pid) ?? lastMainNs }
  }

  return {
    /** Reads the CPU time of all threads: from time to time, and before the process is killed. */
    read,

    /** CPU time since the last call. After the end: the last reading, and what the thread of the code has used since. */
    takeCpuMs(lastMainNs: number): number {
      read(lastMainNs)
      const nowNs = Math.max(takenNs, last.allNs + Math.max(0, lastMainNs - last.mainNs))
      const used = nowNs - takenNs
      takenNs = nowNs
      return used / 1e6
    },

    /** Rows never become fewer, whatever the process reports. */
    noteCounts({ rowsRead, rowsWritten, deliveries }: Counts) {
      counts = {
        rowsRead: Math.max(counts.rowsRead, rowsRead),
        rowsWritten: Math.max(counts.rowsWritten, rowsWritten),
        deliveries,
      }
    },

    /** Rows since the last call, as far as the process has reported them. */
    takeRows() {
      const taken = {
        rowsRead: counts.rowsRead - takenCounts.rowsRead,
        rowsWritten: counts.rowsWritten - takenCounts.rowsWritten,
      }
      takenCounts = counts
      return taken
    },

    /** Whether the code has a batch of a queue, as far as the process has reported it. */
    isDelivering: () => counts.deliveries > 0,
  }
}
