import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { LIMITS } from '@svc/contract/common/limits'
import type { DeployedFile } from '@svc/contract/hosting'

import { Failure } from '../output/failure.ts'
import { bytesText, printable } from '../output/output.ts'
import { CONFIG_FILE, PROJECT_FILE } from '../project/workspace.ts'
import { IGNORE_FILE, readIgnoreFiles } from './ignore-file.ts'
import { inParallel } from './in-parallel.ts'
import { createSecretSearch, isPrivateName } from './secrets.ts'

/** A file of the app: its entry in the deployment, and its path on this disk. */
export type SiteFile = DeployedFile & { source: string }
export type Site = { files: SiteFile[]; leftOut: string[] }

const HASH_CONCURRENCY = 8
/** Files of svc in a project folder that is deployed itself, as plain pages may be. */
const OF_PROJECT = new Set(['package.json', 'package-lock.json', '.gitignore', 'functions'])
const WRANGLER_FILES = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml']

type OnHashed = (count: number, total: number) => void

type SiteOptions = {
  /** The folder of the project: its .svcignore counts, too. */
  projectFolder: string
  /** The folder to suggest if this one cannot be deployed. */
  suggested(): string
  onHashed?: OnHashed
}

/** Lists and hashes every file in the folder. */
export async function readSite(
  folder: string,
  { projectFolder, suggested, onHashed = () => {} }: SiteOptions,
): Promise<Site> {
  const nameIt = () => ({ fix: `Deploy the folder that contains index.html: svc deploy ${suggested()}` })
  await requireSite(folder, nameIt)
  const leftOut: string[] = []
  const sources: string[] = []
  const isIgnored = readIgnoreFiles([projectFolder, folder])
  const isProject = [CONFIG_FILE, PROJECT_FILE].some((name) => existsSync(join(folder, name)))
  const isLeftOut = (path: string, isFolder: boolean) => {
    const name = relative(folder, path).split(sep).join('/')
    return (isProject && OF_PROJECT.has(name)) || isIgnored(name, isFolder)
  }
  for await (const source of filesIn(folder, isLeftOut, (path) => leftOut.push(relative(folder, path)))) {
    sources.push(source)
    if (sources.length > LIMITS.deployedFilesMax) {
      throw new Failure('failed', `${folder} has more than ${LIMITS.deployedFilesMax} files.`, {
        fix: 'Deploy the build output folder, not the source folder.',
      })
    }
  }
  if (sources.length === 0) throw new Failure('failed', `There is nothing to deploy in ${folder}.`, nameIt())

  let hashed = 0
  const withSecrets: string[] = []
  const files = await inParallel(sources.toSorted(), HASH_CONCURRENCY, async (source) => {
    const { hasSecret, ...file } = await readFileFacts(folder, source)
    if (hasSecret) withSecrets.push(file.path)
    onHashed(++hashed, sources.length)
    return file
  })
  refuseSecrets(withSecrets.toSorted())
  return { files, leftOut: leftOut.toSorted() }
}

async function requireSite(folder: string, nameIt: () => { fix: string }) {
  const found = await stat(folder).catch(() => undefined)
  if (!found) throw new Failure('failed', `There is no folder ${folder}.`, nameIt())
  if (!found.isDirectory()) throw new Failure('failed', `${folder} is a file, not a folder.`, nameIt())
  // Otherwise sources and other files would become public.
  if (existsSync(join(folder, CONFIG_FILE)) && !existsSync(join(folder, 'index.html')))
    throw new Failure(
      'failed',
      `${folder} is the project folder. Deploy the folder with the built app.`,
      nameIt(),
    )
}

/** Links are skipped: their targets may be outside of the folder. */
async function* filesIn(
  folder: string,
  isLeftOut: (path: string, isFolder: boolean) => boolean,
  leaveOut: (path: string) => void,
): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.name.includes('\ufffd') && !existsSync(path)) throw notUtf8(entry.name)
    if (NEVER_DEPLOYED.has(entry.name) || isPrivateName(entry.name)) leaveOut(path)
    else if (isLeftOut(path, entry.isDirectory())) leaveOut(path)
    else if (entry.isDirectory() && hasFunctions(path)) leaveOut(path)
    else if (entry.isDirectory()) yield* filesIn(path, isLeftOut, leaveOut)
    else if (entry.isFile()) yield path
    else leaveOut(path)
  }
}

const NEVER_DEPLOYED = new Set([CONFIG_FILE, IGNORE_FILE, ...WRANGLER_FILES])

/** Source code of functions, which `svc functions deploy` deploys. */
const hasFunctions = (folder: string) => WRANGLER_FILES.some((name) => existsSync(join(folder, name)))

/** The name is not UTF-8: decoded as text it is another name. */
const notUtf8 = (name: string) =>
  new Failure('failed', `The name of ${printable(name)} is not UTF-8.`, {
    fix: 'Rename it; browsers cannot request this name.',
  })

async function readFileFacts(folder: string, source: string): Promise<SiteFile & { hasSecret: boolean }> {
  // Browsers request composed characters; some disks store decomposed ones.
  const path = relative(folder, source).split(sep).join('/').normalize('NFC')
  const { size: expected } = await stat(source)
  if (expected > LIMITS.blobBytesMax) {
    throw new Failure(
      'failed',
      `${printable(path)} is larger than ${bytesText(LIMITS.blobBytesMax)}: ${bytesText(expected)}.`,
      { fix: 'Make it smaller, split it, or host it elsewhere.' },
    )
  }
  const hash = createHash('sha256')
  const search = createSecretSearch()
  let size = 0
  let hasSecret = false
  await pipeline(createReadStream(source), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      hasSecret = search(chunk)
    }
  })
  return { path, sha256: hash.digest('hex'), size, source, hasSecret }
}

function refuseSecrets(paths: readonly string[]) {
  if (paths.length === 0) return
  const names = printable(paths.join(', '))
  throw new Failure(
    'failed',
    `Found a secret key in ${names}. Anyone could read it there. Nothing was uploaded.`,
    {
      code: 'secret_in_files',
      fix: 'Remove the key. Hosted apps need no key; pages hosted elsewhere use the publishable key (pk_…).',
      details: { files: paths },
    },
  )
}

export type FileChanges = { added: string[]; changed: string[]; removed: string[] }

/** The differences between the files of two versions. */
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
