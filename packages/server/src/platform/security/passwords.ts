import { argon2, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

import { ApiError } from '../api-error.ts'
import type { Random } from '../random.ts'

/** Hashes and verifies passwords. */
export type Passwords = ReturnType<typeof createPasswords>

/** Cost of one hash. */
export type HashWork = {
  memoryKiB: number
  /** Iterations over the memory. */
  passes: number
  /** Lanes. */
  parallelism: number
}

/** OWASP, Password Storage Cheat Sheet: the smallest argon2id setting it advises, about 35 ms of CPU. */
const OWASP: HashWork = { memoryKiB: 19_456, passes: 2, parallelism: 1 }

/**
 * libuv runs file reads, DNS and hashes on four threads. Hashing takes at most three of them, so that many concurrent sign-ins
 * leave one for everything else.
 */
const CONCURRENT_MAX = Math.max(1, Math.min(availableParallelism(), 3))
const WAITING_MAX = 64
const SALT_BYTES = 16
const HASH_BYTES = 32

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

type Options = { work?: HashWork; concurrentMax?: number; waitingMax?: number }

/** Passwords are stored as argon2id in PHC format. */
export function createPasswords(random: Random, options: Options = {}) {
  const { work = OWASP, concurrentMax = CONCURRENT_MAX, waitingMax = WAITING_MAX } = options
  const runLimited = createQueue(concurrentMax, waitingMax)
  const dummyHash = { work, salt: random.bytes(SALT_BYTES), hash: random.bytes(HASH_BYTES) }

  return {
    async hash(password: string): Promise<string> {
      const salt = random.bytes(SALT_BYTES)
      const hash = await runLimited(() => derive(password, salt, work, HASH_BYTES))
      const { memoryKiB, passes, parallelism } = work
      return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
    },

    /** `null` for an unknown account or one without a password: does the same work, so that timing reveals nothing. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      const expected = stored === null ? dummyHash : parse(stored)
      const hash = await runLimited(() =>
        derive(password, expected.salt, expected.work, expected.hash.length),
      )
      return timingSafeEqual(hash, expected.hash) && stored !== null
    },

    /** True for a hash with outdated parameters: hash again at the next successful sign-in. */
    needsRehash(stored: string): boolean {
      const { memoryKiB, passes, parallelism } = parse(stored).work
      return memoryKiB !== work.memoryKiB || passes !== work.passes || parallelism !== work.parallelism
    },
  }
}

/** Runs at most `concurrentMax` at the same time, with at most `waitingMax` waiting in order; throws when the queue is full. */
function createQueue(concurrentMax: number, waitingMax: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async function runLimited<T>(task: () => Promise<T>): Promise<T> {
    if (running < concurrentMax) running++
    else if (waiting.length < waitingMax) await new Promise<void>((go) => waiting.push(go))
    else throw new ApiError('rate_limited', { retryAfterSeconds: 1 })

    try {
      return await task()
    } finally {
      // The slot is passed to the next waiter directly, so a later caller cannot overtake it.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const argon2Async = promisify(argon2)

function derive(
  password: string,
  salt: Buffer,
  { memoryKiB, passes, parallelism }: HashWork,
  tagLength: number,
) {
  return argon2Async('argon2id', {
    // NFC, as RFC 8265 requires: keyboards encode é in different ways.
    message: password.normalize('NFC'),
    nonce: salt,
    memory: memoryKiB,
    passes,
    parallelism,
    tagLength,
  })
}

function parse(stored: string) {
  const [, memoryKiB, passes, parallelism, salt, hash] = PHC.exec(stored) ?? []
  if (salt === undefined || hash === undefined) throw new Error('a stored password hash is not argon2id')
  return {
    work: { memoryKiB: Number(memoryKiB), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

/** PHC writes base64 without padding. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
