import type { DeployedFile } from '@svc/contract/hosting'

import { namesWithHash } from './hashed-names.ts'

/** A file of a replaced version that is served until this time, so that pages that are open during an activation can load it. */
export type RetainedFile = DeployedFile & { until: string }

const RETAINED_FILES_MAX = 10_000

type Activation = { last: readonly DeployedFile[]; next: readonly DeployedFile[]; until: string }

/** Only files with a hash of their content in the name are retained, so that two versions are never mixed. The newest first. */
export function retainedAfterActivation(
  before: readonly RetainedFile[],
  { last, next, until }: Activation,
): RetainedFile[] {
  const hashed = namesWithHash(last.map(({ path }) => path))
  const leaving = last.filter(({ path }) => hashed.has(path)).map((file) => ({ ...file, until }))
  const taken = new Set(next.map(({ path }) => path))
  const kept = new Map([...leaving, ...before].toReversed().map((file) => [file.path, file]))
  return [...kept.values()]
    .toReversed()
    .filter(({ path }) => !taken.has(path))
    .slice(0, RETAINED_FILES_MAX)
}

/** The files of the stored text that are still served. */
export const keptIn = (text: string | undefined, now: string): RetainedFile[] =>
  (JSON.parse(text ?? '[]') as RetainedFile[]).filter(({ until }) => until > now)
