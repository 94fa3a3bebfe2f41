import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'

import { endOf } from './frames.ts'
import type { Plan, StoredItem } from './history.ts'
import { nameOf } from './names.ts'
import { decodeSegment } from './segment.ts'
import type { WalStore } from './store.ts'

/** Writes the database of one moment to `file`, which must not exist. Throws if something of it is missing or was changed. */
export async function replay(store: WalStore, { snapshot, segments }: Plan, file: string): Promise<void> {
  await unpackSnapshot(store, snapshot, file)
  for (const ofRun of Map.groupBy(segments, ({ run }) => run).values()) {
    const bytes = await writeLog(store, ofRun, `${file}-wal`)
    applyLog(file, bytes, ofRun)
  }
  await using written = await open(file)
  await written.sync()
}

async function unpackSnapshot(store: WalStore, snapshot: StoredItem, file: string) {
  const described = JSON.parse(await text(store.get(nameOf({ ...snapshot, kind: 'json' })))) as Record<
    string,
    unknown
  >
  if (described['svcSnapshot'] !== 1) throw new Error(`${snapshot.name} was written by a newer version.`)
  await using output = await open(file, 'wx', 0o600)
  try {
    await pipeline(
      Readable.from(store.get(snapshot.name)),
      createZstdDecompress(),
      output.createWriteStream(),
    )
  } catch (error) {
    throw new Error(`${snapshot.name} is damaged.`, { cause: error })
  }
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  if (hash.digest('hex') !== described['sha256']) throw new Error(`${snapshot.name} is damaged.`)
}

/** Puts the segments of one run together. Returns the size. */
async function writeLog(store: WalStore, segments: readonly StoredItem[], path: string): Promise<number> {
  await using log = await open(path, 'wx', 0o600)
  let offset = 0
  let salts: string | undefined
  for (const { name, generation, number, run } of segments) {
    const segment = await decodeSegment(name, store.get(name))
    salts ??= segment.salts
    const isNext =
      segment.generation === generation &&
      segment.number === number &&
      segment.run === run &&
      segment.salts === salts &&
      segment.offset === offset
    if (!isNext) throw new Error(`${name} does not continue the segment before it.`)
    await log.write(segment.bytes, 0, segment.bytes.length, offset)
    offset += segment.bytes.length
  }
  return offset
}

/** SQLite verifies the checksum of every frame, and stops at the first wrong one. */
function applyLog(file: string, logBytes: number, segments: readonly StoredItem[]) {
  using database = new DatabaseSync(file)
  // Reading begins with the recovery of the log.
  database.exec('pragma synchronous = off; select count(*) from sqlite_schema')
  const frames = Number(database.prepare('pragma wal_checkpoint(noop)').get()?.['log'])
  const pageBytes = Number(database.prepare('pragma page_size').get()?.['page_size'])
  if (endOf(frames, pageBytes) !== logBytes)
    throw new Error(
      `The log in ${segments[0]?.name} to ${segments.at(-1)?.name} is damaged: only ${frames} frames of it are valid.`,
    )
  const result = database.prepare('pragma wal_checkpoint(truncate)').get()
  if (result?.['busy'] !== 0) throw new Error(`${file} is in use.`)
}
