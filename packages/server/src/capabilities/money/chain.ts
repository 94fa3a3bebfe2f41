import { sha256 } from '../../platform/crypto.ts'
import type { Posting } from './postings.ts'

/** A transaction as its hash covers it. */
export type Entry = {
  developerId: string
  sequence: number
  id: string
  at: string
  type: string
  reference: string
  amount: number
  balanceAfter: number
  description: string
}

/** The hash before the first transaction of an account. */
export const CHAIN_START = ''

/** Covers the transaction, its postings and the hash before it, so that no row can be changed or removed unnoticed. */
export const hashOf = (previousHash: string, entry: Entry, postings: readonly Posting[]): string =>
  sha256(
    JSON.stringify([
      previousHash,
      entry.developerId,
      entry.sequence,
      entry.id,
      entry.at,
      entry.type,
      entry.reference,
      entry.amount,
      entry.balanceAfter,
      entry.description,
      postings
        .map(({ account, amount }) => [account, amount] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    ]),
  )
