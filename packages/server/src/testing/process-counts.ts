import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Open sockets of a process. */
export const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((name) => isSocket(`/proc/${pid}/fd/${name}`)).length

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:')
  } catch {
    // It was closed meanwhile.
    return false
  }
}

/** How many processes were started by a process, and by those. */
export function descendantsOf(pid: number): number {
  const children = childrenOf(pid)
  return children.reduce((sum, child) => sum + descendantsOf(child), children.length)
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended meanwhile.
    return []
  }
}
