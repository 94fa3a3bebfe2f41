import type { Change } from '@svc/contract/config/config'
import { fieldPath } from '@svc/contract/config/shape'

/** What differs between two JSON documents, by path; the order of keys does not count. `null` means a missing value. */
export function diff(before: unknown, after: unknown, path = '$'): Change[] {
  if (before === after) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    const longer = before.length > after.length ? before : after
    return longer.flatMap((_, index) => diff(before[index], after[index], `${path}[${index}]`))
  }
  if (isSection(before) && isSection(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => diff(before[key], after[key], fieldPath(path, key)))
  }
  return [{ path, before: before ?? null, after: after ?? null }]
}

type Section = Record<string, unknown>

const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const SHOWN_MAX = 50
const VALUE_LENGTH_MAX = 500

/** The part of a diff that history and audit store: a document may have two megabytes. */
export const shortened = (changes: Change[]) => ({
  changes: changes
    .slice(0, SHOWN_MAX)
    .map(({ path, before, after }) => ({ path, before: cut(before), after: cut(after) })),
  changeCount: changes.length,
})

function cut(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : value
}
