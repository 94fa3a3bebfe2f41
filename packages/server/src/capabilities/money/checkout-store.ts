import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { removalBefore } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { insertNew, insertRow, selectBy, updateBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type CheckoutRow = Tables['money_checkouts']
type EventRow = Tables['money_events']
type DisputeRow = Tables['money_disputes']
export type CheckoutStore = ReturnType<typeof createCheckoutStore>

/** Checkouts, the events of the payment provider, and disputes. */
export const createCheckoutStore = (db: Database) => ({
  ...checkouts(db),
  in: checkouts,
  /** Open checkouts in the order of their ids. */
  listOpen: (afterId: string, limit: number) => db.all(listOpen, { afterId, limit }),
  /** Paid checkouts in the order of their ids. */
  listPaid: (afterId: string, limit: number) => db.all(listPaid, { afterId, limit }),
  recordEvent: (event: EventRow) => db.run(recordEvent, event),
  /** Events that were rejected because they do not match their checkout. */
  listRefusedEvents: (since: string, limit: number) => db.all(listRefusedEvents, { since, limit }),
  purge: async (before: { unpaid: string; events: string }, stopping?: AbortSignal) => {
    await removeOld(db, oldUnpaid, before.unpaid, stopping)
    await removeOld(db, oldEvents, before.events, stopping)
  },
})

const checkouts = (queries: Queries) => ({
  find: (id: string) => queries.first(findCheckout, { id }),
  findByKey: (developerId: string, idempotencyKey: string) =>
    queries.first(findByKey, { developerId, idempotencyKey }),
  findByPayment: (paymentId: string) => queries.first(findByPayment, { paymentId }),
  insert: (checkout: CheckoutRow) => queries.run(insertCheckout, checkout),
  releaseKey: (id: string) => queries.run(releaseKey, { id }),
  setProvider: (id: string, provider: { providerId: string; url: string; expiresAt: string }) =>
    queries.run(setProvider, { id, ...provider }),
  /** True for one caller, if the checkout was not polled since this time. */
  claimAsking: async (id: string, askedAt: string, notAskedSince: string) =>
    (await queries.run(claimAsking, { id, askedAt, notAskedSince })) === 1,
  setPaid: (id: string, paymentId: string, paidAt: string) => queries.run(setPaid, { id, paymentId, paidAt }),
  end: (id: string, status: 'expired' | 'cancelled') => queries.run(endOpen, { id, status }),
  setReturned: (id: string, refunded: number, disputed: number) =>
    queries.run(setReturned, { id, refunded, disputed }),
  recordEvent: (event: EventRow) => queries.run(recordEvent, event),
  disputes: (checkoutId: string) => queries.all(listDisputes, { checkoutId }),
  writeDispute: (dispute: DisputeRow) => queries.run(writeDispute, dispute),
})

const checkoutColumns = [
  'id',
  'developerId',
  'idempotencyKey',
  'amount',
  'successUrl',
  'cancelUrl',
  'status',
  'providerId',
  'url',
  'createdAt',
  'expiresAt',
  'askedAt',
  'paidAt',
  'paymentId',
  'refunded',
  'disputed',
] as const

const disputeColumns = ['id', 'checkoutId', 'withdrawn', 'reinstated'] as const

const findCheckout = selectBy('money_checkouts', checkoutColumns, ['id'])
const findByKey = selectBy('money_checkouts', checkoutColumns, ['developerId', 'idempotencyKey'])
const findByPayment = selectBy('money_checkouts', checkoutColumns, ['paymentId'])
const insertCheckout = insertRow('money_checkouts', checkoutColumns)
const releaseKey = statement((q, { id }: { id: string }) =>
  q.updateTable('money_checkouts').set({ idempotencyKey: null }).where('id', '=', id),
)
const setProvider = updateBy('money_checkouts', ['providerId', 'url', 'expiresAt'], ['id'])
const claimAsking = statement(
  (q, { id, askedAt, notAskedSince }: { id: string; askedAt: string; notAskedSince: string }) =>
    q
      .updateTable('money_checkouts')
      .set({ askedAt })
      .where('id', '=', id)
      .where('status', '=', 'open')
      .where((eb) => eb.or([eb('askedAt', 'is', null), eb('askedAt', '<=', notAskedSince)])),
)
const setPaid = statement((q, { id, paymentId, paidAt }: { id: string; paymentId: string; paidAt: string }) =>
  q.updateTable('money_checkouts').set({ status: 'paid', paymentId, paidAt }).where('id', '=', id),
)
const endOpen = statement((q, { id, status }: { id: string; status: string }) =>
  q.updateTable('money_checkouts').set({ status }).where('id', '=', id).where('status', '=', 'open'),
)
const setReturned = updateBy('money_checkouts', ['refunded', 'disputed'], ['id'])
const listDisputes = selectBy('money_disputes', disputeColumns, ['checkoutId'])
const writeDispute = upsertRow('money_disputes', disputeColumns, ['id'], ['withdrawn', 'reinstated'])
const listOpen = statement((q, { afterId, limit }: { afterId: string; limit: number }) =>
  q
    .selectFrom('money_checkouts')
    .select(checkoutColumns)
    .where('status', '=', sql.lit('open'))
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit),
)
const listPaid = statement((q, { afterId, limit }: { afterId: string; limit: number }) =>
  q
    .selectFrom('money_checkouts')
    .select(checkoutColumns)
    .where('status', '=', 'paid')
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit),
)
const recordEvent = insertNew('money_events', ['id', 'type', 'at', 'outcome'], ['id'])
const listRefusedEvents = statement((q, { since, limit }: { since: string; limit: number }) =>
  q
    .selectFrom('money_events')
    .select(['id', 'type', 'at', 'outcome'])
    .where('outcome', '=', 'refused')
    .where('at', '>=', since)
    .orderBy('at')
    .limit(limit),
)
const oldUnpaid = removalBefore('money_checkouts', ['createdAt'], {
  when: sql`status in ('expired', 'cancelled')`,
})
const oldEvents = removalBefore('money_events', ['at'])
