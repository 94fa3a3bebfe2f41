import { readdirSync, readFileSync } from 'node:fs'

/** All processes that this one has started, and theirs. */
export const descendantsOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && parentOf(each) === pid)
    .flatMap((child) => [child, ...descendantsOf(child)])

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readIn(pid, 'status'))?.[1] ?? 0)

export const commandLineOf = (pid: number): string => readIn(pid, 'cmdline').replaceAll('\0', ' ')

export const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readIn(pid, 'status'))?.[1] ?? 0) / 1_024

export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** Empty if the process has just ended. */
function readIn(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
