import type { DeployedFile } from '@svc/contract/hosting'

import { namesWithHash } from './hashed-names.ts'

/** A file of a version that was live before, served until then, so that pages which are open at an activation find their parts. */
export type RetainedFile = DeployedFile & { until: string }

const RETAINED_FILES_MAX = 10_000

type Activation = { last: readonly DeployedFile[]; next: readonly DeployedFile[]; until: string }

/** Only what holds its content's hash in its name is kept, so that two versions are never mixed. The newest first. */
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

/** Those of the stored text that are served still. */
export const keptIn = (text: string | undefined, now: string): RetainedFile[] =>
  (JSON.parse(text ?? '[]') as RetainedFile[]).filter(({ until }) => until > now)
