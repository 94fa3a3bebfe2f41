import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

import { ApiError } from '../../platform/api-error.ts'
import type { Blobs, Expected, Range } from './blobs.ts'
import { codeOf, orUnavailable, requireKey, requirePrefix, requireRange } from './checks.ts'
import { INCOMING, openSpool } from './spool.ts'

/** With Node's default of 64 KiB a large file takes a third more CPU. */
const READ_BYTES = 256 * 1024
const FOLDERS_MAX = 10_000

/** A blob is the file of its key in `folder`. With several nodes, others may have folders of their own. */
export async function openFiles(folder: string, { hasOtherNodes = false } = {}): Promise<Blobs> {
  const spool = await openSpool(folder)
  await sync(dirname(folder))
  const pathOf = (key: string) => join(folder, requireKey(key))
  /** Folders that would still exist after a power cut. */
  const durable = new Set<string>()

  async function createFolder(path: string) {
    await mkdir(path, { recursive: true, mode: 0o700 })
    // Syncs every parent, because a concurrent put may have just created one of them.
    for (let parent = dirname(path); parent.length >= folder.length; parent = dirname(parent))
      await sync(parent)
    if (durable.size >= FOLDERS_MAX) durable.clear()
    durable.add(path)
  }

  /** Resolves when the file is durable under its new path. */
  async function move(from: string, to: string) {
    const parent = dirname(to)
    const isMoved = durable.has(parent) && (await present(rename(from, to).then(() => true)))
    if (!isMoved) {
      // The folder is new, or somebody removed it.
      await createFolder(parent)
      await rename(from, to)
    }
    await sync(parent)
  }

  return {
    engine: 'files',

    async put(key: string, body: Buffer | Readable, expected?: Expected) {
      const path = pathOf(key)
      const { path: arrived, size, sha256 } = await spool.take(body, expected)
      try {
        await move(arrived, path)
      } catch (error) {
        await rm(arrived, { force: true })
        throw orUnavailable(error)
      }
      return { size, sha256 }
    },

    async open(key: string, range?: Range) {
      const file = await present(open(pathOf(key)))
      if (!file) return undefined
      try {
        const { size } = await file.stat()
        if (range) requireRange(range, size)
        // With the end known, Node allocates no more than is left to read.
        const { start, end } = range ?? { start: 0, end: Math.max(0, size - 1) }
        return { size, stream: file.createReadStream({ start, end, highWaterMark: READ_BYTES }) }
      } catch (error) {
        await file.close()
        throw orUnavailable(error)
      }
    },

    missing: (what: string) =>
      hasOtherNodes
        ? new ApiError('service_unavailable', undefined, {
            message: `This node does not have ${what}: another node has stored it in its own data folder. The operator must set SVC_BLOBS_URL.`,
          })
        : new Error(`${what} is not in the blob store, or not all of it`),

    async stat(key: string) {
      const file = await present(stat(pathOf(key)))
      return file?.isFile() ? { size: file.size } : undefined
    },

    async remove(key: string) {
      const path = pathOf(key)
      await present(rm(path).then(() => sync(dirname(path))))
    },

    list: (prefix: string) => keysIn(folder, requirePrefix(prefix), folderOf(prefix)),

    ping: () => spool.requireWritable(),

    async close() {
      spool.close()
    },
  }
}

const folderOf = (prefix: string) => prefix.slice(0, prefix.lastIndexOf('/') + 1)

/** `parent` is empty or ends with a slash. */
async function* keysIn(folder: string, prefix: string, parent: string): AsyncGenerator<string> {
  const directory = await present(opendir(join(folder, parent)))
  if (!directory) return
  for await (const entry of directory) {
    const key = parent + entry.name
    if (entry.name === INCOMING) continue
    if (entry.isDirectory()) {
      if (`${key}/`.startsWith(prefix)) yield* keysIn(folder, prefix, `${key}/`)
    } else if (key.startsWith(prefix)) yield key
  }
}

/** Undefined if there is no such file. */
async function present<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined
    throw orUnavailable(error)
  }
}

/** A rename or a new folder is durable only after its parent directory is synced. */
async function sync(path: string) {
  await using directory = await open(path)
  await directory.sync()
}
