import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds on the CPU of the thread that runs all JavaScript. Undefined if the process has ended. */
export const mainThreadNs = (pid: number): number | undefined => threadNs(pid, String(pid))

/** The same, and the nanoseconds for which that thread could run but waited for a CPU. */
export function mainThreadTimes(pid: number): { usedNs: number; waitedNs: number } | undefined {
  const [used, waited] = readOf(`/proc/${pid}/task/${pid}/schedstat`)?.split(' ') ?? []
  return used === undefined ? undefined : { usedNs: Number(used), waitedNs: Number(waited ?? 0) }
}

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

/** Whether the thread that runs all JavaScript has nothing to do. One that waits for a CPU or a disk has. */
export function isAsleep(pid: number): boolean {
  const text = readOf(`/proc/${pid}/task/${pid}/stat`) ?? ''
  // The state follows the name of the program, which may contain any character.
  return text.startsWith(' S ', text.lastIndexOf(')') + 1)
}

/** Memory of this process alone, also what is swapped out, without the program's file, which all processes share. */
export function privateBytes(pid: number): number {
  const lines = (readOf(`/proc/${pid}/status`) ?? '').matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+)/gm)
  return [...lines].reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0)
}

function readOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
