import { openS3, type S3Credentials } from '../../../engines/blobs/s3.ts'
import { createByteReader } from '../archive/byte-reader.ts'
import { WAL_FOLDER } from './names.ts'
import type { Stored, WalStore } from './store.ts'

/** Streams are stored as objects of this size, `<name>/000001` and so on. */
const OBJECT_BYTES = 16 * 1024 * 1024
const OBJECT = /\/\d{6}$/

/** A store in a bucket of S3. */
export async function openBucketStore(url: string, credentials: S3Credentials): Promise<WalStore> {
  const bucket = await openS3(url, credentials, undefined)
  const keyOf = (name: string) => `${WAL_FOLDER}/${name}`
  const objectOf = (name: string, number: number) => `${keyOf(name)}/${String(number).padStart(6, '0')}`

  return {
    async put(name, content) {
      if (content instanceof Uint8Array) return void (await bucket.put(keyOf(name), Buffer.from(content)))
      const reader = createByteReader(content as AsyncIterable<Buffer>)
      try {
        for (let number = 1; ; number++) {
          const bytes = await reader.upTo(OBJECT_BYTES)
          if (bytes.length === 0) return
          await bucket.put(objectOf(name, number), bytes)
        }
      } finally {
        await reader.end()
      }
    },

    async list(prefix) {
      const bytesByName = new Map<string, number>()
      for await (const { key, size } of bucket.listSizes(keyOf(prefix))) {
        const name = key.slice(WAL_FOLDER.length + 1).replace(OBJECT, '')
        bytesByName.set(name, (bytesByName.get(name) ?? 0) + size)
      }
      const stored = Array.from(bytesByName, ([name, bytes]): Stored => ({ name, bytes }))
      return stored.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    },

    async *get(name) {
      const whole = await bucket.open(keyOf(name))
      if (whole) return yield* whole.stream as AsyncIterable<Uint8Array>
      for (let number = 1; ; number++) {
        const object = await bucket.open(objectOf(name, number))
        if (!object && number === 1) throw new Error(`${name} is missing at SVC_BACKUP_URL.`)
        if (!object) return
        yield* object.stream as AsyncIterable<Uint8Array>
      }
    },

    async remove(name) {
      for await (const key of bucket.list(keyOf(name)))
        if (key === keyOf(name) || key.replace(OBJECT, '') === keyOf(name)) await bucket.remove(key)
    },

    close: () => bucket.close(),
  }
}
