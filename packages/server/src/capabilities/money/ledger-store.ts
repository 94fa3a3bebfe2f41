import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import {
  insertRow,
  pageAfter,
  pageBefore,
  selectBy,
  upsertRow,
} from '../../engines/database/row-statements.ts'

export type { Transaction }

export type AccountRow = Tables['money_accounts']
export type TransactionRow = Tables['money_transactions']
export type PostingRow = Tables['money_postings']
export type LedgerStore = ReturnType<typeof createLedgerStore>

/** The ledger: accounts, transactions and their postings. */
export const createLedgerStore = (db: Database) => ({
  ...ledger(db),
  in: ledger,
  /** Serializes the changes of one developer's money. */
  change: <T>(developerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(lockOf(developerId), work),
  lock: (transaction: Transaction, developerId: string) => transaction.lock(lockOf(developerId)),

  list: (developerId: string, before: number, limit: number) =>
    db.all(listTransactions, { developerId, before, limit }),
  sequenceOf: async (developerId: string, id: string) =>
    (await db.first(findSequence, { developerId, id }))?.sequence,
  overdue: async () => (await db.all(listOverdue, {})).map(({ developerId }) => developerId),

  accountsAfter: (after: string, limit: number) => db.all(listAccounts, { after, limit }),
  transactionsAfter: (developerId: string, after: number, limit: number) =>
    db.all(listAfter, { developerId, after, limit }),
  postingsBetween: (developerId: string, first: number, last: number) =>
    db.all(listPostings, { developerId, first, last }),
  /** Transactions without an account; there must be none. */
  orphans: (limit: number) => db.all(listOrphans, { limit }),
})

const lockOf = (developerId: string) => `money:${developerId}`

const ledger = (queries: Queries) => ({
  account: (developerId: string) => queries.first(findAccount, { developerId }),
  writeAccount: (account: AccountRow) => queries.run(writeAccount, account),
  /** Whether this cause is already booked. */
  hasReference: async (reference: string) =>
    (await queries.first(findReference, { reference })) !== undefined,
  insert: (transaction: TransactionRow) => queries.run(insertTransaction, transaction),
  insertPosting: (posting: PostingRow) => queries.run(insertPosting, posting),
})

const accountColumns = [
  'developerId',
  'prepaid',
  'invite',
  'owed',
  'owedOther',
  'sequence',
  'hash',
  'lastTopup',
  'updatedAt',
] as const
const transactionColumns = [
  'developerId',
  'sequence',
  'id',
  'at',
  'type',
  'reference',
  'amount',
  'balanceAfter',
  'description',
  'hash',
] as const

const findAccount = selectBy('money_accounts', accountColumns, ['developerId'])
const writeAccount = upsertRow('money_accounts', accountColumns, ['developerId'])
const findReference = selectBy('money_transactions', ['id'], ['reference'])
const insertTransaction = insertRow('money_transactions', transactionColumns)
const insertPosting = insertRow('money_postings', ['transactionId', 'account', 'amount'])
const listTransactions = pageBefore(
  'money_transactions',
  ['id', 'at', 'type', 'amount', 'balanceAfter', 'description'],
  ['developerId'],
  'sequence',
)
const findSequence = selectBy('money_transactions', ['sequence'], ['developerId', 'id'])
const listOverdue = statement((q) =>
  q
    .selectFrom('money_accounts')
    .select('developerId')
    // As in the index.
    .where(sql<boolean>`owed < 0 or "owedOther" < 0`),
)

const listAccounts = pageAfter('money_accounts', accountColumns, [], 'developerId')
const listAfter = pageAfter('money_transactions', transactionColumns, ['developerId'], 'sequence')
const listPostings = statement(
  (q, { developerId, first, last }: { developerId: string; first: number; last: number }) =>
    q
      .selectFrom('money_postings as posting')
      .innerJoin('money_transactions as booked', 'booked.id', 'posting.transactionId')
      .select(['posting.transactionId', 'posting.account', 'posting.amount'])
      .where('booked.developerId', '=', developerId)
      .where('booked.sequence', '>=', first)
      .where('booked.sequence', '<=', last),
)
const listOrphans = statement((q, { limit }: { limit: number }) =>
  q
    .selectFrom('money_transactions as booked')
    .leftJoin('money_accounts as account', 'account.developerId', 'booked.developerId')
    .select('booked.id')
    .where('account.developerId', 'is', null)
    .limit(limit),
)
