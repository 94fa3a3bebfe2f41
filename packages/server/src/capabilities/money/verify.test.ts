import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { newKey, topUp, URLS } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'

suite('verification of money', {}, ({ service }) => {
  const run = (sql: (q: Parameters<Parameters<typeof service.db.search>[0]>[0]) => { compile(): never }) =>
    service.db.transaction((transaction) => transaction.search(sql))
  const words = async () => {
    const { mismatches } = await service.money.verify()
    return mismatches.map((text) => text.replace(/(dev|txn|chk)_\w+/g, '$1'))
  }

  /** A developer with three transactions, whose rows the test changes and restores. */
  async function newAccount() {
    const project = await service.newProject()
    const { developer } = project
    const checkoutId = await topUp(service, developer, 1_000)
    service.money.noteUsage(project.environments[0]?.id ?? '', 'voice.relayMinutes', 20 * 1_100)
    await service.everyMinute()
    await topUp(service, developer, 500)
    const rows = await service.db.search((q) =>
      q
        .selectFrom('money_transactions')
        .selectAll()
        .where('developerId', '=', developer.id)
        .orderBy('sequence'),
    )
    return { developer, checkoutId, rows }
  }

  test('unchanged data has no mismatch', async () => {
    await newAccount()
    const { accounts, transactions, mismatches } = await service.money.verify()
    assert.deepEqual([accounts, transactions, mismatches], [1, 4, []])
  })

  test('[MON-09] a changed row, posting, account, charge or checkout is reported, and nothing is repaired', async () => {
    const { developer, checkoutId, rows } = await newAccount()
    const [first, second] = rows
    const id = first?.id ?? ''
    const change = async (
      expected: string[],
      set: () => Promise<unknown>,
      restore: () => Promise<unknown>,
    ) => {
      await set()
      assert.deepEqual(await words(), expected)
      assert.deepEqual(await words(), expected)
      await restore()
      assert.deepEqual(await words(), [])
    }
    const describe = (description: string) => () =>
      run((q) => q.updateTable('money_transactions').set({ description }).where('id', '=', id) as never)
    await change(
      ['dev transaction txn: the hash is wrong; the row or one before it was changed'],
      describe('Gift'),
      describe('Top-up'),
    )
    const post = (amount: number) => () =>
      run(
        (q) =>
          q
            .updateTable('money_postings')
            .set({ amount })
            .where('transactionId', '=', id)
            .where('account', '=', 'provider') as never,
      )
    await change(
      [
        'dev transaction txn: the postings sum to 1, not 0',
        'dev transaction txn: the hash is wrong; the row or one before it was changed',
      ],
      post(-999),
      post(-1_000),
    )
    const setPrepaid = (prepaid: number) => () =>
      run(
        (q) =>
          q.updateTable('money_accounts').set({ prepaid }).where('developerId', '=', developer.id) as never,
      )
    await change(['dev: prepaid is 401, the postings sum to 400'], setPrepaid(401), setPrepaid(400))
    const setCharged = (chargedCents: number) => () =>
      run(
        (q) =>
          q
            .updateTable('money_periods')
            .set({ chargedCents })
            .where('developerId', '=', developer.id) as never,
      )
    await change(['dev: 1 cents of 2026-01 are charged, 1100 are booked'], setCharged(1), setCharged(1_100))
    const setClosed = (closedAt: string | null, quantity: number) => () =>
      service.db.transaction(async (transaction) => {
        await transaction.search(
          (q) =>
            q.updateTable('money_periods').set({ closedAt }).where('developerId', '=', developer.id) as never,
        )
        await transaction.search(
          (q) =>
            q.updateTable('money_usage').set({ quantity }).where('developerId', '=', developer.id) as never,
        )
      })
    const closedAt = '2026-02-01T02:00:00.000Z'
    await change(
      ['dev: 1105 cents of 2026-01 were used, 1100 are charged, and the month is closed'],
      setClosed(closedAt, 20 * 1_105),
      setClosed(closedAt, 20 * 1_100),
    )
    await setClosed(null, 20 * 1_105)()
    assert.deepEqual(await words(), [], 'an open month is charged later')
    await setClosed(null, 20 * 1_100)()
    const setPayment = (paymentId: string) => () =>
      run((q) => q.updateTable('money_checkouts').set({ paymentId }).where('id', '=', checkoutId) as never)
    await change(
      ['checkout chk is paid, but its top-up is not booked'],
      setPayment('other'),
      setPayment(checkoutId),
    )
    const renumber = (sequence: number) => () =>
      run(
        (q) =>
          q
            .updateTable('money_transactions')
            .set({ sequence })
            .where('id', '=', second?.id ?? '') as never,
      )
    await renumber(99)()
    assert.ok((await words()).some((text) => text.includes('number 2 is missing')))
    await renumber(2)()
    assert.deepEqual(await words(), [])
  })

  test('the nightly job sets the metric svc_money_mismatches', async () => {
    const metric = async () =>
      /^svc_money_mismatches (\d+)$/m.exec((await service.call('GET', '/metrics')).body)?.[1]
    assert.equal(await metric(), undefined)
    await service.jobs.runNow(DAY_MS)
    assert.equal(await metric(), '0')
    const { developer } = await newAccount()
    await developer.call('POST', '/v1/money/prepaid/checkout', { amount: 500, ...URLS }, newKey())
    await run(
      (q) =>
        q.updateTable('money_accounts').set({ invite: 7 }).where('developerId', '=', developer.id) as never,
    )
    await service.jobs.runNow(DAY_MS)
    assert.equal(await metric(), '1')
  })
})
