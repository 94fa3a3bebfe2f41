import { buffer } from 'node:stream/consumers'

import { LIMITS } from '@svc/contract/limits'

import { setBounded } from '../../platform/bounded-map.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Blobs, CurrentConfig, HostedFiles } from './ports.ts'

/** Returns the problem of a file; undefined if it can be used. */
export type FileCheck = (bytes: Uint8Array) => string | undefined

export type CardInputDeps = {
  blobs: Pick<Blobs, 'open'>
  files: HostedFiles
  config: CurrentConfig
  checks: Record<CardFile, FileCheck>
}
export type CardInputs = ReturnType<typeof createCardInputs>

/** The files of a deployment that a card can use. */
export type CardFile = 'background' | 'font'
/** A file of a card, which is read only if the drawing needs it. `read` returns null if it was removed. */
export type InputFile = { sha256: string; read(): Promise<Uint8Array | null> }

const BYTES_MAX: Record<CardFile, number> = {
  background: LIMITS.shareBackgroundBytesMax,
  font: LIMITS.shareFontBytesMax,
}
const TOO_LARGE: Record<CardFile, string> = {
  background: 'is larger than 2 MB',
  font: 'is larger than 10 MB',
}
const CHECKED_MAX = 1_000

/** Background and font of cards: deployed files, which may be missing, too large, or of another type than their name says. */
export function createCardInputs({ blobs, files, config, checks }: CardInputDeps) {
  /** Known problems by kind and hash; the content of a hash never changes. */
  const checked = new Map<string, string | undefined>()

  /** Null if the file was removed or is too large. The drawing leaves out files that it cannot use. */
  async function bytesOf(projectId: string, file: CardFile, sha256: string): Promise<Buffer | null> {
    const found = await files.find(projectId, sha256)
    if (!found || found.size > BYTES_MAX[file]) return null
    const blob = await blobs.open(found.key)
    return blob ? buffer(blob.stream) : null
  }

  async function problemOf(
    environment: Environment,
    file: CardFile,
    path: string,
  ): Promise<string | undefined> {
    const deployed = (await files.live(environment))?.get(path)
    if (!deployed) return 'is not in the live deployment'
    if (deployed.size > BYTES_MAX[file]) return TOO_LARGE[file]
    const key = `${file}:${deployed.sha256}`
    if (checked.has(key)) return checked.get(key)
    const bytes = await bytesOf(environment.projectId, file, deployed.sha256)
    if (!bytes) return undefined
    const problem = checks[file](bytes)
    setBounded(checked, key, problem, CHECKED_MAX)
    return problem
  }

  return {
    fileOf: (projectId: string, file: CardFile, sha256: string | null): InputFile | null =>
      sha256 === null ? null : { sha256, read: () => bytesOf(projectId, file, sha256) },

    /** Records a problem that the drawing found in a file. */
    recordProblem(file: CardFile, sha256: string | null, message: string): void {
      if (sha256 !== null) setBounded(checked, `${file}:${sha256}`, message, CHECKED_MAX)
    },

    /** The problems of `share.images`, for the list of features (SHR-09). */
    async problems(environment: Environment): Promise<string[]> {
      const { images } = (await config(environment.id)).config.share
      if (!images.enabled) return []
      const problems: string[] = []
      for (const file of ['background', 'font'] as const) {
        const path = images[file]
        const problem = path === undefined ? undefined : await problemOf(environment, file, path)
        if (problem !== undefined) problems.push(`share.images.${file}: ${path} ${problem}`)
      }
      return problems
    },
  }
}
