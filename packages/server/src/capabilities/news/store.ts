import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { countBy, deleteBy, insertNew, selectBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type Subscription = Tables['news_subscriptions']
type NewsMail = Tables['news_mails']
export type NewsStore = ReturnType<typeof createNewsStore>

/** Subscriptions to news, and the mails that were sent. */
export const createNewsStore = (db: Database) => ({
  find: (environmentId: string, playerId: string) => db.first(findSubscription, { environmentId, playerId }),
  findIn: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.first(findSubscription, { environmentId, playerId }),
  write: (transaction: Transaction, subscription: Subscription) =>
    transaction.run(writeSubscription, subscription),
  /** False if the token is unknown, has expired, or the address was unsubscribed since. */
  confirm: async (tokenHash: string, now: string, askedAfter: string) =>
    (await db.run(confirmSubscription, { tokenHash, now, askedAfter })) > 0,

  /** Serializes unsubscribing and sending to one address, on all nodes. */
  change: <T>(addressHash: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`news:${addressHash}`, work),
  unsubscribe: (transaction: Transaction, addressHash: string) =>
    transaction.run(unsubscribeAddress, { addressHash }),

  remove: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeSubscription, { environmentId, playerId }),

  /** Addresses with a confirmed subscription, each once, in one order on every node. */
  addresses: async (after: string, limit: number) =>
    (await db.all(listAddresses, { after, limit })).map(({ addressHash }) => addressHash),
  confirmedOf: (addressHash: string) => db.all(listConfirmed, { addressHash }),
  isConfirmed: async (transaction: Transaction, environmentId: string, playerId: string) =>
    (await transaction.first(findSubscription, { environmentId, playerId }))?.status === 'confirmed',

  hasGot: async (addressHash: string, issue: string) =>
    (await db.first(findMail, { addressHash, issue })) !== undefined,
  countOf: async (addressHash: string, month: string) =>
    (await db.first(countMails, { addressHash, month }))?.count ?? 0,
  countIn: async (transaction: Transaction, addressHash: string, month: string) =>
    (await transaction.first(countMails, { addressHash, month }))?.count ?? 0,
  /** False if this address already got this issue. */
  recordMail: async (transaction: Transaction, mail: NewsMail) =>
    (await transaction.run(insertMail, mail)) > 0,
  deleteMonthsBefore: (month: string, stopping?: AbortSignal) => removeOld(db, oldMonths, month, stopping),
})

const subscriptionColumns = [
  'environmentId',
  'playerId',
  'email',
  'addressHash',
  'language',
  'status',
  'tokenHash',
  'createdAt',
  'confirmedAt',
] as const

const findSubscription = selectBy('news_subscriptions', subscriptionColumns, ['environmentId', 'playerId'])
const writeSubscription = upsertRow('news_subscriptions', subscriptionColumns, ['environmentId', 'playerId'])
const confirmSubscription = statement(
  (q, { tokenHash, now, askedAfter }: { tokenHash: string; now: string; askedAfter: string }) =>
    q
      .updateTable('news_subscriptions')
      .set((e) => ({ status: 'confirmed', confirmedAt: e.fn.coalesce('confirmedAt', e.val(now)) }))
      .where('tokenHash', '=', tokenHash)
      .where('status', 'in', ['pending', 'confirmed'])
      .where('createdAt', '>', askedAfter),
)
const unsubscribeAddress = statement((q, { addressHash }: { addressHash: string }) =>
  q.updateTable('news_subscriptions').set({ status: 'unsubscribed' }).where('addressHash', '=', addressHash),
)
const removeSubscription = deleteBy('news_subscriptions', ['environmentId', 'playerId'])

const listAddresses = statement((q, { after, limit }: { after: string; limit: number }) =>
  q
    .selectFrom('news_subscriptions')
    .select('addressHash')
    .where('addressHash', '>', after)
    .where('status', '=', 'confirmed')
    .groupBy('addressHash')
    .orderBy('addressHash')
    .limit(limit),
)
const listConfirmed = statement((q, { addressHash }: { addressHash: string }) =>
  q
    .selectFrom('news_subscriptions')
    .select(subscriptionColumns)
    .where('addressHash', '=', addressHash)
    .where('status', '=', 'confirmed')
    .orderBy('confirmedAt'),
)

const findMail = selectBy('news_mails', ['place'], ['issue', 'addressHash'])
const countMails = countBy('news_mails', ['addressHash', 'month'])
const insertMail = insertNew(
  'news_mails',
  ['addressHash', 'month', 'place', 'issue', 'sentAt'],
  ['issue', 'addressHash'],
)
const oldMonths = removalBefore('news_mails', ['month'])
