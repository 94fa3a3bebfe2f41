import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { HOUR_MS, systemClock } from '../../platform/clock.ts'
import { randomToken, systemRandom } from '../../platform/random.ts'
import type { Expected } from './blobs.ts'
import { orUnavailable, requireExpected, sizeMismatch } from './checks.ts'

/** Folder for incomplete uploads. Keys never contain `~`, so no blob has this name. */
export const INCOMING = '~incoming'

export type Spooled = { path: string; size: number; sha256: string }
export type Spool = Awaited<ReturnType<typeof openSpool>>

export async function openSpool(folder: string) {
  const incoming = join(folder, INCOMING)
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await removeOrphans(incoming)
  // Runs again later: files that a process left just before a restart are still recent at the start.
  const tidying = setInterval(() => void removeOrphans(incoming).catch(() => {}), ORPHAN_AFTER_MS).unref()

  return {
    /** Returns the whole body as a synced file, which the caller then owns; on an error no file remains. */
    async take(body: Buffer | Readable, expected: Expected = {}): Promise<Spooled> {
      const path = join(incoming, randomToken(systemRandom))
      try {
        const written = await write(path, body, expected)
        requireExpected(written, expected)
        return { path, ...written }
      } catch (error) {
        await rm(path, { force: true })
        throw orUnavailable(error)
      }
    },

    /** Throws `service_unavailable` if no upload can be stored. */
    async requireWritable(): Promise<void> {
      const { path } = await this.take(Buffer.from('ready'))
      await rm(path, { force: true })
    },

    close: () => clearInterval(tidying),
  }
}

async function write(path: string, body: Buffer | Readable, { size: sizeMax = Infinity }: Expected) {
  const hash = createHash('sha256')
  let size = 0

  await using file = await open(path, 'wx')
  for await (const chunk of chunksOf(body)) {
    size += chunk.length
    if (size > sizeMax) throw sizeMismatch(sizeMax)
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  await file.sync()
  return { size, sha256: hash.digest('hex') }
}

async function* chunksOf(body: Buffer | Readable): AsyncIterable<Buffer> {
  if (Buffer.isBuffer(body)) return yield body
  // If the service fails, the body stays open: it may be a request, and the response is sent on its connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
}

/** Longer than an upload and its transfer to S3 may take together. */
const ORPHAN_AFTER_MS = HOUR_MS

/** Files that a killed process left. A file that another process still writes (overlapping restart) is recent. */
async function removeOrphans(incoming: string) {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const file = await stat(path).catch(() => undefined)
    // Uses the machine's clock on purpose: the file system does, too.
    if (file && file.mtimeMs + ORPHAN_AFTER_MS <= systemClock.now().getTime()) await rm(path, { force: true })
  }
}
