import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { HOUR_MS } from '../../platform/clock.ts'
import { newKey, pressTestPage, type TestDeveloper, topUp, URLS } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'

suite('money', {}, ({ service }) => {
  const CHECKOUT = '/v1/money/prepaid/checkout'
  let ada: TestDeveloper
  before(async () => void (ada = await service.newDeveloper()))

  test('[MON-02] a new account has no balance, owes nothing and has no invite', async () => {
    const { body } = await ada.call('GET', '/v1/money/prepaid')
    assert.deepEqual(body, { balance: 0, owed: 0, invite: null })
  })

  test('[MON-04] a checkout is created, paid on the test page, and booked', async () => {
    const bob = await service.newDeveloper()
    const { status, body } = await bob.call('POST', CHECKOUT, { amount: 1_000, ...URLS }, newKey())
    assert.equal(status, 200)
    assert.deepEqual(
      { ...body, id: '', url: '', expiresAt: '' },
      { id: '', url: '', status: 'open', amount: 1_000, currency: 'usd', expiresAt: '' },
    )
    assert.equal(new URL(body.url).pathname, `/checkout/test/${body.id}`)
    assert.equal(body.expiresAt, '2026-01-02T00:00:00.000Z')
    assert.equal((await bob.call('GET', '/v1/money/prepaid')).body.balance, 0)

    const page = await service.call('GET', `/checkout/test/${body.id}`)
    assert.match(page.body, /No money moves/)
    assert.match(page.body, /\$10\.00/)
    const paid = await pressTestPage(service, body.id, 'pay')
    assert.deepEqual(paid, { status: 303, location: URLS.successUrl })

    assert.equal((await bob.call('GET', `/v1/money/prepaid/checkouts/${body.id}`)).body.status, 'paid')
    assert.equal((await bob.call('GET', '/v1/money/prepaid')).body.balance, 1_000)
    const { entries, nextCursor } = (await bob.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual(
      entries.map(({ type, amount, balanceAfter }: Record<string, unknown>) => [type, amount, balanceAfter]),
      [['topup', 1_000, 1_000]],
    )
    assert.equal(nextCursor, null)
  })

  test('[MON-06] paying twice books once, and a checkout that has ended cannot be paid', async () => {
    const bob = await service.newDeveloper()
    const id = await topUp(service, bob, 700)
    assert.equal((await pressTestPage(service, id, 'pay')).status, 410)
    assert.equal((await pressTestPage(service, id, 'cancel')).status, 410)
    assert.equal((await bob.call('GET', '/v1/money/prepaid')).body.balance, 700)

    const { body } = await bob.call('POST', CHECKOUT, { amount: 500, ...URLS }, newKey())
    assert.deepEqual(await pressTestPage(service, body.id, 'cancel'), {
      status: 303,
      location: URLS.cancelUrl,
    })
    assert.equal((await pressTestPage(service, body.id, 'pay')).status, 410)
    assert.equal((await bob.call('GET', `/v1/money/prepaid/checkouts/${body.id}`)).body.status, 'cancelled')
    assert.equal((await bob.call('GET', '/v1/money/prepaid')).body.balance, 700)
  })

  test('[MON-06] a checkout of another developer, or one that does not exist, answers 404 checkout_not_found', async () => {
    const bob = await service.newDeveloper()
    const { body } = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, newKey())
    for (const id of [body.id, 'chk_01kc8wq4x2e5m7v9b3n6t1h8d0', 'x']) {
      const answer = await bob.call('GET', `/v1/money/prepaid/checkouts/${id}`)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'checkout_not_found'])
    }
    assert.equal((await service.call('GET', '/checkout/test/chk_nothing')).status, 404)
  })

  test('[MON-04] a missing or invalid key answers 400 invalid_idempotency_key', async () => {
    for (const headers of [{}, { 'idempotency-key': '' }, { 'idempotency-key': 'a b' }]) {
      const { status, body } = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, headers)
      assert.deepEqual([status, body.error.code], [400, 'invalid_idempotency_key'])
    }
  })

  test('[MON-04] the same key and body give the same checkout; another body answers 409', async () => {
    const key = newKey()
    const first = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)
    const second = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)
    assert.deepEqual(second.body, first.body)
    const other = await ada.call('POST', CHECKOUT, { amount: 600, ...URLS }, key)
    assert.deepEqual([other.status, other.body.error.code], [409, 'idempotency_key_reused'])

    const bob = await service.newDeveloper()
    const his = await bob.call('POST', CHECKOUT, { amount: 600, ...URLS }, key)
    assert.notEqual(his.body.id, first.body.id)
  })

  test('[MON-04] 20 concurrent requests with one key create one checkout', async () => {
    const bob = await service.newDeveloper()
    const key = newKey()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bob.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)),
    )
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.id))
    assert.equal(ids.size, 1)
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.error.code], [409, 'idempotency_key_in_use'])
    const rows = await service.db.search((q) =>
      q.selectFrom('money_checkouts').select('id').where('developerId', '=', bob.id),
    )
    assert.equal(rows.length, 1)
  })

  test('[MON-05] the amount is an integer from 500 to 1,000,000', async () => {
    for (const amount of [500, 1_000_000])
      assert.equal((await ada.call('POST', CHECKOUT, { amount, ...URLS }, newKey())).status, 200)
    const wrong = [499, 1_000_001, 500.5, 0, -500, 1e300, '500', null, true, [500], { amount: 500 }]
    for (const amount of wrong) {
      const { status, body } = await ada.call('POST', CHECKOUT, { amount, ...URLS }, newKey())
      assert.deepEqual([status, body.error.code], [400, 'invalid_amount'], JSON.stringify(amount))
    }
    const missing = await ada.call('POST', CHECKOUT, URLS, newKey())
    assert.deepEqual([missing.status, missing.body.error.code], [400, 'invalid_request'])
  })

  test('[MON-04] return URLs are https, or http on loopback, with at most 2,000 characters', async () => {
    const long = (length: number) => `https://game.example/${'a'.repeat(length - 21)}`
    const good = [
      'https://game.example',
      'http://localhost:3000/ok',
      'http://127.0.0.1/',
      'http://[::1]:5/',
      long(2_000),
    ]
    for (const successUrl of good)
      assert.equal(
        (await ada.call('POST', CHECKOUT, { amount: 500, ...URLS, successUrl }, newKey())).status,
        200,
        successUrl,
      )
    const bad = [
      'http://game.example',
      'javascript:alert(1)',
      'https://a:b@game.example',
      '/here',
      '',
      long(2_001),
      7,
    ]
    for (const cancelUrl of bad) {
      const { status, body } = await ada.call('POST', CHECKOUT, { amount: 500, ...URLS, cancelUrl }, newKey())
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], String(cancelUrl))
      assert.match(body.error.details.errors[0].path, /^\$\.cancelUrl$/)
    }
  })

  test('[MON-03] the ledger has pages, newest first; an unknown cursor answers 400', async () => {
    const bob = await service.newDeveloper()
    for (const amount of [500, 600, 700]) await topUp(service, bob, amount)
    const first = (await bob.call('GET', '/v1/money/prepaid/ledger?limit=2')).body
    assert.deepEqual(
      first.entries.map(({ amount }: { amount: number }) => amount),
      [700, 600],
    )
    const second = (await bob.call('GET', `/v1/money/prepaid/ledger?limit=2&cursor=${first.nextCursor}`)).body
    assert.deepEqual(
      second.entries.map(({ amount, balanceAfter }: Record<string, number>) => [amount, balanceAfter]),
      [[500, 500]],
    )
    assert.equal(second.nextCursor, null)
    const foreign = await ada.call('GET', `/v1/money/prepaid/ledger?cursor=${first.nextCursor}`)
    assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'invalid_request'])
    for (const query of ['limit=0', 'limit=201', 'cursor=nonsense'])
      assert.equal((await ada.call('GET', `/v1/money/prepaid/ledger?${query}`)).status, 400, query)
  })

  test('[DEV-06] the platform info contains how developers pay', async () => {
    assert.equal((await service.call('GET', '/v1/platform/info')).body.billing, 'test')
  })

  test('[MON-04] a key may be used again after 24 hours', async () => {
    const bob = await service.newDeveloper()
    const key = newKey()
    const first = await bob.call('POST', CHECKOUT, { amount: 500, ...URLS }, key)
    service.clock.advance(25 * HOUR_MS)
    const second = await bob.call('POST', CHECKOUT, { amount: 900, ...URLS }, key)
    assert.equal(second.status, 200)
    assert.notEqual(second.body.id, first.body.id)
  })

  test('[MON-06] a checkout expires after 24 hours', async () => {
    const bob = await service.newDeveloper()
    const { body } = await bob.call('POST', CHECKOUT, { amount: 500, ...URLS }, newKey())
    service.clock.advance(24 * HOUR_MS)
    assert.equal((await pressTestPage(service, body.id, 'pay')).status, 410)
    assert.equal((await bob.call('GET', `/v1/money/prepaid/checkouts/${body.id}`)).body.status, 'expired')
    assert.equal((await bob.call('GET', '/v1/money/prepaid')).body.balance, 0)
  })
})
