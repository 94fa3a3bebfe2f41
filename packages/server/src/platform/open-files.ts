import { readFileSync } from 'node:fs'

/** How many file descriptors this process may have open, if the system says it. Node has raised the soft limit to the hard one at its start. */
export function openFilesMax(): number | undefined {
  try {
    const max = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return max === undefined ? undefined : Number(max)
  } catch {
    // Only Linux has this file.
    return undefined
  }
}
