import { sha256 } from '../../platform/crypto.ts'
import type { Posting } from './postings.ts'

/** The fields of a transaction that its hash covers. */
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

/** Covers the transaction, its postings and the previous hash, so that every change or removal of a row is detected. */
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
