import { randomBytes } from 'node:crypto'

import type { Clock } from './clock.ts'

/** Randomness is an argument everywhere: this is the only file that gets it from the machine. */
export type Random = {
  /** `count` unpredictable bytes. */
  bytes(count: number): Buffer
}

const POOL_BYTES = 4_096
/** More is read directly. */
const FROM_POOL_MAX = 64
let pool = Buffer.alloc(0)

/** Randomness of the operating system. Few bytes are taken from a pool: reading 16 takes 4 µs, from the pool 0.2. */
export const systemRandom: Random = {
  bytes(count) {
    if (count > FROM_POOL_MAX) return randomBytes(count)
    if (pool.length < count) pool = randomBytes(POOL_BYTES)
    const taken = pool.subarray(0, count)
    pool = pool.subarray(count)
    return taken
  },
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A secret for a link, a code or a session: 32 bytes, which cannot be guessed, safe in URLs. */
export const randomToken = (random: Random): string => random.bytes(32).toString('base64url')

/** `length` letters and digits, each of the 62 equally likely. */
export function randomText(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte; higher values would favour the first letters.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62)
    }
  }
  return text
}

/** Request ids: a random beginning makes them unique across restarts and nodes, a counter does the rest. */
export function createRequestIds(random: Random): () => string {
  const beginning = randomText(random, 10)
  let count = 0
  return () => `req_${beginning}${(++count).toString(36)}`
}

/** `length` characters that are hard to misread: no i, l, o or u. */
export const randomBase32 = (random: Random, length: number): string =>
  Array.from(random.bytes(length), (byte) => BASE32.charAt(byte & 31)).join('')

/** First letters of an id: they say what it identifies. */
export type IdPrefix =
  | 'dev'
  | 'prj'
  | 'env'
  | 'key'
  | 'aud'
  | 'eml'
  | 'ply'
  | 'ses'
  | 'dpl'
  | 'san'
  | 'apl'
  | 'chk'
  | 'sig'
  | 'dlv'
  | 'rom'
  | 'rev'
  | 'txn'
  | 'inv'
  | 'agn'
  | 'apv'
  | 'agg'
  | 'agc'

/** Creates a new id. */
export type Ids = (prefix: IdPrefix) => string

/** Prefix + Crockford base32 of a UUIDv7: readable, and in the order of creation, also within one millisecond (GEN-11). */
export function createIds(clock: Clock, random: Random): Ids {
  let [lastMs, count] = [0, 0]

  return (prefix) => {
    const nowMs = clock.now().getTime()
    if (nowMs > lastMs) [lastMs, count] = [nowMs, 0]
    else if (++count > 0xfff) [lastMs, count] = [lastMs + 1, 0]

    const bytes = random.bytes(16)
    bytes.writeUIntBE(lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | count, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return `${prefix}_${base32(bytes)}`
  }
}

/** When an id was created: its first ten digits are the milliseconds. */
export const createdAtMsOf = (id: string): number =>
  Array.from(id.slice(-26, -16)).reduce((ms, digit) => ms * 32 + BASE32.indexOf(digit), 0)

/** Sorts before every id of this prefix that is created at this moment or later, and after all earlier ones. */
export function firstIdAt(prefix: IdPrefix, atMs: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(atMs, 0, 6)
  return `${prefix}_${base32(bytes)}`
}

/** 128 bits as 26 digits of five bits; the first digit has three. */
function base32(bytes: Buffer): string {
  let text = ''
  let [rest, restBits] = [0, 2]
  for (const byte of bytes) {
    rest = (rest << 8) | byte
    for (restBits += 8; restBits >= 5; restBits -= 5) text += BASE32.charAt((rest >> (restBits - 5)) & 31)
  }
  return text
}
