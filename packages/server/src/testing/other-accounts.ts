import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files that every other account of this machine could read or lock, and the sockets that it could open, in a folder that it may
 * enter.
 */
export function openToOthers(path: string): string[] {
  const found = lstatSync(path)
  const may = (bit: number) => (found.mode & bit) !== 0
  if (found.isSocket()) return may(0o002) ? [path] : []
  if (!found.isDirectory()) return may(0o006) ? [path] : []
  const own = may(0o006) ? [`${path}/`] : []
  // A name can be guessed, so a folder that cannot be listed can be open all the same.
  return may(0o001) ? [...own, ...readdirSync(path).flatMap((name) => openToOthers(join(path, name)))] : own
}
