import { ApiError } from './api-error.ts'
import { MINUTE_MS } from './clock.ts'
import { sha256 } from './crypto.ts'
import { limitedAddress } from './networks.ts'

/** Counts per key in fixed windows, together on all nodes; the engine is plugged in by the app. */
export type Counters = {
  hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  read(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
  clear(key: string): Promise<void>
}

/** Somebody who gives a password for an account. */
export type Attempt = {
  account: string
  /** The client's address. */
  from: string
  /** Whether this account was signed in to from there lately; asked only when the account's own limit is reached. */
  isKnown(): Promise<boolean>
}

export type FailureLimits = { perAddressMax: number; perAccountMax: number }

const WINDOW_MS = 10 * MINUTE_MS

export type FailedAttempts = ReturnType<typeof createFailedAttempts>

/**
 * Guessing is stopped per account and address, so that nobody can lock others out of their accounts, and a school behind one
 * address is not locked out either. Guessing from many addresses is stopped per account, except for addresses that the account was
 * signed in to from (GEN-13).
 */
export function createFailedAttempts(counters: Counters, { perAddressMax, perAccountMax }: FailureLimits) {
  return {
    /** Before the password is looked at. Counted here, so that of many at once no more than the limit are looked at. */
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
    /** The failures elsewhere stay: they are not the owner's. */
    succeeded: (attempt: Attempt): Promise<void> => counters.clear(placeOf(attempt)),
    /** The account has another password, so what was guessed before no longer matters. */
    async passwordChanged(attempt: Attempt): Promise<void> {
      await counters.clear(placeOf(attempt))
      await counters.clear(accountKey(attempt.account))
    },
  }
}

const tooMany = (resetsInMs: number) =>
  new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(resetsInMs / 1_000)) })

/** An account may be named by its email, which must not be readable in a shared store; the same holds for addresses. */
const accountKey = (account: string) => `failures:${sha256(account)}`
const placeOf = ({ account, from }: Attempt) => `failures:${sha256(`${account}\n${limitedAddress(from)}`)}`
