import { createHmac } from 'node:crypto'

import { type Clock, DAY_MS, timestamp } from '../clock.ts'
import { limitedAddress } from '../network/networks.ts'

/** Stores hashes of the addresses from which an account was signed in to, each with the day of the last sign-in. */
export type AddressStore<Owner, Transaction> = {
  lastDay(owner: Owner, addressHash: string): Promise<string | undefined>
  /** Only the `keptMax` newest stay. */
  write(owner: Owner, addressHash: string, day: string, keptMax: number): Promise<unknown>
  remove(transaction: Transaction, owner: Owner): Promise<unknown>
  removeBefore(day: string, stopping?: AbortSignal): Promise<unknown>
}

/** Notes from which addresses an account was signed in to, and says whether an address is known. */
export type KnownAddresses<Owner extends object, Transaction> = ReturnType<
  typeof createKnownAddresses<Owner, Transaction>
>

const KNOWN_MS = 30 * DAY_MS
const PER_ACCOUNT_MAX = 20

/**
 * The addresses from which an account was signed in to in the last 30 days: failures from other addresses do not lock them out
 * (GEN-13). Stored as keyed hashes that differ per account, so that the database reveals neither an address nor which accounts
 * share one.
 */
export function createKnownAddresses<Owner extends object, Transaction>(
  store: AddressStore<Owner, Transaction>,
  key: Buffer,
  clock: Clock,
) {
  const hashOf = (owner: Owner, address: string) =>
    createHmac('sha256', key)
      .update(`${Object.values(owner).join('\n')}\n${limitedAddress(address)}`)
      .digest('base64url')
  const dayOf = (afterMs = 0) => timestamp(clock, afterMs).slice(0, 10)

  return {
    async isKnown(owner: Owner, address: string): Promise<boolean> {
      const lastDay = await store.lastDay(owner, hashOf(owner, address))
      return lastDay !== undefined && lastDay >= dayOf(-KNOWN_MS)
    },

    /** Writes at most once per day and address. */
    async note(owner: Owner, address: string): Promise<void> {
      const addressHash = hashOf(owner, address)
      if ((await store.lastDay(owner, addressHash)) === dayOf()) return
      await store.write(owner, addressHash, dayOf(), PER_ACCOUNT_MAX)
    },

    forget: store.remove,
    purgeExpired: (stopping?: AbortSignal) => store.removeBefore(dayOf(-KNOWN_MS), stopping),
  }
}
