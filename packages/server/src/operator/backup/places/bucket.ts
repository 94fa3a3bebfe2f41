import type { Blobs } from '../../../engines/blobs/blobs.ts'
import { openS3, type S3Credentials } from '../../../engines/blobs/s3.ts'
import { type Clock, DAY_MS, millisecondsOf } from '../../../platform/clock.ts'
import { createByteReader } from '../archive/byte-reader.ts'
import { newestFirst, type Place, type Report, type Stored, timeIn } from './place.ts'

/**
 * A backup is stored as objects of this size, `<name>/000001` and so on: nothing is stored on the disk before, a retry sends one object
 * again, and no backup is too large for one upload. The objects, one after the other, are the backup.
 */
const OBJECT_BYTES = 16 * 1024 * 1024
/** Written last: without it a backup is incomplete. */
const INDEX = '.json'
const INDEX_BYTES_MAX = 1024 * 1024
/** No backup takes longer: objects without an index that are older belong to a process that was killed. */
const INCOMPLETE_AFTER_MS = DAY_MS

type Index = { bytes: number; objects: number; report: Report | null }

/** Backups in a bucket of S3. */
export async function openBucketPlace(url: string, credentials: S3Credentials, clock: Clock): Promise<Place> {
  const bucket = await openS3(url, credentials, undefined)
  const indexes = new Map<string, Index>()

  async function readIndex(name: string): Promise<Index | undefined> {
    const known = indexes.get(name)
    if (known) return known
    const text = await textOf(bucket, name + INDEX)
    if (text === undefined) return undefined
    const index = JSON.parse(text) as Index
    indexes.set(name, index)
    return index
  }

  async function writeIndex(name: string, index: Index) {
    await bucket.put(name + INDEX, Buffer.from(JSON.stringify(index)))
    indexes.set(name, index)
  }

  /** Names of backups, and the keys of their objects. */
  async function listKeys() {
    const found = new Map<string, { keys: string[]; isComplete: boolean }>()
    for await (const key of bucket.list('svc-')) {
      const isIndex = !key.includes('/') && key.endsWith(INDEX)
      const name = isIndex ? key.slice(0, -INDEX.length) : key.slice(0, key.indexOf('/'))
      if (timeIn(name) === undefined) continue
      const entry = found.get(name) ?? { keys: [], isComplete: false }
      entry.keys.push(key)
      entry.isComplete ||= isIndex
      found.set(name, entry)
    }
    return found
  }

  async function removeKeys(keys: readonly string[]) {
    // The index first: a backup without it does not count.
    for (const key of keys.toSorted((a, b) => Number(b.endsWith(INDEX)) - Number(a.endsWith(INDEX))))
      await bucket.remove(key)
  }

  return {
    where: 's3',

    async list() {
      const stored: Stored[] = []
      for (const [name, { isComplete }] of await listKeys()) {
        const index = isComplete ? await readIndex(name) : undefined
        if (!index) continue
        stored.push({
          name,
          createdAt: timeIn(name) ?? '',
          bytes: index.bytes,
          report: index.report ?? undefined,
        })
      }
      return stored.toSorted(newestFirst)
    },

    draftOf: () => undefined,

    async write(name, bytes) {
      const reader = createByteReader(bytes)
      let [total, objects] = [0, 0]
      try {
        for (;;) {
          const content = await reader.upTo(OBJECT_BYTES)
          if (content.length === 0) break
          objects++
          total += content.length
          await bucket.put(objectKey(name, objects), content)
        }
      } catch (error) {
        for (let number = 1; number <= objects; number++)
          await bucket.remove(objectKey(name, number)).catch(() => {})
        throw error
      } finally {
        await reader.end()
      }
      await writeIndex(name, { bytes: total, objects, report: null })
      return total
    },

    async report(name, report) {
      const index = await readIndex(name)
      if (index) await writeIndex(name, { ...index, report })
    },

    async *read(name) {
      const index = await readIndex(name)
      if (!index) throw new Error(`There is no backup ${name} at SVC_BACKUP_URL.`)
      for (let number = 1; number <= index.objects; number++) {
        const object = await bucket.open(objectKey(name, number))
        if (!object) throw new Error(`it is damaged: object ${number} of ${index.objects} is missing`)
        yield* object.stream as AsyncIterable<Buffer>
      }
    },

    async remove(name) {
      indexes.delete(name)
      await removeKeys((await listKeys()).get(name)?.keys ?? [])
    },

    async removeIncomplete() {
      const before = millisecondsOf(clock) - INCOMPLETE_AFTER_MS
      for (const [name, { keys, isComplete }] of await listKeys())
        if (!isComplete && Date.parse(timeIn(name) ?? '') < before) await removeKeys(keys)
    },

    [Symbol.asyncDispose]: () => bucket.close(),
  }
}

const objectKey = (name: string, number: number) => `${name}/${String(number).padStart(6, '0')}`

async function textOf(bucket: Blobs, key: string): Promise<string | undefined> {
  const object = await bucket.open(key)
  if (!object) return undefined
  if (object.size > INDEX_BYTES_MAX) {
    object.stream.destroy()
    return undefined
  }
  return Buffer.concat(await object.stream.toArray()).toString('utf8')
}
