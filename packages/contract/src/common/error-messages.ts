import { type ErrorCode, ERRORS } from './errors.ts'

/**
 * Messages of errors, with the values of their details. In `ERRORS`, `{name}` is a value of the details; a part in square brackets is
 * left out if the details do not have its value.
 */

type Details = Readonly<Record<string, unknown>> | undefined

/** The message of an error with these details. A value may be of a player or of developers' code, so it is bounded and escaped. */
export const messageOf = (code: ErrorCode, details?: Details): string =>
  ERRORS[code].message.replaceAll(/\[([^\]]*)\]/g, (_, part: string) => {
    const values = placeholdersOf(part).map((name) => textOf(details?.[name]))
    return values.includes(undefined) ? '' : part.replaceAll(PLACEHOLDER, () => values.shift() ?? '')
  })

/** The message as documentation shows it: `{limit}` stands for the value. */
export const messageTemplateOf = (code: ErrorCode): string => ERRORS[code].message.replaceAll(/[[\]]/g, '')

const PLACEHOLDER = /\{(\w+)\}/g
const placeholdersOf = (text: string) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)

const LENGTH_MAX = 200
const LISTED_MAX = 3

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value === '' ? undefined : printable(value)
  if (!Array.isArray(value) || value.length === 0) return undefined
  const texts = value.slice(0, LISTED_MAX).map((one) => textOf(typeof one === 'object' ? one?.message : one))
  const more = value.length > LISTED_MAX ? `; ${value.length - LISTED_MAX} more` : ''
  return texts.includes(undefined) ? undefined : texts.join('; ').slice(0, LISTED_MAX * LENGTH_MAX) + more
}

/** Characters that a terminal would obey, or that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

function printable(value: string): string {
  const text = value.slice(0, 2 * LENGTH_MAX)
  const characters = Array.from(text.replaceAll(INVISIBLE, '\ufffd'))
  const isWhole = text === value && characters.length <= LENGTH_MAX
  return isWhole ? characters.join('') : `${characters.slice(0, LENGTH_MAX - 1).join('')}…`
}
