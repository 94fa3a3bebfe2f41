import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts process time in hundredths of a second, on every architecture that Node supports. */
const TICK_MS = 10
const BYTES_PER_KIB = 1024

type Stat = { parent: number; ticks: number; ownTicks: number }

/** User and system time of a process and all its descendants, including those that have ended. */
export function cpuMs(pid: number): number {
  const stats = readStats()
  return treeOf(pid, stats).reduce((total, member) => total + (stats.get(member)?.ticks ?? 0), 0) * TICK_MS
}

/** User and system time of this process alone. */
export const ownCpuMs = (pid: number): number => (readStat(String(pid))?.ownTicks ?? 0) * TICK_MS

/**
 * CPU time of the threads that a process has now, exact to a microsecond: for short measurements of processes that neither start nor end
 * threads meanwhile.
 */
export function threadsCpuMs(pid: number): number {
  let ns = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [ran] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      ns += Number(ran)
    } catch {
      // The thread ended during the scan.
    }
  }
  return ns / 1e6
}

/** The processes that a process has started, and theirs. */
export const descendantsOf = (pid: number): number[] => treeOf(pid, readStats()).slice(1)

/** Resident memory of this process alone: memory shared between database processes would be counted several times. */
export const rssMb = (pid: number) => memoryMb(pid, 'VmRSS')

/** Without files such as the program, which all processes that run it share. */
export const privateMb = (pid: number) => memoryMb(pid, 'RssAnon')

function memoryMb(pid: number, field: string): number {
  const [, kib] =
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kib) * BYTES_PER_KIB) / 1e6
}

/** Number of write system calls of the process. */
export const writeCalls = (pid: number): number => inputOutput(pid, 'syscw')

/** Number of read system calls of the process. */
export const readCalls = (pid: number): number => inputOutput(pid, 'syscr')

function inputOutput(pid: number, field: string): number {
  const [, calls] = new RegExp(`^${field}: (\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? []
  return Number(calls)
}

function treeOf(pid: number, stats: ReadonlyMap<number, Stat>): number[] {
  const children = [...stats].filter(([, { parent }]) => parent === pid)
  return [pid, ...children.flatMap(([child]) => treeOf(child, stats))]
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined
    if (stat) stats.set(Number(name), stat)
  }
  return stats
}

function readStat(pid: string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program name in brackets and may contain any character. The fields we need follow it (proc(5)).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11)
    return { parent, ticks: user + system + childrenUser + childrenSystem, ownTicks: user + system }
  } catch {
    // The process ended during the scan.
    return undefined
  }
}
