import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { createStoppedClock } from '../../platform/clock.ts'
import type { PaymentEvent } from '../../platform/ports/payments.ts'
import { createIds, systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { runs } from '../../testing/runs.ts'
import { engines } from '../../testing/service.ts'
import { createCheckoutStore } from './checkout-store.ts'
import { createLedgerStore } from './ledger-store.ts'
import { createLedger } from './ledger.ts'
import { createPaymentEvents } from './payment-events.ts'
import { createUsageStore } from './usage-store.ts'
import { createVerify } from './verify.ts'

const AMOUNT = 1_000
const cents = fc.integer({ min: 1, max: AMOUNT })

/** What happens to one payment: refunds that add up, and disputes that are won in whole, in part, or not. */
const history = fc
  .record({
    refunds: fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 3 }),
    disputes: fc.array(
      fc.record({ withdrawn: cents, reinstated: fc.option(cents), isWithdrawalLost: fc.boolean() }),
      { maxLength: 3 },
    ),
    spent: fc.integer({ min: 0, max: AMOUNT }),
  })
  .chain((wanted) =>
    fc.record({ wanted: fc.constant(wanted), order: fc.array(fc.nat(), { minLength: 15, maxLength: 15 }) }),
  )
type Wanted = {
  refunds: number[]
  disputes: { withdrawn: number; reinstated: number | null; isWithdrawalLost: boolean }[]
}

/** The events that the provider sends about it, and the sum that is returned in the end. */
function eventsOf(paymentId: string, { refunds, disputes }: Wanted) {
  let returned = 0
  const events: PaymentEvent[] = []
  const head = (type: string) => ({ id: `${paymentId}:evt${events.length}`, type })
  for (const refund of refunds) {
    returned += refund
    events.push({ ...head('r'), kind: 'refunded', paymentId, totalCents: returned, currency: 'usd' })
  }
  disputes.forEach(({ withdrawn: withdrawnCents, reinstated, isWithdrawalLost }, at) => {
    const reinstatedCents = Math.min(withdrawnCents, reinstated ?? 0)
    const dispute = { disputeId: `${paymentId}:${at}`, paymentId, withdrawnCents, currency: 'usd' }
    returned += withdrawnCents - reinstatedCents
    if (reinstatedCents === 0 || !isWithdrawalLost)
      events.push({ ...head('w'), kind: 'disputed', ...dispute, reinstatedCents: 0 })
    if (reinstatedCents > 0) events.push({ ...head('i'), kind: 'disputed', ...dispute, reinstatedCents })
  })
  return { events, returned: Math.min(AMOUNT, returned) }
}

for (const engine of engines) {
  test(`[MON-06] refunds and disputes in any order, each event twice, end with the same sums, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const clock = createStoppedClock()
    const ids = createIds(clock, systemRandom)
    const store = createLedgerStore(db)
    const ledger = createLedger(store, { clock, ids, noteChange: async () => {}, announce: () => {} })
    const checkouts = createCheckoutStore(db)
    const refused: string[] = []
    const events = createPaymentEvents(checkouts, {
      ledger,
      clock,
      payments: {
        provider: 'stripe',
        findCheckout: async () => undefined,
        readCheckout: () => Promise.reject(new Error('not asked')),
      },
      reportRefused: ({ reason }) => refused.push(reason),
    })
    const usage = createUsageStore(db)
    const { verifyAll: verify } = createVerify(store, { clock, checkouts, usage, payments: undefined })
    let round = 0

    await fc.assert(
      fc.asyncProperty(history, async ({ wanted, order }) => {
        const id = `chk_${++round}`
        const [developerId, paymentId] = [`dev_${round}`, `pi_${round}`]
        const at = clock.now().toISOString()
        await checkouts.insert({
          id,
          developerId,
          idempotencyKey: null,
          amount: AMOUNT,
          successUrl: '',
          cancelUrl: '',
          status: 'open',
          providerId: id,
          url: '',
          createdAt: at,
          expiresAt: at,
          askedAt: null,
          paidAt: null,
          paymentId: null,
          refunded: 0,
          disputed: 0,
        })
        const paid = { id: `${id}:paid`, type: 'p', checkoutId: id, paymentId, currency: 'usd' }
        await events.handle({ ...paid, kind: 'paid', amountCents: AMOUNT })
        if (wanted.spent > 0)
          await ledger.change(developerId, (book) =>
            book({ type: 'usage', cents: wanted.spent, reference: `spent:${round}`, description: '' }),
          )

        const { events: all, returned } = eventsOf(paymentId, wanted)
        const shuffled = [...all, ...all]
          .map((event, n) => ({ event, key: order[n % order.length] ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
        for (const { event } of shuffled) await events.handle(event)

        const { prepaid, owed, owedOther } = await ledger.funds(developerId)
        assert.equal(prepaid + owed + owedOther, AMOUNT - wanted.spent - returned)
        assert.ok(prepaid === 0 || owed + owedOther === 0)
        assert.deepEqual((await verify()).mismatches, [])
        assert.deepEqual(refused, [])
      }),
      { numRuns: runs(20, 300) },
    )
  })
}
