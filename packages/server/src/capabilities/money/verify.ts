import { type Clock, DAY_MS, millisecondsOf, timestamp } from '../../platform/clock.ts'
import type { Payments } from '../../platform/ports/payments.ts'
import { CHAIN_START, hashOf } from './chain.ts'
import type { CheckoutStore } from './checkout-store.ts'
import type { AccountRow, LedgerStore, PostingRow, TransactionRow } from './ledger-store.ts'
import { type AccountName, afterPostings, balanceOf, FUND_NAMES, NO_FUNDS, type Posting } from './postings.ts'
import { costsOf, quantitiesOf, readPrices } from './prices.ts'
import type { UsageStore } from './usage-store.ts'

type VerifyDeps = {
  clock: Clock
  checkouts: Pick<CheckoutStore, 'find' | 'listPaid' | 'listRefusedEvents'>
  usage: Pick<UsageStore, 'list' | 'listPeriods'>
  payments: Pick<Payments, 'payments' | 'provider'> | undefined
}

export type Verified = { accounts: number; transactions: number; payments: number; mismatches: string[] }
export type Verify = ReturnType<typeof createVerify>

const ACCOUNTS_AT_ONCE = 200
const ROWS_AT_ONCE = 500
const RECENT_DAYS = 30
const SHOWN_MAX = 1_000
const ATTEMPTS_MAX = 5

type LedgerQueries = Pick<
  LedgerStore,
  'accountsAfter' | 'transactionsAfter' | 'postingsBetween' | 'orphans' | 'account' | 'hasReference'
>

/** Compares everything that must agree: ledger, accounts, checkouts, charges, and the provider's payments. Repairs nothing. */
export function createVerify(store: LedgerQueries, { clock, checkouts, usage, payments }: VerifyDeps) {
  /** Checks the chain of one developer; yields every difference. */
  async function* differencesOf(account: AccountRow, count: () => void): AsyncGenerator<string> {
    const { developerId } = account
    let [funds, hash, sequence] = [NO_FUNDS, CHAIN_START, 0]
    const charged = new Map<string, number>()
    for (;;) {
      const rows = await store.transactionsAfter(developerId, sequence, ROWS_AT_ONCE)
      const [first, last] = [rows[0], rows.at(-1)]
      if (!first || !last) break
      const postings = groupedPostings(
        await store.postingsBetween(developerId, first.sequence, last.sequence),
      )
      for (const row of rows) {
        count()
        const own = postings.get(row.id) ?? []
        const where = `${developerId} transaction ${row.id}`
        const sum = own.reduce((total, { amount }) => total + amount, 0)
        if (sum !== 0) yield `${where}: the postings sum to ${sum}, not 0`
        if (row.sequence !== sequence + 1) yield `${where}: number ${sequence + 1} is missing`
        const before = balanceOf(funds)
        funds = afterPostings(funds, own)
        if (row.amount !== balanceOf(funds) - before) yield `${where}: the amount is not that of its postings`
        if (row.balanceAfter !== balanceOf(funds)) yield `${where}: the balance after it is wrong`
        hash = hashOf(hash, row, own)
        if (row.hash !== hash) yield `${where}: the hash is wrong; the row or one before it was changed`
        // Continue from the stored hash, so that one changed row is one difference.
        hash = row.hash
        sequence = row.sequence
        noteCharge(charged, row, own)
      }
    }
    for (const name of FUND_NAMES)
      if (account[name] !== funds[name])
        yield `${developerId}: ${name} is ${account[name]}, the postings sum to ${funds[name]}`
    if (account.sequence !== sequence || account.hash !== hash)
      yield `${developerId}: the account does not end at the last transaction`
    for (const { period, chargedCents, closedAt, prices } of await usage.listPeriods(developerId)) {
      const booked = charged.get(period) ?? 0
      if (booked !== chargedCents)
        yield `${developerId}: ${chargedCents} cents of ${period} are charged, ${booked} are booked`
      charged.delete(period)
      if (closedAt === null) continue
      const { dueCents } = costsOf(readPrices(prices), quantitiesOf(await usage.list(developerId, period)))
      if (dueCents > chargedCents)
        yield `${developerId}: ${dueCents} cents of ${period} were used, ${chargedCents} are charged, and the month is closed`
    }
    for (const [period, cents] of charged)
      yield `${developerId}: ${cents} cents of ${period} are booked, but not charged`
  }

  async function* checkoutDifferences(): AsyncGenerator<string> {
    const since = timestamp(clock, -RECENT_DAYS * DAY_MS)
    let afterId = ''
    for (;;) {
      const rows = await checkouts.listPaid(afterId, ROWS_AT_ONCE)
      for (const { id, paymentId } of rows) {
        const isBooked =
          (await store.hasReference(`test:${paymentId}`)) || (await store.hasReference(`stripe:${paymentId}`))
        if (!isBooked) yield `checkout ${id} is paid, but its top-up is not booked`
      }
      if (rows.length < ROWS_AT_ONCE) break
      afterId = rows.at(-1)?.id ?? afterId
    }
    for (const { id, type, at } of await checkouts.listRefusedEvents(since, SHOWN_MAX))
      yield `event ${id} (${type}, ${at}) does not match its checkout and was not booked`
  }

  async function* paymentDifferences(count: () => void): AsyncGenerator<string> {
    const sinceMs = millisecondsOf(clock) - RECENT_DAYS * DAY_MS
    for await (const { checkoutId, paymentId, amountCents } of payments?.payments(sinceMs) ?? []) {
      count()
      const checkout = await checkouts.find(checkoutId)
      if (checkout?.status === 'paid' && checkout.paymentId === paymentId && checkout.amount === amountCents)
        continue
      yield `payment ${paymentId} of ${amountCents} cents (checkout ${checkoutId}) is not booked`
    }
  }

  /** A booking during the check looks like a difference: then the account has changed, and is checked again. */
  async function verifyAccount(account: AccountRow) {
    let [current, transactions] = [account, 0]
    for (let attempt = 1; ; attempt++) {
      transactions = 0
      const differences = await Array.fromAsync(differencesOf(current, () => transactions++))
      const now = (await store.account(account.developerId)) ?? current
      if (differences.length === 0 || now.hash === current.hash || attempt === ATTEMPTS_MAX)
        return { differences, transactions }
      current = now
    }
  }

  /** The chains of all developers, without checkouts and payments. */
  async function verifyLedger() {
    let [accounts, transactions] = [0, 0]
    const mismatches: string[] = []
    let rows: AccountRow[] = []
    do {
      rows = await store.accountsAfter(rows.at(-1)?.developerId ?? '', ACCOUNTS_AT_ONCE)
      for (const account of rows) {
        const verified = await verifyAccount(account)
        accounts++
        transactions += verified.transactions
        mismatches.push(...verified.differences.slice(0, SHOWN_MAX - mismatches.length))
      }
    } while (rows.length === ACCOUNTS_AT_ONCE && mismatches.length < SHOWN_MAX)
    for (const { id } of await store.orphans(SHOWN_MAX)) mismatches.push(`transaction ${id} has no account`)
    return { accounts, transactions, mismatches }
  }

  async function verifyAll(): Promise<Verified> {
    const { accounts, transactions, mismatches } = await verifyLedger()
    let received = 0
    const collect = async (differences: AsyncIterable<string>) => {
      for await (const difference of differences) if (mismatches.push(difference) >= SHOWN_MAX) return
    }
    await collect(checkoutDifferences())
    await collect(paymentDifferences(() => received++))
    return { accounts, transactions, payments: received, mismatches: mismatches.slice(0, SHOWN_MAX) }
  }

  return { verifyAll, verifyLedger }
}

function groupedPostings(rows: readonly PostingRow[]): Map<string, Posting[]> {
  const groups = new Map<string, Posting[]>()
  for (const { transactionId, account, amount } of rows) {
    const group = groups.get(transactionId) ?? []
    group.push({ account: account as AccountName, amount })
    groups.set(transactionId, group)
  }
  return groups
}

/** The month of a usage charge is in its reference. */
function noteCharge(
  charged: Map<string, number>,
  { reference }: TransactionRow,
  postings: readonly Posting[],
) {
  const [kind, , period] = reference.split(':')
  if (kind !== 'usage' || period === undefined) return
  const cents = postings.find(({ account }) => account === 'usage')?.amount ?? 0
  charged.set(period, (charged.get(period) ?? 0) + cents)
}
