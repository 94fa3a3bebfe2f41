import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

import { INCOMING } from '../../../engines/blobs/spool.ts'
import { namedBodies } from '../../../engines/functions/workerd/data/named-bodies.ts'
import { systemRandom } from '../../../platform/random.ts'
import { keyIdOf, parseSecretKeys } from '../../../platform/security/vault.ts'
import { VERSION } from '../../../version.ts'
import { backupKeysOf, type BackupSettings } from '../settings.ts'
import { createStaging } from '../staging.ts'
import { withChecksum } from './checksum.ts'
import type { DatabaseFacts } from './database-facts.ts'
import { snapshotDatabase } from './database.ts'
import { copyFunctions, filesIn } from './functions-data.ts'
import { MANIFEST, type Manifest, newManifest } from './manifest.ts'
import { seal } from './seal.ts'
import { pack, type PackedFile } from './tar.ts'

const SECRET_KEY = 'secret.key'
const BLOBS = 'blobs'
const FUNCTIONS = 'functions'
const READ_BYTES = 1024 * 1024
const NAMED_MAX = 3

type Writing = {
  createdAt: string
  /** Stores the bytes of the archive. */
  write(bytes: AsyncIterable<Buffer>): Promise<number>
  /** Where `write` writes first: if this process is killed, the next backup removes it. */
  draft?: string
}

/** Writes one archive. Returns its manifest, and whether a file was lost that another attempt may still find. */
export async function writeArchive(
  settings: BackupSettings,
  { createdAt, write, draft }: Writing,
): Promise<{ manifest: Manifest; bytes: number; isLacking: boolean }> {
  const { dataDir, blobs, functions } = settings
  await using prepared = await createStaging(dataDir, draft)
  const staging = prepared.folder
  // Copies files after the database, so that every file that the copy refers to exists.
  const database = await snapshotDatabase(settings, staging)
  const damaged = existsSync(functions.folder)
    ? await copyFunctions(functions.folder, join(staging, FUNCTIONS))
    : []
  const hasBlobs = blobs.url === undefined
  const expected = hasBlobs ? expectedBlobs(database, join(staging, FUNCTIONS)) : new Map<string, string>()
  const keys = backupKeysOf(settings)
  const manifest = newManifest({
    version: VERSION,
    engine: database.engine,
    schema: database.schema,
    oldestVersion: database.oldestVersion,
    installation: database.installation,
    createdAt,
    secretKeyId: await secretKeyIdOf(settings),
    hasBlobs,
    tables: database.tables,
  })
  let isLacking = false

  async function* files(): AsyncGenerator<PackedFile> {
    const record = recorder(manifest)
    yield* record(database.file, join(staging, database.file))
    for await (const path of filesIn(join(staging, FUNCTIONS))) yield* record(relative(staging, path), path)
    if (hasBlobs)
      for await (const path of filesIn(join(dataDir, BLOBS), INCOMING))
        yield* record(relative(dataDir, path), path)
    if (keys && settings.secretKey === undefined) yield* record(SECRET_KEY, join(dataDir, SECRET_KEY))

    for (const name of Object.keys(manifest.files)) expected.delete(name)
    isLacking = expected.size > 0
    manifest.missing = missingIn(damaged, expected)
    const content = Buffer.from(JSON.stringify(manifest))
    yield { name: MANIFEST, bytes: content.length, content: once(content) }
  }

  const plain = withChecksum(pack(files()))
  const bytes = await write(keys ? seal(plain, keys.current, systemRandom) : plain)
  return { manifest, bytes, isLacking }
}

/** The files that the database and the files of functions refer to, with a name for people. */
function expectedBlobs({ blobKeys }: DatabaseFacts, functions: string): Map<string, string> {
  const expected = new Map(blobKeys.map((key) => [`${BLOBS}/${key}`, `the hosted file ${key}`]))
  for (const { blob, dataId, key } of namedBodies(functions))
    expected.set(`${BLOBS}/${blob}`, `${key} in ${dataId}`)
  return expected
}

function missingIn(damaged: readonly string[], lost: ReadonlyMap<string, string>): string[] {
  const names = [...new Set(lost.values())]
  return [
    ...damaged.map(
      (name) =>
        `The database of functions ${FUNCTIONS}/${name} is damaged; its bytes were copied as they are.`,
    ),
    ...(names.length === 0
      ? []
      : [
          `The content of ${names.length} ${names.length === 1 ? 'file' : 'files'} is missing in ${BLOBS}/, for example ${names
            .slice(0, NAMED_MAX)
            .join(', ')}.`,
        ]),
  ]
}

/** Files with their facts in the manifest. A file that does not exist, or no longer, is left out. */
const recorder = (manifest: Manifest) =>
  async function* (name: string, path: string): AsyncGenerator<PackedFile> {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (!file) return
    try {
      const { size: bytes } = await file.stat()
      const hash = createHash('sha256')
      yield { name, bytes, content: hashed(file, bytes, hash) }
      manifest.files[name] = { bytes, sha256: hash.digest('hex') }
    } finally {
      await file.close()
    }
  }

async function* hashed(file: FileHandle, bytes: number, hash: ReturnType<typeof createHash>) {
  for (let at = 0; at < bytes;) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, bytes - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    const read = chunk.subarray(0, bytesRead)
    hash.update(read)
    yield read
  }
}

async function* once(content: Buffer) {
  yield content
}

async function secretKeyIdOf({ secretKey, dataDir }: BackupSettings): Promise<string | null> {
  const text = secretKey ?? (await readFile(join(dataDir, SECRET_KEY), 'utf8').catch(() => ''))
  const keys = parseSecretKeys(text)
  return keys ? keyIdOf(keys.current) : null
}
