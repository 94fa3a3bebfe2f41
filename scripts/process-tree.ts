import { readdirSync, readFileSync } from 'node:fs'

/**
 * Kills a process and everything that it has started, also browsers and servers in groups of their own. The children are listed first,
 * because those of a killed process lose their parent. Without `/proc` only the process itself is killed.
 */
export function killTree(pid: number): void {
  signalTree(pid, 'SIGKILL')
}

/** SIGSTOP freezes a server with all its processes, SIGCONT thaws it. */
export function signalTree(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  const all = [pid, ...descendantsOf(pid)]
  for (const each of all)
    try {
      process.kill(each, signal)
    } catch {
      // It has already ended.
    }
}

function descendantsOf(pid: number): number[] {
  const parents = new Map(runningProcesses().map((each) => [each, parentOf(each)]))
  const found = [pid]
  for (const parent of found)
    found.push(...[...parents].flatMap(([child, of]) => (of === parent ? [child] : [])))
  return found.slice(1)
}

function runningProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The name of the program, in brackets, may contain anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(parent)
  } catch {
    return undefined
  }
}
