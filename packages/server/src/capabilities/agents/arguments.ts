import { sha256 } from '../../platform/crypto.ts'
import { escapeInvisible } from '../../platform/text/invisible.ts'

const TEXT_LENGTH_MAX = 2_000
const SHOWN_LENGTH_MAX = 64_000
const SUMMARY_LENGTH_MAX = 300

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

/** What the developer sees who decides. Of a long text the beginning, its length and its hash: nobody reads a megabyte. */
export function shownArguments(values: unknown): string {
  const text = JSON.stringify(shortened(values))
  return text.length <= SHOWN_LENGTH_MAX
    ? text
    : JSON.stringify(
        `${beginningOf(text, SHOWN_LENGTH_MAX)}… (${text.length} characters, sha256 ${sha256(text)})`,
      )
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > TEXT_LENGTH_MAX)
    return `${beginningOf(value, TEXT_LENGTH_MAX)}… (${value.length} characters, sha256 ${sha256(value)})`
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

/** Databases cannot store half of a surrogate pair. */
const beginningOf = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** The call in one line. */
export function summaryOf(tool: string, environment: string, values: unknown): string {
  const line = escapeInvisible(
    `${tool} in ${environment} ${JSON.stringify(values).slice(0, SHOWN_LENGTH_MAX)}`,
  )
  return line.length <= SUMMARY_LENGTH_MAX ? line : `${beginningOf(line, SUMMARY_LENGTH_MAX - 1)}…`
}
