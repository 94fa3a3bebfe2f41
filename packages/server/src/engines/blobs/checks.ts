import { ApiError } from '../../platform/api-error.ts'
import type { Expected, Range } from './blobs.ts'

/** Checks that both engines share, with the same messages. */

const KEY_LENGTH_MAX = 512
const KEY = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/

export const isKey = (text: string): boolean =>
  text.length <= KEY_LENGTH_MAX && KEY.test(text) && !text.split('/').some((part) => /^\.+$|\.\./.test(part))

/** The service chooses the keys, so an invalid key is a bug and not an error of the caller. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`not a blob key: ${JSON.stringify(key)}`)
  return key
}

export function requirePrefix(prefix: string): string {
  if (prefix !== '') requireKey(prefix.replace(/\/$/, ''))
  return prefix
}

export function requireRange({ start, end }: Range, size: number): void {
  if (start >= 0 && start <= end && start < size) return
  throw new Error(`bytes ${start} to ${end} of a blob of ${size} bytes`)
}

export function requireExpected(actual: { size: number; sha256: string }, expected: Expected): void {
  if (expected.size !== undefined && expected.size !== actual.size) throw sizeMismatch(expected.size)
  if (expected.sha256 !== undefined && expected.sha256 !== actual.sha256) {
    throw new ApiError('invalid_request', { reason: 'hash_mismatch', expected: expected.sha256 })
  }
}

export const sizeMismatch = (expected: number) =>
  new ApiError('invalid_request', { reason: 'size_mismatch', expected })

const DISK_FAULTS = new Set([
  'ENOSPC',
  'ENOENT',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
])

/** The error to throw: `service_unavailable` for a full or broken disk, otherwise the same error. */
export function orUnavailable(error: unknown): unknown {
  return DISK_FAULTS.has(codeOf(error)) ? unavailable(error) : error
}

export const unavailable = (cause: unknown) => new ApiError('service_unavailable', undefined, { cause })

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
