import { LIMITS } from './limits.ts'
import { type Problem, problem } from './problems.ts'

/** The rules of a deployment's paths that a schema cannot express. */

/** Why a path is invalid; undefined if it is valid. */
export function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed() || /\p{Cc}/u.test(path)) return 'must not contain control characters'
  if (path.includes('\\')) return 'must not contain a backslash; write / between folders'
  if (path !== path.normalize('NFC')) return 'must be in Unicode normal form C'
  const segments = path.split('/')
  if (segments.includes('')) return 'must be relative, without empty parts, like assets/app.js'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'must not contain . or ..'
  if (isReserved(path)) return `is reserved for the service, like ${RESERVED_PATHS.join(', ')}`
  return undefined
}

/**
 * HST-09: the service answers these paths on every hosted app, never a deployed file. A path that ends with a slash is a folder;
 * the others are prefixes of names.
 */
export const RESERVED_PATHS = ['.auth/', '.card', '.fn/', '.share/', '.svc/'] as const
/** One of the reserved paths. */
export type ReservedPath = (typeof RESERVED_PATHS)[number]

/** Whether the service itself answers this path, so that no deployed file may have it. `path` has no leading slash. */
export const isReserved = (path: string): boolean =>
  path.startsWith('.') && RESERVED_PATHS.some((reserved) => `${path}/`.startsWith(reserved))

/** Every problem of the paths in the body of a deployment. A body without a list of files has no problems here. */
export function* manifestProblems(body: unknown): Generator<Problem> {
  const { files } = (body ?? {}) as { files?: unknown }
  if (!Array.isArray(files)) return
  const seen = new Set<string>()
  for (const [index, file] of files.slice(0, LIMITS.deployedFilesMax).entries()) {
    const path: unknown = (file as { path?: unknown } | null)?.path
    if (typeof path !== 'string') continue
    const wrong = pathProblem(path) ?? (seen.has(path) ? 'occurs twice' : undefined)
    seen.add(path)
    if (wrong !== undefined) yield problem(`$.files[${index}].path`, wrong)
  }
}
