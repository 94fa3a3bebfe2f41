import { type Problem, problemsOf } from '@svc/contract/problems'
import type { TLocalizedValidationError } from 'typebox/error'

export type Bounds = {
  /** As many as a person reads; what is hostile must not be answered with megabytes. */
  problemsMax: number
  /** More than any list may have. */
  itemsMax: number
}

/**
 * What is wrong with a value that does not fit. A validator looks at every item even of a list that is refused for its length, which
 * takes 27 ms for 64 KiB: so only at the beginning of such a list, unless nothing is wrong with that.
 */
export function firstProblems(
  validator: { Errors(value: unknown): readonly TLocalizedValidationError[] },
  value: unknown,
  { problemsMax, itemsMax }: Bounds,
): Problem[] {
  const errors = validator.Errors(withShortLists(value, itemsMax))
  return problemsOf(errors.length > 0 ? errors : validator.Errors(value)).slice(0, problemsMax)
}

function withShortLists(value: unknown, itemsMax: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, itemsMax)
  const entries = Object.entries(value as Record<string, unknown>)
  return Object.fromEntries(
    entries.map(([name, item]) => [name, Array.isArray(item) ? item.slice(0, itemsMax) : item]),
  )
}
