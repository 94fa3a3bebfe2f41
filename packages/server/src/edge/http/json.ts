import { LIMITS } from '@svc/contract/limits'

import { ApiError } from '../../platform/api-error.ts'

const DEPTH_MAX = LIMITS.jsonDepthMax
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * One policy for both databases (RELIABILITY 1.10): what one engine would refuse or change is refused here, whatever engine runs.
 * PostgreSQL cannot store U+0000 or lone surrogates, `1e400` would come back as null, and deep nesting is only ever an attack.
 */
export function parseJson(bytes: Buffer): { text: string; value: unknown } {
  const parsed = parse(bytes)
  if (mayHoldTrouble(parsed.text)) check(parsed.value, 1)
  return parsed
}

/** An escaped character, the name or an exponent of two digits; a number of so many digits that one more could be too large. */
const TRACES = [/\\u|__proto__|[eE]\+?\d\d/, /\d{300}/]

/**
 * Whether there is anything that `check` could refuse: it would have left a trace in the text. Nearly no text has one, and to look
 * at every value of a small save costs more than to parse it: 7 µs, at its text 1.3.
 */
const mayHoldTrouble = (text: string): boolean =>
  count(text, '{') + count(text, '[') > DEPTH_MAX || TRACES.some((trace) => trace.test(text))

function count(text: string, bracket: string): number {
  let found = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) found++
  return found
}

function parse(bytes: Buffer) {
  try {
    const text = strictUtf8.decode(bytes)
    return { text, value: JSON.parse(text) as unknown }
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'the body is not UTF-8'
    throw new ApiError('invalid_json', { reason }, { cause })
  }
}

function check(value: unknown, depth: number) {
  if (typeof value === 'string') return checkText(value)
  if (typeof value === 'number') return Number.isFinite(value) || refuse('a number is too large')
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH_MAX) refuse(`nested deeper than ${DEPTH_MAX} levels`)

  if (Array.isArray(value)) return value.forEach((item) => check(item, depth + 1))
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') refuse('a key named __proto__')
    checkText(key)
    check(item, depth + 1)
  }
}

function checkText(text: string) {
  if (text.includes('\0')) refuse('a string with the character U+0000')
  if (!text.isWellFormed()) refuse('a string with half of a surrogate pair')
}

function refuse(reason: string): never {
  throw new ApiError('invalid_json', { reason })
}
