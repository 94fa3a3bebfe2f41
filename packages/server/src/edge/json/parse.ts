import { isUtf8 } from 'node:buffer'

import { ApiError } from '../../platform/api-error.ts'

const BYTE_ORDER_MARK = 0xfeff

/** Throws `invalid_json` if the bytes are not UTF-8 or not JSON, and for no other reason. */
export function parseJson(bytes: Buffer): { text: string; value: unknown } {
  const text = decode(bytes)
  return { text, value: parseText(text) }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', { reason: (cause as SyntaxError).message }, { cause })
  }
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', { reason: 'the body is not UTF-8' })
  const text = bytes.toString()
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}
