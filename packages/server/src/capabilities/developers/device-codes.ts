import { LIMITS } from '@svc/contract/common/limits'
import type { DeviceCode, DeviceRequest, DeviceSignIn } from '@svc/contract/developers/device-codes'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, HOUR_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer } from '../../platform/environment.ts'
import { limitedAddress } from '../../platform/network/networks.ts'
import { type Random, randomBase32, randomToken } from '../../platform/random.ts'
import type { KnownAddresses } from '../../platform/security/known-addresses.ts'
import { requireAdmitted } from '../../platform/time/sliding-limit.ts'
import { view } from './accounts.ts'
import type { DeviceCodeStore } from './device-code-store.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { Transaction } from './store.ts'

type DeviceCodeDeps = {
  sessions: Pick<DeveloperSessions, 'open'>
  knownAddresses: Pick<KnownAddresses<{ developerId: string }, Transaction>, 'note'>
  counters: {
    hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
    takeBack(key: string, windowMs: number): Promise<void>
  }
  /** Infinity if rate limits are off. */
  limits: { wrongCodesPerHourMax: number; pollsPerMinuteMax: number }
  clock: Clock
  random: Random
  baseUrl: string
}

export type DeviceCodes = ReturnType<typeof createDeviceCodes>

const CODE_LENGTH = 8
const INTERVAL_SECONDS = 2

/**
 * Sign-in of a command line. The code is short, because a person types it: only signed-in developers can use one, and wrong ones are
 * limited. The session goes to the holder of the secret, which never leaves the command line.
 */
export function createDeviceCodes(store: DeviceCodeStore, deps: DeviceCodeDeps) {
  const { sessions, knownAddresses, counters, limits, clock, random, baseUrl } = deps

  async function create(address: string): Promise<DeviceCode> {
    const code = randomBase32(random, CODE_LENGTH)
    const deviceSecret = randomToken(random)
    const row = {
      secretHash: sha256(deviceSecret),
      codeHash: sha256(code),
      address,
      createdAt: timestamp(clock),
      expiresAt: timestamp(clock, LIMITS.deviceCodeTtlMs),
    }
    if (!(await store.insert(row))) return create(address)
    return {
      code: shownCode(code),
      deviceSecret,
      url: `${baseUrl}/dashboard/device`,
      expiresIn: LIMITS.deviceCodeTtlMs / 1_000,
      intervalSeconds: INTERVAL_SECONDS,
    }
  }

  /** Counts before the outcome is known, so that concurrent guesses cannot exceed the limit; a right code is then uncounted. */
  async function limitGuesses<T>(subjects: readonly string[], work: () => Promise<T>): Promise<T> {
    const keys = subjects.map((subject) => `device-codes:${sha256(subject)}`)
    const takeBack = () => Promise.all(keys.map((key) => counters.takeBack(key, HOUR_MS)))
    const counts = await Promise.all(keys.map((key) => counters.hit(key, HOUR_MS)))
    try {
      for (const { count, resetsInMs } of counts)
        requireAdmitted({ isAdmitted: count <= limits.wrongCodesPerHourMax, retryInMs: resetsInMs })
      const result = await work()
      await takeBack()
      return result
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'invalid_code')) await takeBack()
      throw error
    }
  }

  return {
    create,

    async collect({ deviceSecret }: { deviceSecret: string }, from: string): Promise<DeviceSignIn> {
      const { count, resetsInMs } = await counters.hit(`device-polls:${limitedAddress(from)}`, MINUTE_MS)
      requireAdmitted({ isAdmitted: count <= limits.pollsPerMinuteMax, retryInMs: resetsInMs })
      const now = timestamp(clock)
      const row = await store.findBySecret(sha256(deviceSecret), now)
      if (!row) throw new ApiError('invalid_or_expired_token')
      const { secretHash, developerId, sessionHash } = row
      if (row.decision === null) return { status: 'pending', session: null }
      if (developerId === null || sessionHash === null) {
        await store.remove(secretHash)
        return { status: 'refused', session: null }
      }
      const session = await store.collect(
        { secretHash, developerId, sessionHash },
        now,
        async (transaction, account) => ({
          developer: view(account),
          ...(await sessions.open(transaction, developerId)),
        }),
      )
      if (!session) throw new ApiError('invalid_or_expired_token')
      await knownAddresses.note({ developerId }, from)
      return { status: 'confirmed', session }
    },

    find: ({ id }: Developer, { code }: { code: string }, from: string): Promise<DeviceRequest> =>
      limitGuesses([id, limitedAddress(from)], async () => {
        const found = await store.findByCode(hashOf(code), timestamp(clock))
        if (!found) throw new ApiError('invalid_code')
        const isYourAddress = limitedAddress(found.address) === limitedAddress(from)
        return { code: shownCode(normalised(code)), ...found, isYourAddress }
      }),

    decide: (
      { id }: Developer,
      bearer: string,
      { code, confirm }: { code: string; confirm: boolean },
      from: string,
    ): Promise<{ confirmed: boolean }> =>
      limitGuesses([id, limitedAddress(from)], async () => {
        const isOpen = await store.decide(
          hashOf(code),
          timestamp(clock),
          confirm
            ? { decision: 'confirmed', developerId: id, sessionHash: sha256(bearer) }
            : { decision: 'refused', developerId: null, sessionHash: null },
        )
        if (!isOpen) throw new ApiError('invalid_code')
        return { confirmed: confirm }
      }),

    purgeExpired: (stopping?: AbortSignal) => store.dropExpired(timestamp(clock), stopping),
  }
}

/** Crockford's base32: letters that look like a digit are read as that digit. */
const normalised = (code: string) =>
  code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')

const hashOf = (code: string) => sha256(normalised(code))

/** `ABCD-EFGH` */
const shownCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`.toUpperCase()
