import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, HOUR_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { limitedAddress } from '../../platform/network/networks.ts'
import { type Random, randomBase32 } from '../../platform/random.ts'
import { requireAdmitted } from '../../platform/time/sliding-limit.ts'
import type { InviteStore, Transaction } from './invite-store.ts'
import type { Ledger } from './ledger.ts'

type InviteDeps = {
  clock: Clock
  random: Random
  ledger: Pick<Ledger, 'changeWithin'>
  /** Runs a transaction with the lock of the developer's money, which the ledger takes, too. */
  changeMoney<T>(developerId: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
  lockMoney(transaction: Transaction, developerId: string): Promise<void>
  isEmailConfirmed(transaction: Transaction, developerId: string): Promise<boolean>
  counters: {
    hit(key: string, windowMs: number): Promise<{ count: number; resetsInMs: number }>
    takeBack(key: string, windowMs: number): Promise<void>
  }
  /** Infinity if rate limits are off. */
  wrongCodesPerHourMax: number
}

type NewInvites = { count: number; usesMax: number; days: number | undefined; label: string | null }
export type Invites = ReturnType<typeof createInvites>

const CODE_LENGTH = 16
/** Enough of a hash to identify a code in a list. */
const SHORT_HASH_LENGTH = 12

/** Codes that give new developers credit. Only hashes are stored. */
export function createInvites(store: InviteStore, deps: InviteDeps) {
  const { clock, random, ledger, changeMoney, lockMoney, isEmailConfirmed, counters } = deps

  async function requireUse(transaction: Transaction, codeHash: string): Promise<void> {
    const invites = store.in(transaction)
    if (await invites.takeUse(codeHash, timestamp(clock))) return
    const invite = await invites.find(codeHash)
    const isOver =
      !invite ||
      invite.revokedAt !== null ||
      (invite.expiresAt !== null && invite.expiresAt <= timestamp(clock))
    if (isOver) throw new ApiError('invalid_invite_code')
    throw new ApiError(invite.usesMax === 1 ? 'invite_code_used' : 'invite_limit_reached')
  }

  const credit = (transaction: Transaction, developerId: string) =>
    ledger.changeWithin(transaction, developerId, (book) =>
      book({
        type: 'invite',
        cents: LIMITS.inviteCreditCents,
        reference: `invite:${developerId}`,
        description: 'Invite code',
      }),
    )

  /** The transaction must hold the lock of the developer's money. */
  async function redeemIn(transaction: Transaction, developerId: string, code: string) {
    const codeHash = hashOfCode(code)
    const redemption = { developerId, codeHash, status: 'pending', at: timestamp(clock) }
    if (!(await store.in(transaction).redeem(redemption))) throw new ApiError('already_redeemed')
    await requireUse(transaction, codeHash)
    return { pending: !(await creditIfConfirmed(transaction, developerId)) }
  }

  async function creditIfConfirmed(transaction: Transaction, developerId: string): Promise<boolean> {
    if (!(await isEmailConfirmed(transaction, developerId))) return false
    if (await store.in(transaction).markCredited(developerId)) await credit(transaction, developerId)
    return true
  }

  /** Counts before the outcome is known, so that concurrent guesses cannot exceed the limit; a right code is then uncounted. */
  async function limitGuesses<T>(subjects: readonly string[], work: () => Promise<T>): Promise<T> {
    const keys = subjects.map((subject) => `invite-codes:${sha256(subject)}`)
    const takeBack = () => Promise.all(keys.map((key) => counters.takeBack(key, HOUR_MS)))
    const counts = await Promise.all(keys.map((key) => counters.hit(key, HOUR_MS)))
    try {
      for (const { count, resetsInMs } of counts)
        requireAdmitted({ isAdmitted: count <= deps.wrongCodesPerHourMax, retryInMs: resetsInMs })
      const result = await work()
      await takeBack()
      return result
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'invalid_invite_code')) await takeBack()
      throw error
    }
  }

  return {
    /** `work` redeems a code for a new account, from this client address. */
    limitGuessesFrom: <T>(address: string, work: () => Promise<T>) =>
      limitGuesses([limitedAddress(address)], work),

    /** For an account that the transaction creates: a wrong code creates no account (DEV-02). */
    async redeemForNew(transaction: Transaction, developerId: string, code: string): Promise<void> {
      await lockMoney(transaction, developerId)
      await redeemIn(transaction, developerId, code)
    },

    async redeem(developerId: string, code: string, address: string) {
      const { pending } = await limitGuesses([developerId, limitedAddress(address)], () =>
        changeMoney(developerId, (transaction) => redeemIn(transaction, developerId, code)),
      )
      return { credited: LIMITS.inviteCreditCents, currency: 'usd' as const, pending }
    },

    /** Call in the transaction that confirms the address. A concurrent redemption runs before or after it. */
    async emailConfirmed(transaction: Transaction, developerId: string): Promise<void> {
      await lockMoney(transaction, developerId)
      await creditIfConfirmed(transaction, developerId)
    },

    redemption: store.redemption,

    /** Returns the codes, which are shown only now. */
    async create({ count, usesMax, days, label }: NewInvites): Promise<string[]> {
      const codes = Array.from({ length: count }, () => randomBase32(random, CODE_LENGTH).toUpperCase())
      const common = {
        label,
        usesMax,
        uses: 0,
        expiresAt: days === undefined ? null : timestamp(clock, days * DAY_MS),
        revokedAt: null,
        createdAt: timestamp(clock),
      }
      await store.insertAll(codes.map((code) => ({ codeHash: hashOfCode(code), ...common })))
      return codes.map(inFours)
    },

    /** Codes that still work or have no uses left; revoked and expired codes are left out. */
    async list() {
      const invites = await store.list(timestamp(clock))
      return invites.map(({ codeHash, label, uses, usesMax, expiresAt, createdAt }) => ({
        id: codeHash.slice(0, SHORT_HASH_LENGTH),
        label,
        uses,
        usesMax,
        expiresAt,
        createdAt,
      }))
    },

    /** Revokes by the code, or by the id that the list shows. True if there was such a code. */
    async revoke(codeOrId: string): Promise<boolean> {
      const isId = /^[0-9a-f]{12}$/.test(codeOrId)
      return (await store.revoke(isId ? codeOrId : hashOfCode(codeOrId), timestamp(clock))) > 0
    },
  }
}

const inFours = (code: string) => code.match(/.{4}/g)?.join('-') ?? code

/**
 * Upper or lower case, with or without hyphens; letters that are not in Crockford's alphabet are read as the digits that they look
 * like.
 */
const hashOfCode = (code: string) =>
  sha256(
    code
      .toUpperCase()
      .replace(/[^0-9A-Z]/g, '')
      .replace(/O/g, '0')
      .replace(/[IL]/g, '1'),
  )
