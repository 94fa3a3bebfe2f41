import { type Problem, PROBLEMS_MAX } from '@svc/contract/common/problems'
import { closest, fieldPath, quoted } from '@svc/contract/config/shape'
import type { TSchema } from 'typebox'

/**
 * Rejects unknown query fields of a call that changes something: `?dryrun=true` in place of `dryRun` must not push. A call that
 * only reads ignores unknown fields, so that links with added parameters work.
 */
export function unknownFieldsOf(query: TSchema | undefined) {
  const known = Object.keys((query as { properties?: object } | undefined)?.properties ?? {})

  return (input: Record<string, unknown>): Problem[] | undefined => {
    let unknown: string[] | undefined
    for (const name in input) if (!known.includes(name)) (unknown ??= []).push(name)
    return unknown?.slice(0, PROBLEMS_MAX).map((name) => ({
      path: fieldPath('$', name),
      message: `unknown query field ${quoted(name)}; ${advice(name, known)}`,
    }))
  }
}

function advice(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'this call has no query fields'
  const close = closest(name, known)
  return close === undefined ? `known here: ${known.join(', ')}` : `did you mean ${quoted(close)}?`
}
