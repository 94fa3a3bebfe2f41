import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { HOUR_MS, systemClock } from '../../platform/clock.ts'
import { randomToken, systemRandom } from '../../platform/random.ts'
import type { Expected } from './blobs.ts'
import { orUnavailable, requireExpected, sizeMismatch } from './checks.ts'

/** Where blobs arrive before they are whole. `~` is in no key, so no blob can be in the way. */
export const INCOMING = '~incoming'

export type Spooled = { path: string; size: number; sha256: string }
export type Spool = Awaited<ReturnType<typeof openSpool>>

export async function openSpool(folder: string) {
  const incoming = join(folder, INCOMING)
  await mkdir(incoming, { recursive: true })
  await removeOrphans(incoming)
  // Again later, because what a process left that was started anew at once is still recent.
  const tidying = setInterval(() => void removeOrphans(incoming).catch(() => {}), ORPHAN_AFTER_MS).unref()

  return {
    /** The whole body as a synced file that now belongs to the caller; nothing stays when it does not get that far. */
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

    /** Throws `service_unavailable` while nothing can arrive. */
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
  // When the failure is ours the body stays open: it may be a request whose connection still has to carry the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
}

/** Longer than an upload and its way to S3 may take together. */
const ORPHAN_AFTER_MS = HOUR_MS

/** What a killed process left. A file still being written by another process (a restart that overlaps) is recent. */
async function removeOrphans(incoming: string) {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const file = await stat(path).catch(() => undefined)
    // The machine's time on purpose: it is what the file system wrote.
    if (file && file.mtimeMs + ORPHAN_AFTER_MS <= systemClock.now().getTime()) await rm(path, { force: true })
  }
}
