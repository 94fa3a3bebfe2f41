import { LIMITS } from '@svc/contract/limits'
import { type Problem, problem } from '@svc/contract/problems'

import { ApiError } from '../../platform/api-error.ts'
import { hasMoreBrackets } from './depth.ts'

const DEPTH_MAX = LIMITS.jsonDepthMax
const PART_LENGTH_MAX = 64

const TOO_DEEP = `must not be nested deeper than ${DEPTH_MAX} levels`
const NOT_FINITE = 'must be a finite number'
const NUL = 'must not contain the character U+0000'
const HALF = 'must not contain half of a surrogate pair'

/**
 * Fields that the service reads may hold only what both databases store unchanged (RELIABILITY 1.10): PostgreSQL has neither U+0000
 * nor lone surrogates, `1e400` would become null, and deep nesting is only ever an attack. Throws `invalid_request` with the path.
 * `value` is what `text` was parsed to. Its member `carried` is not read and may hold anything.
 */
export function requireInterpretable(value: unknown, text: string, carried: string | undefined) {
  const found =
    carried !== undefined && isObject(value)
      ? problemBeside(value, carried)
      : mayHoldProblem(text)
        ? problemIn(value)
        : undefined
  if (found) throw new ApiError('invalid_request', { errors: [found] })
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first problem in a value, if there is one. */
export function problemIn(value: unknown): Problem | undefined {
  const found = find(value, 1)
  return found && problem(`$${found.path}`, found.message)
}

/** Without the carried member few and small values are left: to look at them costs less than to search the text. */
function problemBeside(fields: Record<string, unknown>, carried: string): Problem | undefined {
  for (const name in fields) {
    if (name === carried) continue
    const found = findInMember(name, fields[name], 1)
    if (found) return problem(`$${found.path}`, found.message)
  }
  return undefined
}

/** `path` is relative to the value that was searched. */
type Found = { path: string; message: string }

function find(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') return findInText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path: '', message: NOT_FINITE }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > DEPTH_MAX) return { path: '', message: TOO_DEEP }

  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = find(value[i], depth + 1)
      if (found) return under(`[${i}]`, found, depth)
    }
    return undefined
  }
  for (const [name, item] of Object.entries(value)) {
    const found = findInMember(name, item, depth)
    if (found) return found
  }
  return undefined
}

function findInMember(name: string, item: unknown, depth: number): Found | undefined {
  if (name === '__proto__') return { path: '', message: 'must not have a key named __proto__' }
  const inName = findInText(name)
  if (inName) return { path: '', message: inName.message.replace('contain', 'have a key with') }
  const found = find(item, depth + 1)
  return found && under(`.${name.slice(0, PART_LENGTH_MAX).toWellFormed()}`, found, depth)
}

/** Of what is nested too deep, the path names the outermost member only. */
const under = (part: string, { path, message }: Found, depth: number): Found => ({
  path: message === TOO_DEEP && depth > 1 ? '' : part + path,
  message,
})

function findInText(text: string): Found | undefined {
  if (text.includes('\0')) return { path: '', message: NUL }
  return text.isWellFormed() ? undefined : { path: '', message: HALF }
}

/** An escaped character, the name or an exponent of two digits. */
const TRACE = /\\u|__proto__|[eE]\+?\d\d/
/** A number of so many digits could be too large with one digit of exponent. */
const LONG_DIGITS = 300

/**
 * Whether there is anything to be refused: it would have left a trace in the text. Nearly no text has one, and to look at every value
 * of a body of 500 bytes costs more than to parse it: 7 µs, at its text 1.3.
 */
const mayHoldProblem = (text: string): boolean =>
  hasMoreBrackets(text, DEPTH_MAX) || TRACE.test(text) || hasLongDigits(text)

/**
 * So many digits in a row stand over one of every so many places: only these are looked at. A pattern that is tried at every place
 * takes 60 ms for 64 KiB of digits in rows just shorter.
 */
function hasLongDigits(text: string): boolean {
  for (let at = LONG_DIGITS - 1; at < text.length; at += LONG_DIGITS) {
    if (!isDigit(text, at)) continue
    let from = at
    let to = at + 1
    while (isDigit(text, from - 1)) from--
    while (isDigit(text, to)) to++
    if (to - from >= LONG_DIGITS) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0x30 && code <= 0x39
}
