import { sha256 } from '../../platform/crypto.ts'
import { escapeInvisible } from '../../platform/text/invisible.ts'
import type { Subject } from './subjects.ts'

const SHOWN_LENGTH_MAX = 524_288
const TEXT_LENGTH_MAX = 16_384
/** Shorter texts are never shortened: the length and the hash are as long. */
const SHORT_LENGTH_MAX = 200
const VALUE_LENGTH_MAX = 100

/** The same for the same values in any order of members. An approval is bound to it. */
export const hashOfArguments = (tool: string, values: unknown): string =>
  sha256(JSON.stringify([tool, sorted(values)]))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  // A list of pairs, because an object cannot have every name in every place: `1` comes before `a`.
  return {
    members: Object.entries(value)
      .map(([name, member]) => [name, sorted(member)])
      .toSorted(byName),
  }
}

const byName = ([a]: unknown[], [b]: unknown[]) => (String(a) < String(b) ? -1 : 1)

/**
 * What the developer sees who decides, as JSON: everything, unless it is very large. Then of long texts the beginning, the length and the
 * hash, and of long lists the beginning and the length.
 */
export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= SHOWN_LENGTH_MAX) return text
  for (let max = TEXT_LENGTH_MAX; ;) {
    const cut = JSON.stringify(shortened(value, max))
    if (cut.length <= SHOWN_LENGTH_MAX || max === 0) return cut
    max = Math.floor((max * SHOWN_LENGTH_MAX) / (cut.length + 1))
  }
}

function shortened(value: unknown, max: number): unknown {
  if (typeof value === 'string' && value.length > max + SHORT_LENGTH_MAX)
    return `${beginningOf(value, max)}… (${value.length} characters, sha256 ${sha256(value)})`
  if (Array.isArray(value)) {
    const items = value.slice(0, max).map((item) => shortened(item, max))
    return value.length <= max ? items : [...items, `… (${value.length} entries)`]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member, max)]))
}

/** Databases cannot store half of a surrogate pair. */
const beginningOf = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** The call in one sentence, such as “Delete player Mira (ply_…) in development”. */
export function summaryOf(
  { sentence, target }: Pick<Subject, 'sentence' | 'target'>,
  environment: string,
): string {
  const words = sentence.map((text) =>
    text.length > VALUE_LENGTH_MAX ? `${beginningOf(text, VALUE_LENGTH_MAX)}…` : text,
  )
  const text = escapeInvisible(
    `${words.join('')}${target === undefined ? '' : ` (${target})`} in ${environment}`,
  )
  return text.charAt(0).toUpperCase() + text.slice(1)
}
