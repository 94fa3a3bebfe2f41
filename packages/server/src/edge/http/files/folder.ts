import { readFile, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'

/** The bytes of a file below a folder; undefined if there is none. The same buffer until the file changes. */
export type Folder = (path: string) => Promise<Buffer | undefined>

/** Files of a folder on disk, kept in memory: only for folders of the service, whose size is known. */
export function openFolder(folder: string): Folder {
  const root = resolve(folder) + sep
  const cached = new Map<string, { content: Buffer; version: string }>()

  return async (path) => {
    if (path.includes('\0')) return undefined
    const file = resolve(root, path)
    if (!file.startsWith(root)) return undefined
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
