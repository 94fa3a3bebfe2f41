import { readFile, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/** The bytes of a file below a folder; undefined if there is none. A folder that caches returns the same buffer until the file changes. */
export type Folder = (path: string) => Promise<Buffer | undefined>

/** Files of a folder on disk, kept in memory: only for folders of the service, whose size is known. */
export function openFolder(folder: string): Folder {
  const fileOf = pathsBelow(folder)
  const cached = new Map<string, { content: Buffer; version: string }>()

  return async (path) => {
    const file = fileOf(path)
    if (file === undefined) return undefined
    try {
      const { mtimeMs, size } = await stat(file)
      const version = `${mtimeMs} ${size}`
      const known = cached.get(file)
      if (known?.version === version) return known.content
      const content = await readFile(file)
      cached.set(file, { content, version })
      return content
    } catch {
      cached.delete(file)
      return undefined
    }
  }
}

/** The same for files that are seldom requested, and large together: each request reads the disk. */
export function openUncachedFolder(folder: string): Folder {
  const fileOf = pathsBelow(folder)
  return async (path) => {
    const file = fileOf(path)
    return file === undefined ? undefined : readFile(file).catch(() => undefined)
  }
}

function pathsBelow(folder: string): (path: string) => string | undefined {
  const root = resolve(folder) + sep
  return (path) => {
    if (path.includes('\0')) return undefined
    const file = resolve(root, path)
    return file.startsWith(root) ? file : undefined
  }
}
