import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as fc from 'fast-check'

import { createStoppedClock } from '../../platform/clock.ts'
import { createIds, systemRandom } from '../../platform/random.ts'
import { openTestDatabase } from '../../testing/databases.ts'
import { runs } from '../../testing/runs.ts'
import { engines } from '../../testing/service.ts'
import { createCheckoutStore } from './checkout-store.ts'
import { createLedgerStore } from './ledger-store.ts'
import { createLedger } from './ledger.ts'
import { type Movement, postingsOf, settleable } from './postings.ts'
import { createUsageStore } from './usage-store.ts'
import { createVerify } from './verify.ts'

const cents = fc.integer({ min: 1, max: 5_000 })
const debt = fc.nat(9_000).map((n) => 0 - n)
const booking: fc.Arbitrary<Movement> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('topup' as const), cents }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('usage' as const), cents }) },
  fc.record({ type: fc.constant('invite' as const), cents: fc.constant(500) }),
  fc.record({ type: fc.constantFrom('refund' as const, 'reinstatement' as const), cents }),
  fc.record({
    type: fc.constant('adjustment' as const),
    cents: fc.integer({ min: -3_000, max: 3_000 }).filter((value) => value !== 0),
  }),
)
const history = fc.array(
  fc.record({ who: fc.constantFrom('dev_a', 'dev_b'), booking, twice: fc.boolean() }),
  {
    maxLength: 30,
  },
)

/** The same rules as simple arithmetic. Invite credit pays only usage. */
type Purse = { paid: number; invite: number; usageDebt: number; otherDebt: number }
function apply(purse: Purse, { type, cents: amount }: Movement): void {
  if (type === 'invite') purse.invite += amount
  else if (type === 'usage') purse.usageDebt += amount
  else if (type === 'refund') purse.otherDebt += amount
  else if (type === 'adjustment' && amount < 0) purse.otherDebt -= amount
  else purse.paid += amount
  pay('invite', 'usageDebt')
  pay('paid', 'otherDebt')
  pay('paid', 'usageDebt')

  function pay(from: 'invite' | 'paid', debt: 'usageDebt' | 'otherDebt') {
    const paid = Math.min(purse[from], purse[debt])
    purse[from] -= paid
    purse[debt] -= paid
  }
}

for (const engine of engines) {
  test(`[MON-03] [MON-08] random histories agree with simple arithmetic after every step, on ${engine}`, async (t) => {
    const { db, close } = await openTestDatabase(engine)
    t.after(close)
    const clock = createStoppedClock()
    const store = createLedgerStore(db)
    const ids = createIds(clock, systemRandom)
    const deps = { clock, ids, noteChange: async () => {}, announce: () => {} }
    const ledger = createLedger(store, deps)
    const [checkouts, usage] = [createCheckoutStore(db), createUsageStore(db)]
    const { verifyAll: verify } = createVerify(store, { clock, checkouts, usage, payments: undefined })
    let round = 0

    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        round++
        const purses = new Map<string, Purse>()
        const sums = new Map<string, number>()
        for (const [at, { who, booking: wanted, twice }] of steps.entries()) {
          const developerId = `${who}${round}`
          const purse = purses.get(developerId) ?? { paid: 0, invite: 0, usageDebt: 0, otherDebt: 0 }
          purses.set(developerId, purse)
          // Not "usage:…", whose months the verification compares with charges.
          const reference = `${round}:${at}`
          const once = () =>
            ledger.change(developerId, (book) => book({ ...wanted, reference, description: '' }))
          const booked = twice ? await Promise.all([once(), once()]) : [await once()]
          assert.equal(booked.filter(Boolean).length, 1)
          apply(purse, wanted)

          const funds = await ledger.funds(developerId)
          const [usageDebt, otherDebt] = [Math.abs(funds.owed), Math.abs(funds.owedOther)]
          assert.deepEqual({ paid: funds.prepaid, invite: funds.invite, usageDebt, otherDebt }, purse)
          const { entries } = await ledger.list(developerId, { limit: 200 })
          const sum = entries.reduce((total, { amount }) => total + amount, 0)
          assert.equal(sum, purse.paid + purse.invite)
          assert.equal(entries[0]?.balanceAfter, sum)
          sums.set(developerId, sum)
        }
        const { mismatches } = await verify()
        assert.deepEqual(mismatches, [])
      }),
      { numRuns: runs(12, 200) },
    )
  })
}

test('[MON-03] the postings of every movement sum to 0 and keep the accounts in their bounds', () => {
  fc.assert(
    fc.property(
      fc.record({ prepaid: fc.nat(9_000), invite: fc.nat(500), owed: debt, owedOther: debt }),
      booking,
      (funds, movement) => {
        const postings = postingsOf(funds, movement)
        assert.equal(
          postings.reduce((sum, { amount }) => sum + amount, 0),
          0,
        )
        const of = (name: string) => postings.find(({ account }) => account === name)?.amount ?? 0
        assert.ok(funds.prepaid + of('prepaid') >= 0)
        assert.ok(funds.invite + of('invite') >= 0)
        assert.ok(funds.owed + of('owed') <= 0)
        assert.ok(funds.owedOther + of('owedOther') <= 0)
        // MON-08: only usage takes invite credit.
        if (movement.type !== 'usage') assert.ok(of('invite') >= 0)
        // …also when it was owed before.
        const settled = postingsOf(funds, { type: 'settlement', cents: settleable(funds) })
        const amount = (name: string) => settled.find(({ account }) => account === name)?.amount ?? 0
        assert.ok(-amount('invite') <= amount('owed'))
        assert.equal(amount('owed') + amount('owedOther'), settleable(funds))
      },
    ),
  )
})
