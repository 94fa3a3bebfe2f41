import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

import type { DeployedFile } from '@svc/contract/hosting'
import { LIMITS } from '@svc/contract/limits'

import { Failure } from './failure.ts'
import { inParallel } from './in-parallel.ts'
import { bytesText, shown } from './output.ts'

/** A file of the app: as the service is told of it, and where it is on this disk. */
export type SiteFile = DeployedFile & { source: string }
export type Site = { files: SiteFile[]; leftOut: string[] }

const HASHED_AT_ONCE = 8

/** What lies in a folder of an app by accident, or must never be public. */
const NEVER = /^(?:\.env.*|\.git|\.svc|\.DS_Store|node_modules|Thumbs\.db)$/

/** Every file under the folder, hashed. */
export async function readSite(folder: string, onHashed: (count: number) => void = () => {}): Promise<Site> {
  if (!existsSync(folder) || !(await stat(folder)).isDirectory()) {
    throw new Failure('failed', `There is no folder ${folder}.`, {
      fix: 'Name the one with index.html: svc deploy public',
    })
  }
  const leftOut: string[] = []
  const sources: string[] = []
  for await (const source of filesIn(folder, (path) => leftOut.push(relative(folder, path)))) {
    sources.push(source)
    if (sources.length > LIMITS.deployedFilesMax) {
      throw new Failure('failed', `${folder} has more than ${LIMITS.deployedFilesMax} files.`)
    }
  }
  if (sources.length === 0) throw new Failure('failed', `${folder} is empty.`)

  let hashed = 0
  const files = await inParallel(sources.toSorted(), HASHED_AT_ONCE, async (source) => {
    const file = await readFileFacts(folder, source)
    onHashed(++hashed)
    return file
  })
  return { files, leftOut }
}

/** Links are left out: what they lead to may be anywhere. */
async function* filesIn(folder: string, leaveOut: (path: string) => void): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (NEVER.test(entry.name) || entry.isSymbolicLink()) leaveOut(path)
    else if (entry.isDirectory()) yield* filesIn(path, leaveOut)
    else if (entry.isFile()) yield path
  }
}

async function readFileFacts(folder: string, source: string): Promise<SiteFile> {
  // Browsers ask for composed letters; some disks keep decomposed ones.
  const path = relative(folder, source).split(sep).join('/').normalize('NFC')
  const hash = createHash('sha256')
  let size = 0
  await pipeline(createReadStream(source), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
    }
  })
  if (size > LIMITS.blobBytesMax) {
    throw new Failure('failed', `${shown(path)} is larger than ${bytesText(LIMITS.blobBytesMax)}.`)
  }
  return { path, sha256: hash.digest('hex'), size, source }
}

export type FileChanges = { added: string[]; changed: string[]; removed: string[] }

export function filesBetween(before: readonly DeployedFile[], after: readonly DeployedFile[]): FileChanges {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]))
  const now = new Set(after.map(({ path }) => path))
  return {
    added: after.filter(({ path }) => !old.has(path)).map(({ path }) => path),
    changed: after
      .filter(({ path, sha256 }) => old.has(path) && old.get(path) !== sha256)
      .map(({ path }) => path),
    removed: before.filter(({ path }) => !now.has(path)).map(({ path }) => path),
  }
}
