import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds on the CPU of the thread that runs all JavaScript. Undefined if the process has ended. */
export const mainThreadNs = (pid: number): number | undefined => threadNs(pid, String(pid))

/** Nanoseconds on the CPU of all threads. */
export function processNs(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + (threadNs(pid, thread) ?? 0), 0)
  } catch {
    return undefined
  }
}

function threadNs(pid: number, thread: string): number | undefined {
  const text = readOf(`/proc/${pid}/task/${thread}/schedstat`)
  return text === undefined ? undefined : Number(text.slice(0, text.indexOf(' ')))
}

export function residentBytes(pid: number): number {
  const [, pages = '0'] = readOf(`/proc/${pid}/statm`)?.split(' ') ?? []
  return Number(pages) * PAGE_BYTES
}

const PAGE_BYTES = 4_096

function readOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
