import { RID_LENGTH_MAX } from '@svc/contract/realtime/realtime'

import { COLON, endOfPlainDigits, endOfPlainString, endOfPlainValue, NOT_PLAIN } from '../json/plain-json.ts'

/** `raw` is the text of `data`. */
export type PlainMessage = { fields: Fields; rid: string | number | undefined; text: string; raw: string }
type Fields = { t: string; rid?: string | number; type?: string; channel?: string; seq?: number }

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const CLOSE_BRACE = 0x7d
/** As many digits are an exact number. */
const DIGITS_MAX = 15

/**
 * Reads a message as programs write it, for example `{"t":"send","type":"move","seq":7,"data":{"dx":1}}`, in one pass and without building
 * its data, which are passed on as text. Undefined for every other frame, valid or not: these are parsed.
 */
export function readPlainMessage(text: string): PlainMessage | undefined {
  if (!text.startsWith('{"t":"')) return undefined
  let t: string | undefined
  let rid: string | number | undefined
  let type: string | undefined
  let channel: string | undefined
  let seq: number | undefined
  let raw: string | undefined
  for (let at = 1; ;) {
    const nameEnd = endOfPlainString(text, at)
    if (nameEnd === NOT_PLAIN || text.charCodeAt(nameEnd) !== COLON) return undefined
    const from = nameEnd + 1
    const end = endOfPlainValue(text, from)
    if (end === NOT_PLAIN) return undefined

    // Other names, values of another type, and a name that is there twice are not plain.
    if (isNamed('data', text, at, nameEnd) && raw === undefined) raw = text.slice(from, end)
    else if (isNamed('seq', text, at, nameEnd) && seq === undefined) {
      if (!isCount(text, from, end)) return undefined
      seq = countOf(text, from, end)
    } else if (isNamed('rid', text, at, nameEnd) && rid === undefined && isCount(text, from, end))
      rid = countOf(text, from, end)
    else if (text.charCodeAt(from) !== QUOTE) return undefined
    else if (isNamed('t', text, at, nameEnd) && t === undefined) t = text.slice(from + 1, end - 1)
    else if (isNamed('type', text, at, nameEnd) && type === undefined) type = text.slice(from + 1, end - 1)
    else if (isNamed('channel', text, at, nameEnd) && channel === undefined)
      channel = text.slice(from + 1, end - 1)
    else if (isNamed('rid', text, at, nameEnd) && rid === undefined && end - from - 2 <= RID_LENGTH_MAX)
      rid = text.slice(from + 1, end - 1)
    else return undefined

    const after = text.charCodeAt(end)
    if (after === CLOSE_BRACE && end + 1 === text.length) break
    if (after !== COMMA || text.charCodeAt(end + 1) !== QUOTE) return undefined
    at = end + 1
  }
  if (t === undefined || raw === undefined) return undefined
  const fields: Fields = { t }
  if (rid !== undefined) fields.rid = rid
  if (type !== undefined) fields.type = type
  if (channel !== undefined) fields.channel = channel
  if (seq !== undefined) fields.seq = seq
  return { fields, rid, text, raw }
}

/** `at` is at the first quote of a name, `nameEnd` behind the last one. */
const isNamed = (name: string, text: string, at: number, nameEnd: number): boolean =>
  nameEnd - at - 2 === name.length && text.startsWith(name, at + 1)

/** Whether this value is a whole number that is not negative, and exact. */
const isCount = (text: string, from: number, end: number): boolean =>
  end - from <= DIGITS_MAX && endOfPlainDigits(text, from) === end

function countOf(text: string, from: number, end: number): number {
  let count = 0
  for (let at = from; at < end; at++) count = count * 10 + text.charCodeAt(at) - ZERO
  return count
}
