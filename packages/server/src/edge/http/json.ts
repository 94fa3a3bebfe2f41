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
  check(parsed.value, 1)
  return parsed
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
