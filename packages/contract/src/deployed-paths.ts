import { LIMITS } from './limits.ts'
import { type Problem, problem } from './problems.ts'

/** The rules of a deployment's paths, which no schema can say. */

/** Why no file can be served at a path; undefined for a good one. */
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
 * HST-09: answered by the service on every hosted app, whatever was deployed. One that ends with a slash is a folder; the other ones
 * begin a name.
 */
export const RESERVED_PATHS = ['.auth/', '.card', '.fn/', '.share/', '.svc/'] as const
export type ReservedPath = (typeof RESERVED_PATHS)[number]

export const isReserved = (path: string): boolean =>
  path.startsWith('.') && RESERVED_PATHS.some((reserved) => `${path}/`.startsWith(reserved))

/** Every problem of the paths of a deployment, as it was sent: whatever is no list of files has none here. */
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
