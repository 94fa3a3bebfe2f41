import { sql } from 'kysely'

import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type CheckoutRow = Tables['money_checkouts']
export type EventRow = Tables['money_events']
export type DisputeRow = Tables['money_disputes']
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
  purge: async (before: { unpaid: string; events: string }) => {
    await db.run(removeUnpaid, { before: before.unpaid })
    await db.run(removeEvents, { before: before.events })
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

const findCheckout = statement((q, { id }: { id: string }) =>
  q.selectFrom('money_checkouts').select(checkoutColumns).where('id', '=', id),
)
const findByKey = statement(
  (q, { developerId, idempotencyKey }: { developerId: string; idempotencyKey: string }) =>
    q
      .selectFrom('money_checkouts')
      .select(checkoutColumns)
      .where((e) => e.and({ developerId, idempotencyKey })),
)
const findByPayment = statement((q, { paymentId }: { paymentId: string }) =>
  q.selectFrom('money_checkouts').select(checkoutColumns).where('paymentId', '=', paymentId),
)
const insertCheckout = insertRow('money_checkouts', checkoutColumns)
const releaseKey = statement((q, { id }: { id: string }) =>
  q.updateTable('money_checkouts').set({ idempotencyKey: null }).where('id', '=', id),
)
const setProvider = statement(
  (
    q,
    { id, providerId, url, expiresAt }: { id: string; providerId: string; url: string; expiresAt: string },
  ) => q.updateTable('money_checkouts').set({ providerId, url, expiresAt }).where('id', '=', id),
)
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
const setReturned = statement(
  (q, { id, refunded, disputed }: { id: string; refunded: number; disputed: number }) =>
    q.updateTable('money_checkouts').set({ refunded, disputed }).where('id', '=', id),
)
const listDisputes = statement((q, { checkoutId }: { checkoutId: string }) =>
  q.selectFrom('money_disputes').select(disputeColumns).where('checkoutId', '=', checkoutId),
)
const writeDispute = statement((q, dispute: DisputeRow) => {
  const { withdrawn, reinstated } = dispute
  return q
    .insertInto('money_disputes')
    .values(columns(dispute, disputeColumns))
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ withdrawn, reinstated }))
})
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
const recordEvent = statement((q, event: EventRow) =>
  q
    .insertInto('money_events')
    .values(columns(event, ['id', 'type', 'at', 'outcome']))
    .onConflict((conflict) => conflict.column('id').doNothing()),
)
const listRefusedEvents = statement((q, { since, limit }: { since: string; limit: number }) =>
  q
    .selectFrom('money_events')
    .select(['id', 'type', 'at', 'outcome'])
    .where('outcome', '=', 'refused')
    .where('at', '>=', since)
    .orderBy('at')
    .limit(limit),
)
const removeUnpaid = statement((q, { before }: { before: string }) =>
  q
    .deleteFrom('money_checkouts')
    .where('status', 'in', ['expired', 'cancelled'])
    .where('createdAt', '<', before),
)
const removeEvents = statement((q, { before }: { before: string }) =>
  q.deleteFrom('money_events').where('at', '<', before),
)
