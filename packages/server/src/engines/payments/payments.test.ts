import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { InvalidSignatureError } from '../../platform/ports/payments.ts'
import { type FakeStripe, startFakeStripe } from '../../testing/stripe-server.ts'
import { openPayments } from './open.ts'
import { openStripe } from './stripe.ts'

const clock = createStoppedClock()
const checkout = (id: string, amountCents = 500) => ({
  id,
  amountCents,
  successUrl: 'https://game.example/thanks',
  cancelUrl: 'https://game.example/back',
})

describe('payments through Stripe', () => {
  let stripe: FakeStripe
  before(async () => void (stripe = await startFakeStripe({ nowMs: () => clock.now().getTime() })))
  after(() => stripe.stop())
  const open = (secretKey = stripe.secretKey) =>
    openStripe({ secretKey, webhookSecret: stripe.webhookSecret, apiBaseUrl: stripe.origin })

  test('[MON-04] the same checkout returns the same page; another amount with the same id is rejected', async () => {
    const payments = open()
    const first = await payments.createCheckout(checkout('chk_1'))
    assert.deepEqual(await payments.createCheckout(checkout('chk_1')), first)
    assert.equal(first.expiresAt, '2026-01-02T00:00:00.000Z')
    await assert.rejects(payments.createCheckout(checkout('chk_1', 600)), { type: 'StripeIdempotencyError' })
  })

  test('a wrong key, an amount that Stripe does not accept and an unknown page are errors', async () => {
    await assert.rejects(open('sk_test_wrong').createCheckout(checkout('chk_2')), {
      type: 'StripeAuthenticationError',
    })
    await assert.rejects(open().createCheckout(checkout('chk_3', 49)), {
      type: 'StripeInvalidRequestError',
    })
    await assert.rejects(open().readCheckout({ providerId: 'cs_test_unknown', expiresAt: '' }), {
      type: 'StripeInvalidRequestError',
    })
  })

  test('[MON-06] the state of a page, and the checkout of a payment, are read from Stripe', async () => {
    const payments = open()
    const created = await payments.createCheckout(checkout('chk_4'))
    const unpaid = { status: 'open', amountCents: 500, currency: 'usd', paymentId: null }
    assert.deepEqual(await payments.readCheckout(created), unpaid)
    const { payment_intent: paymentId } = stripe.pay('chk_4')
    assert.deepEqual(await payments.readCheckout(created), { ...unpaid, status: 'paid', paymentId })
    assert.equal(await payments.findCheckout(paymentId ?? ''), 'chk_4')
    assert.equal(await payments.findCheckout('pi_unknown'), undefined)
  })

  test('all payments since a time are listed, over several pages', async () => {
    const payments = open()
    const ids = Array.from({ length: 120 }, (_, i) => `chk_many${i}`)
    for (const id of ids) {
      await payments.createCheckout(checkout(id))
      stripe.pay(id)
    }
    await payments.createCheckout(checkout('chk_unpaid'))
    const listed = await Array.fromAsync(payments.payments(0) ?? [])
    assert.deepEqual(new Set(listed.map(({ checkoutId }) => checkoutId)), new Set([...ids, 'chk_4']))
    assert.deepEqual(await Array.fromAsync(payments.payments(clock.now().getTime() + 1_000) ?? []), [])
  })

  test('[MON-06] an event without a valid signature is rejected, regardless of its content', () => {
    for (const body of ['', '{}', 'nonsense', '{"type":"checkout.session.completed"}'])
      for (const signature of [undefined, '', 't=,v1=', 'v1=abc', 't=1767225600,v1=abc'])
        assert.throws(
          () => open().readEvent(Buffer.from(body), signature, clock.now().getTime()),
          InvalidSignatureError,
        )
  })
})

test('without Stripe there is a test page; with billing off there are no payments', async () => {
  const deps = { baseUrl: 'https://api.example.com', clock }
  const payments = await openPayments({ provider: 'test' }, deps)
  assert.deepEqual(await payments?.createCheckout(checkout('chk_1')), {
    providerId: 'chk_1',
    url: 'https://api.example.com/checkout/test/chk_1',
    expiresAt: '2026-01-02T00:00:00.000Z',
  })
  assert.equal(payments?.payments(0), undefined)
  assert.equal(await openPayments({ provider: 'off' }, deps), undefined)
})

test('the library of Stripe is imported by one file, and that file only where Stripe is configured', () => {
  const src = join(import.meta.dirname, '../..')
  const importing = (sign: RegExp) =>
    globSync('**/*.ts', { cwd: src })
      .filter((path) => !/\.test\.ts$|^testing\//.test(path))
      .filter((path) => sign.test(readFileSync(join(src, path), 'utf8')))
  assert.deepEqual(importing(/from 'stripe'|import\('stripe'\)/), [join('engines', 'payments', 'stripe.ts')])
  assert.deepEqual(importing(/from '[^']*payments\/stripe\.ts'|from '\.\/stripe\.ts'/), [])
})
