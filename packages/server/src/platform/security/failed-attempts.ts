import { ApiError } from '../api-error.ts'
import { MINUTE_MS } from '../clock.ts'
import { sha256 } from '../crypto.ts'
import { limitedAddress } from '../network/networks.ts'

/** Counts per key in fixed windows, shared by all nodes. */
export type Counters = {
  hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  read(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  clear(key: string): Promise<void>
}

/** One attempt to sign in to an account with a password. */
export type Attempt = {
  account: string
  /** The client's address. */
  from: string
  /** Whether the account signed in from this address recently; called only when the limit of the account is reached. */
  isKnown(): Promise<boolean>
}

/** Allowed failures in 10 minutes: per account and client address, and per account from all addresses together. */
export type FailureLimits = { perAddressMax: number; perAccountMax: number }

const WINDOW_MS = 10 * MINUTE_MS

/** Call `begin` before a password is verified, then `failed` or `succeeded`. */
export type FailedAttempts = ReturnType<typeof createFailedAttempts>

/**
 * Limits failed attempts per account and address, so that an attacker cannot lock others out of their accounts, and the users of a
 * school behind one address do not lock each other out. Attempts from many addresses are limited per account, except from addresses
 * from which the account was signed in to (GEN-13).
 */
export function createFailedAttempts(counters: Counters, { perAddressMax, perAccountMax }: FailureLimits) {
  return {
    /** Call before the password is verified. Counts the attempt, so that concurrent attempts cannot exceed the limit. */
    async begin(attempt: Attempt): Promise<void> {
      const here = await counters.hit(placeOf(attempt), WINDOW_MS)
      if (here.count > perAddressMax) throw tooMany(here.resetsInMs)
      const everywhere = await counters.read(accountKey(attempt.account), WINDOW_MS)
      if (everywhere.count < perAccountMax || (await attempt.isKnown())) return
      throw tooMany(everywhere.resetsInMs)
    },
    async failed({ account }: Attempt): Promise<void> {
      await counters.hit(accountKey(account), WINDOW_MS)
    },
    /** Clears the failures from this address only: those from other addresses may be an attacker's. */
    succeeded: (attempt: Attempt): Promise<void> => counters.clear(placeOf(attempt)),
    /** The account has a new password, so earlier failures no longer count. */
    async passwordChanged(attempt: Attempt): Promise<void> {
      await counters.clear(placeOf(attempt))
      await counters.clear(accountKey(attempt.account))
    },
  }
}

const tooMany = (resetsInMs: number) =>
  new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / 1_000)) })

/** Hashed, because accounts (by email) and addresses must not be readable in a shared store. */
const accountKey = (account: string) => `failures:${sha256(account)}`
const placeOf = ({ account, from }: Attempt) => `failures:${sha256(`${account}\n${limitedAddress(from)}`)}`
