import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Where snapshots and segments are kept. Names are paths with `/`. */
export type WalStore = {
  /** Stores it completely or not at all, and durably when it resolves. */
  put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>
  /** All that begin with the prefix, sorted by name. */
  list(prefix: string): Promise<Stored[]>
  get(name: string): AsyncIterable<Uint8Array>
  /** Does nothing if there is no such name. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

export type Stored = { name: string; bytes: number }

const DRAFT = '.part'
const MIB = 1024 * 1024
/** Space that is left to the database: its log may have to grow. */
const FREE_BYTES_MIN = 64 * MIB

/** A full disk. Unlike a store that does not answer, it must not keep the log of the database. */
export class NoSpaceError extends Error {}

/** A store in a folder. */
export function createFolderStore(folder: string, { freeBytesMin = FREE_BYTES_MIN } = {}): WalStore {
  const pathOf = (name: string) => join(folder, name)

  async function requireSpace(bytes: number) {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < freeBytesMin + bytes)
      throw new NoSpaceError(`less than ${Math.round(freeBytesMin / MIB)} MB of ${folder} would stay free`)
  }

  async function write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>) {
    await using file = await open(path, 'w', 0o600)
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      await requireSpace(chunk.length)
      await file.writeFile(chunk)
    }
    await file.datasync()
  }

  return {
    async put(name, content) {
      const path = pathOf(name)
      const draft = `${path}${DRAFT}`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        await write(draft, content)
        await rename(draft, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {})
        // Only if it is empty: each attempt may be a generation of its own.
        await rmdir(dirname(path)).catch(() => {})
        throw hasNoSpace(error) ? new NoSpaceError(`${folder} is full`, { cause: error }) : error
      }
    },

    async list(prefix) {
      const found: Stored[] = []
      const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(ifPresent)
      for (const entry of entries ?? []) {
        const name = join(entry.parentPath, entry.name).slice(folder.length + 1)
        if (!entry.isFile() || name.endsWith(DRAFT) || !name.startsWith(prefix)) continue
        // A running service may remove it meanwhile.
        const size = (await stat(pathOf(name)).catch(ifPresent))?.size
        if (size !== undefined) found.push({ name, bytes: size })
      }
      return found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    },

    get: (name) => createReadStream(pathOf(name)),

    async remove(name) {
      await rm(pathOf(name), { force: true })
      // The folder of a generation goes with its last file.
      await rmdir(dirname(pathOf(name))).catch(() => {})
    },

    async close() {},
  }
}

async function syncFolder(path: string) {
  await using folder = await open(path)
  await folder.sync()
}

const hasNoSpace = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

function ifPresent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
