import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS, SECOND_MS } from '../../platform/clock.ts'
import { newKey, startServiceWithStripe, type TestDeveloper, URLS } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'

suite('payments through Stripe', { start: startServiceWithStripe }, ({ service }) => {
  const CHECKOUT = '/v1/money/prepaid/checkout'
  const prepaid = async (developer: TestDeveloper) => (await developer.call('GET', '/v1/money/prepaid')).body
  const start = async (developer: TestDeveloper, amount = 1_000, key = newKey()) =>
    (await developer.call('POST', CHECKOUT, { amount, ...URLS }, key)).body as { id: string; url: string }
  const poll = async (developer: TestDeveloper, id: string) =>
    (await developer.call('GET', `/v1/money/prepaid/checkouts/${id}`)).body.status
  const noMismatch = async () => assert.deepEqual((await service.money.verify()).mismatches, [])

  test('[MON-04] the page of the checkout is at Stripe, and asks for card authentication', async () => {
    const ada = await service.newDeveloper()
    const { id, url } = await start(ada)
    const session = service.stripe.sessionOf(id)
    assert.equal(url, session.url)
    assert.deepEqual([session.amount_total, session.currency], [1_000, 'usd'])
    assert.equal((await service.call('GET', '/v1/platform/info')).body.billing, 'stripe')
    assert.equal((await service.call('GET', `/checkout/test/${id}`)).status, 404)
  })

  test('[MON-06] an event that arrives twice, also concurrently, is booked once', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = service.stripe.pay(id)
    const again = { id: 'evt_same' }
    const statuses = await Promise.all([
      service.stripe.completed(session, again),
      service.stripe.completed(session, again),
      service.stripe.completed(session),
      service.stripe.emit('checkout.session.async_payment_succeeded', session),
    ])
    assert.deepEqual(statuses, [200, 200, 200, 200])
    assert.equal((await prepaid(ada)).balance, 1_000)
    assert.equal(await poll(ada, id), 'paid')
    await noMismatch()
  })

  test('[MON-06] events that are forged, unsigned, altered or too old answer 400 and book nothing', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = { ...service.stripe.sessionOf(id), payment_status: 'paid', payment_intent: 'pi_forged' }
    const emit = (options: object) => service.stripe.emit('checkout.session.completed', session, options)
    assert.equal(await emit({ secret: 'whsec_other' }), 400)
    assert.equal(await emit({ signature: '' }), 400)
    assert.equal(await emit({ signature: 't=1,v1=00' }), 400)
    assert.equal(await emit({ ageSeconds: 301 }), 400)
    assert.equal(await emit({ ageSeconds: -301 }), 400)
    assert.equal((await prepaid(ada)).balance, 0)

    const refused = await service.call('POST', '/v1/money/webhooks/stripe', { id: 'evt_1' })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_signature'])
    const large = await service.call('POST', '/v1/money/webhooks/stripe', { id: 'x'.repeat(256 * 1024) })
    assert.equal(large.status, 413)
    assert.equal(await emit({ ageSeconds: 299 }), 200)
    assert.equal((await prepaid(ada)).balance, 1_000)
    // A clock that is a little late must not reject everything.
    assert.equal(await emit({ ageSeconds: -299 }), 200)
  })

  test('[MON-06] unknown events, events about others and unpaid sessions answer 200 and change nothing', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = service.stripe.sessionOf(id)
    const { stripe } = service
    const foreign = { ...session, id: 'cs_x', client_reference_id: 'chk_foreign', payment_status: 'paid' }
    assert.equal(await stripe.emit('customer.created', { id: 'cus_1' }), 200)
    assert.equal(await stripe.emit('checkout.session.completed', session), 200)
    assert.equal(await stripe.emit('checkout.session.completed', { ...foreign, payment_intent: 'pi_x' }), 200)
    assert.equal(
      await stripe.emit('checkout.session.completed', { ...foreign, client_reference_id: null }),
      200,
    )
    assert.equal(await stripe.refunded({ ...session, payment_intent: 'pi_unknown' }, 100), 200)
    assert.equal((await prepaid(ada)).balance, 0)
    assert.equal(await poll(ada, id), 'open')
  })

  test('[MON-06] another currency or amount than that of the checkout is not booked, and is reported', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const paid = { ...service.stripe.sessionOf(id), payment_status: 'paid', payment_intent: 'pi_odd' }
    const { emit } = service.stripe
    const completed = 'checkout.session.completed'
    assert.equal(await emit(completed, { ...paid, amount_total: 1 }, { id: 'evt_amount' }), 200)
    assert.equal(await emit(completed, { ...paid, currency: 'eur' }, { id: 'evt_currency' }), 200)
    assert.equal((await prepaid(ada)).balance, 0)
    const { mismatches } = await service.money.verify()
    assert.deepEqual(
      mismatches.map((text) => text.split(' ')[1]),
      ['evt_amount', 'evt_currency'],
    )
    await service.db.transaction((transaction) =>
      transaction.search((q) => q.deleteFrom('money_events').where('outcome', '=', 'refused')),
    )
  })

  test('[MON-06] after a lost event, polling asks Stripe, at most every 10 seconds', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const asked = () =>
      service.stripe.requests.filter((line) => line.startsWith('GET /v1/checkout/sessions/cs')).length
    const before = asked()
    assert.equal(await poll(ada, id), 'open')
    service.stripe.pay(id)
    assert.equal(await poll(ada, id), 'open')
    assert.equal(asked() - before, 1)
    service.clock.advance(10 * SECOND_MS)
    assert.equal(await poll(ada, id), 'paid')
    assert.equal((await prepaid(ada)).balance, 1_000)
    assert.equal(await service.stripe.completed(service.stripe.sessionOf(id)), 200)
    assert.equal((await prepaid(ada)).balance, 1_000)
  })

  test('[MON-06] after a lost event, the hourly job asks Stripe for all open checkouts', async () => {
    const [ada, bob] = [await service.newDeveloper(), await service.newDeveloper()]
    const [first, second] = [await start(ada), await start(bob, 2_000)]
    service.stripe.pay(first.id)
    service.stripe.expire(second.id)
    service.clock.advance(HOUR_MS)
    await service.everyHour()
    assert.equal((await prepaid(ada)).balance, 1_000)
    assert.equal(await poll(bob, second.id), 'expired')
    await noMismatch()
  })

  test('[MON-06] a bank transfer that Stripe still processes stays open past 24 hours, and is booked when it arrives', async () => {
    const [ada, bob] = [await service.newDeveloper(), await service.newDeveloper()]
    const [first, second] = [await start(ada), await start(bob)]
    const [slow, lost] = [service.stripe.transfer(first.id), service.stripe.transfer(second.id)]
    assert.equal(await service.stripe.completed(slow), 200)
    for (let day = 0; day < 3; day++) {
      service.clock.advance(DAY_MS)
      await service.everyHour()
      assert.equal(await poll(ada, first.id), 'open')
      assert.equal(await poll(bob, second.id), 'open')
    }
    service.stripe.transferred(slow)
    assert.equal(await service.stripe.emit('checkout.session.async_payment_succeeded', slow), 200)
    assert.equal(await poll(ada, first.id), 'paid')
    // The event of the other one is lost: polling finds the payment.
    service.stripe.transferred(lost)
    service.clock.advance(10 * SECOND_MS)
    assert.equal(await poll(bob, second.id), 'paid')
    assert.equal((await prepaid(bob)).balance, 1_000)
    await noMismatch()
  })

  test('[MON-06] a bank transfer that fails cancels the checkout, with the event and without it', async () => {
    const ada = await service.newDeveloper()
    const [told, lost] = [await start(ada), await start(ada)]
    const failed = service.stripe.transferFailed(service.stripe.transfer(told.id))
    service.stripe.transferFailed(service.stripe.transfer(lost.id))
    assert.equal(await service.stripe.emit('checkout.session.async_payment_failed', failed), 200)
    assert.equal(await poll(ada, told.id), 'cancelled')
    assert.equal(await poll(ada, lost.id), 'cancelled')
    assert.equal((await prepaid(ada)).balance, 0)
  })

  test('[MON-06] a page that nobody paid is expired after 24 hours', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    service.clock.advance(DAY_MS)
    assert.equal(await poll(ada, id), 'expired')
  })

  test("[MON-06] an event of Stripe's live mode is not booked with a test key, and is reported", async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const paid = {
      ...service.stripe.sessionOf(id),
      payment_status: 'paid' as const,
      payment_intent: 'pi_live',
    }
    const live = { id: 'evt_live', livemode: true }
    assert.equal(await service.stripe.completed(paid, live), 200)
    assert.equal(await service.stripe.completed(paid, live), 200)
    assert.equal(await service.stripe.emit('customer.created', { id: 'cus_1' }, { livemode: true }), 200)
    assert.equal((await prepaid(ada)).balance, 0)
    const { mismatches } = await service.money.verify()
    assert.deepEqual(
      mismatches.filter((text) => text.includes('evt_live')).map((text) => text.split(' ').slice(0, 2)),
      [['event', 'evt_live']],
    )
    await service.db.transaction((transaction) =>
      transaction.search((q) => q.deleteFrom('money_events').where('id', '=', 'evt_live')),
    )
  })

  test('[MON-06] a payment that arrives after the checkout expired is booked', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    assert.equal(await service.stripe.emit('checkout.session.expired', service.stripe.expire(id)), 200)
    assert.equal(await poll(ada, id), 'expired')
    const paid = {
      ...service.stripe.sessionOf(id),
      payment_status: 'paid' as const,
      payment_intent: 'pi_late',
    }
    assert.equal(await service.stripe.completed(paid), 200)
    assert.equal(await poll(ada, id), 'paid')
    assert.equal((await prepaid(ada)).balance, 1_000)
  })

  test('[MON-08] refunds take paid credit, never invite credit; what is missing is owed', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = service.stripe.pay(id)
    await service.stripe.completed(session)
    assert.equal(await service.stripe.refunded(session, 300), 200)
    // In another order and twice: the total of a refund only grows.
    assert.equal(await service.stripe.refunded(session, 700), 200)
    assert.equal(await service.stripe.refunded(session, 300), 200)
    assert.equal(await service.stripe.refunded(session, 700), 200)
    assert.deepEqual(await prepaid(ada), { balance: 300, owed: 0, invite: null })
    await noMismatch()
  })

  test('[MON-06] a refund that arrives before its payment books both, in order', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = service.stripe.pay(id)
    assert.equal(await service.stripe.refunded(session, 400), 200)
    assert.equal(await service.stripe.completed(session), 200)
    assert.equal((await prepaid(ada)).balance, 600)
    const { entries } = (await ada.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual(
      entries.map(({ type, amount }: Record<string, unknown>) => [type, amount]),
      [
        ['refund', -400],
        ['topup', 1_000],
      ],
    )
  })

  test('[MON-04] a failed request to Stripe is repeated with the same key; an outage answers 503', async () => {
    const ada = await service.newDeveloper()
    service.stripe.fail(1)
    assert.ok((await start(ada)).url)

    const key = newKey()
    service.stripe.fail(3)
    const refused = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'service_unavailable'])
    service.stripe.fail(0)
    const { status, body } = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)
    assert.equal(status, 200)
    const rows = await service.db.search((q) =>
      q
        .selectFrom('money_checkouts')
        .select('id')
        .where('developerId', '=', ada.id)
        .where('amount', '=', 500),
    )
    assert.deepEqual(rows, [{ id: body.id }])
  })

  test('[MON-06] while Stripe is unavailable a poll shows the known state, and a refund of an unknown payment answers 503', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    const session = service.stripe.pay(id)
    service.stripe.fail(3)
    assert.equal(await poll(ada, id), 'open')
    service.stripe.fail(3)
    assert.equal(await service.stripe.refunded(session, 100), 503)
    service.stripe.fail(0)
    assert.equal(await service.stripe.refunded(session, 100), 200)
    assert.equal((await prepaid(ada)).balance, 900)
  })

  test('the verification asks for open checkouts first, and reports a payment at Stripe that cannot be booked', async () => {
    const ada = await service.newDeveloper()
    const { id } = await start(ada)
    assert.equal(await poll(ada, id), 'open')
    const session = service.stripe.pay(id)
    await noMismatch()
    assert.equal((await prepaid(ada)).balance, 1_000)

    const other = await start(ada)
    const odd = Object.assign(service.stripe.pay(other.id), { amount_total: 999 })
    const { mismatches } = await service.money.verify()
    assert.deepEqual(
      mismatches.map((text) => text.split(' ').slice(0, 2)),
      [
        ['event', `asked:${other.id}`],
        ['payment', odd.payment_intent],
      ],
    )
    assert.equal(await service.stripe.completed(session), 200)
    assert.equal((await prepaid(ada)).balance, 1_000)
  })
})
