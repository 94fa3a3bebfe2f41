import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the time of processes in hundredths of a second, on every architecture that Node runs on. */
const TICK_MS = 10
const BYTES_PER_KIB = 1024

type Stat = { parent: number; ticks: number }

/** User and system time of a process and of all that it started, those included that have ended since. */
export function cpuMs(pid: number): number {
  const stats = readStats()
  return treeOf(pid, stats).reduce((total, member) => total + (stats.get(member)?.ticks ?? 0), 0) * TICK_MS
}

/** Of this process alone: what a database shares between its processes would be counted many times. */
export function rssMb(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kib) * BYTES_PER_KIB) / 1e6
}

/** How often the process has asked the kernel to write, to whatever. */
export function writeCalls(pid: number): number {
  const [, calls] = /^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? []
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
    // The second field is the program's name in brackets and may hold anything; those we need stand behind it (proc(5)).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11)
    return { parent, ticks: user + system + childrenUser + childrenSystem }
  } catch {
    // It has ended while we looked.
    return undefined
  }
}
