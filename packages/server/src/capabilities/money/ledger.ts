import type { LedgerEntry, LedgerType } from '@svc/contract/money'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { pageOf } from '../../platform/http/row-pages.ts'
import type { Ids } from '../../platform/random.ts'
import { CHAIN_START, hashOf } from './chain.ts'
import type { AccountRow, LedgerStore, Transaction } from './ledger-store.ts'
import {
  afterPostings,
  balanceOf,
  type Funds,
  isOverdue,
  type Movement,
  NO_FUNDS,
  postingsOf,
  settleable,
} from './postings.ts'

type LedgerDeps = {
  clock: Clock
  ids: Ids
  /** Called in the transaction of the booking: notifies the developer and the other nodes. */
  noteChange(transaction: Transaction, change: FundsChange): Promise<unknown>
  /** Called after the commit. */
  announce(change: FundsChange): unknown
}

/** The accounts before and after one or more bookings. */
export type FundsChange = {
  developerId: string
  before: Funds
  after: Funds
  lastTopup: number
}

type Booking = Movement & {
  /** Identifies the cause. A cause that is already booked is not booked again. */
  reference: string
  description: string
}

export type Ledger = ReturnType<typeof createLedger>
/** Books and returns true; returns false if the cause is already booked. */
export type Book = (booking: Booking) => Promise<boolean>

/** Double-entry bookkeeping with a chain of hashes per developer. Rows are only inserted. */
export function createLedger(store: LedgerStore, { clock, ids, noteChange, announce }: LedgerDeps) {
  const newAccount = (developerId: string): AccountRow => ({
    ...NO_FUNDS,
    developerId,
    sequence: 0,
    hash: CHAIN_START,
    lastTopup: 0,
    updatedAt: timestamp(clock),
  })

  async function append(
    transaction: Transaction,
    account: AccountRow,
    booking: Booking,
  ): Promise<AccountRow> {
    const { developerId } = account
    const postings = postingsOf(account, booking)
    const funds = afterPostings(account, postings)
    const entry = {
      developerId,
      sequence: account.sequence + 1,
      id: ids('txn'),
      at: timestamp(clock),
      type: ENTRY_TYPES[booking.type] ?? booking.type,
      reference: booking.reference,
      amount: balanceOf(funds) - balanceOf(account),
      balanceAfter: balanceOf(funds),
      description: booking.description,
    }
    const hash = hashOf(account.hash, entry, postings)
    await store.in(transaction).insert({ ...entry, hash })
    for (const posting of postings)
      await store.in(transaction).insertPosting({ transactionId: entry.id, ...posting })
    return {
      ...account,
      ...funds,
      sequence: entry.sequence,
      hash,
      lastTopup: booking.type === 'topup' ? booking.cents : account.lastTopup,
      updatedAt: entry.at,
    }
  }

  /** The transaction must hold the lock of the developer's money. */
  async function bookAll<T>(
    transaction: Transaction,
    developerId: string,
    work: (book: Book, funds: Funds) => Promise<T>,
  ): Promise<{ result: T; change: FundsChange | undefined }> {
    const before = (await store.in(transaction).account(developerId)) ?? newAccount(developerId)
    let account = before
    const book: Book = async (booking) => {
      if (booking.cents === 0 || (await store.in(transaction).hasReference(booking.reference))) return false
      account = await append(transaction, account, booking)
      const cents = settleable(account)
      if (cents > 0) {
        const description = 'Usage and refunds that were owed'
        const reference = `settlement:${booking.reference}`
        account = await append(transaction, account, { type: 'settlement', cents, reference, description })
      }
      return true
    }
    const result = await work(book, before)
    if (account === before) return { result, change: undefined }

    await store.in(transaction).writeAccount(account)
    const change = { developerId, before, after: account, lastTopup: account.lastTopup }
    await noteChange(transaction, change)
    return { result, change }
  }

  return {
    /** Reads, decides and books as one step; `work` may change further tables in the transaction. */
    async change<T>(
      developerId: string,
      work: (book: Book, transaction: Transaction, funds: Funds) => Promise<T>,
    ): Promise<T> {
      const { result, change } = await store.change(developerId, (transaction) =>
        bookAll(transaction, developerId, (book, funds) => work(book, transaction, funds)),
      )
      if (change) announce(change)
      return result
    },

    /** Books as part of another transaction; other nodes find the change in the database. */
    async changeWithin(
      transaction: Transaction,
      developerId: string,
      work: (book: Book, funds: Funds) => Promise<unknown>,
    ): Promise<void> {
      await store.lock(transaction, developerId)
      await bookAll(transaction, developerId, work)
    },

    async funds(developerId: string): Promise<Funds> {
      return (await store.account(developerId)) ?? NO_FUNDS
    },

    isOverdue: async (developerId: string) => isOverdue((await store.account(developerId)) ?? NO_FUNDS),

    async list(developerId: string, { limit = 50, cursor }: { limit?: number; cursor?: string }) {
      const beforeSequence =
        cursor === undefined ? Number.MAX_SAFE_INTEGER : await store.sequenceOf(developerId, cursor)
      if (beforeSequence === undefined) throw new ApiError('invalid_request', UNKNOWN_CURSOR)
      const rows = await store.list(developerId, beforeSequence, limit + 1)
      const { shown, nextCursor } = pageOf(rows, limit)
      const entries = shown.map((entry): LedgerEntry => ({ ...entry, type: entry.type as LedgerType }))
      return { entries, nextCursor }
    },
  }
}

/** Movements that the API shows as one of its types. */
const ENTRY_TYPES: Partial<Record<Movement['type'], LedgerType>> = {
  settlement: 'usage',
  reinstatement: 'refund',
}

const UNKNOWN_CURSOR = {
  errors: [{ path: '$.cursor', message: 'must be the value that the previous page returned' }],
}
