import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/** The code of these files differs between the engines, so they run on both. */
const ON_BOTH = /\/engines\/|store[\w-]*\.test\.ts$/

/**
 * The whole suite on both engines takes twenty minutes on two cores. So most files run on one of them in each run of it, another one after
 * the next commit perhaps; `npm test -- --engines=both` and a run of single files take both.
 */
export function engineOf(file: string, commit: string): 'sqlite' | 'postgres' | undefined {
  if (ON_BOTH.test(file)) return undefined
  const [first = 0] = createHash('sha256').update(`${commit} ${file}`).digest()
  return first % 2 === 0 ? 'sqlite' : 'postgres'
}

/** Empty where there is no repository. */
export const currentCommit = (root: string): string =>
  spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
