import { buffer } from 'node:stream/consumers'

import { LIMITS } from '@svc/contract/common/limits'

import { MINUTE_MS, type Monotonic, monotonicMs } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { CardFile, Drawing, InputFile } from './drawing.ts'
import type { Look } from './look.ts'
import type { Blobs, CurrentConfig, HostedFiles } from './ports.ts'

/** Returns the problem of a file; undefined if it can be used. */
type FileCheck = (bytes: Uint8Array) => string | undefined

type CardInputDeps = {
  blobs: Pick<Blobs, 'open'>
  files: HostedFiles
  config: CurrentConfig
  checks: Record<CardFile, FileCheck>
  now?: Monotonic
}
export type CardInputs = ReturnType<typeof createCardInputs>

const BYTES_MAX: Record<CardFile, number> = {
  background: LIMITS.shareBackgroundBytesMax,
  font: LIMITS.shareFontBytesMax,
}
const TOO_LARGE: Record<CardFile, string> = {
  background: 'is larger than 2 MB',
  font: 'is larger than 10 MB',
}
const CHECKED_MAX = 1_000
/** A problem that only the drawing finds may be one of the host. Another node may since have drawn the file. */
const FOUND_MS = 10 * MINUTE_MS
const CARD_FILES = ['background', 'font'] as const

/** Background and font of cards: deployed files, which may be missing, too large, or of another type than their name says. */
export function createCardInputs(deps: CardInputDeps) {
  const { blobs, files, config, checks, now = monotonicMs } = deps
  /** Known problems by kind and hash; the content of a hash never changes. */
  const checked = new Map<string, string | undefined>()
  /** Problems that the last drawing with a file has found, by kind and hash. */
  const found = new Map<string, { message: string; until: number }>()

  /** Null if the file was removed or is too large. The drawing leaves out files that it cannot use. */
  async function bytesOf(projectId: string, file: CardFile, sha256: string): Promise<Buffer | null> {
    const stored = await files.find(projectId, sha256)
    if (!stored || stored.size > BYTES_MAX[file]) return null
    const blob = await blobs.open(stored.key)
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
    const key = keyOf(file, deployed.sha256)
    const drawn = found.get(key)
    if (drawn && now() < drawn.until) return drawn.message
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

    /** Records the problems that a drawing found in its files, and removes those that it no longer found. */
    recordDrawing(look: Look, { isDrawn, problems }: Drawing): void {
      for (const file of CARD_FILES) {
        const sha256 = look[file]
        if (sha256 === null) continue
        const problem = problems.find((other) => other.file === file)
        const key = keyOf(file, sha256)
        if (problem)
          setBounded(found, key, { message: problem.message, until: now() + FOUND_MS }, CHECKED_MAX)
        else if (isDrawn) found.delete(key)
      }
    },

    /** The problems of `share.images`, for the list of features (SHR-09). */
    async problems(environment: Environment): Promise<string[]> {
      const { images } = (await config(environment.id)).config.share
      if (!images.enabled) return []
      const problems: string[] = []
      for (const file of CARD_FILES) {
        const path = images[file]
        const problem = path === undefined ? undefined : await problemOf(environment, file, path)
        if (problem !== undefined) problems.push(`share.images.${file}: ${path} ${problem}`)
      }
      return problems
    },
  }
}

const keyOf = (file: CardFile, sha256: string) => `${file}:${sha256}`
