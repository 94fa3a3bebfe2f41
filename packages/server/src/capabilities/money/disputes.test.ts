import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newKey, startServiceWithStripe, type TestDeveloper, URLS } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'

suite('disputed payments', { start: startServiceWithStripe }, ({ service }) => {
  const prepaid = async (developer: TestDeveloper) => {
    const { balance, owed } = (await developer.call('GET', '/v1/money/prepaid')).body
    return [balance, owed]
  }
  const noMismatch = async () => assert.deepEqual((await service.money.verify()).mismatches, [])

  async function pay(developer: TestDeveloper, amount = 1_000) {
    const body = { amount, ...URLS }
    const { id } = (await developer.call('POST', '/v1/money/prepaid/checkout', body, newKey())).body
    const session = service.stripe.pay(id)
    assert.equal(await service.stripe.completed(session), 200)
    return session
  }
  type Session = Awaited<ReturnType<typeof pay>>

  /** A dispute as it reaches a service: an event that it exists, and one that its money was withdrawn. */
  async function dispute(session: Session, cents: number) {
    const disputed = service.stripe.inquire(session, cents)
    service.stripe.withdraw(disputed)
    assert.equal(await service.stripe.disputeEvent('created', disputed), 200)
    assert.equal(await service.stripe.disputeEvent('funds_withdrawn', disputed), 200)
    return disputed
  }
  async function win(disputed: Awaited<ReturnType<typeof dispute>>, cents?: number) {
    service.stripe.win(disputed, cents)
    assert.equal(await service.stripe.disputeEvent('closed', disputed), 200)
    assert.equal(await service.stripe.disputeEvent('funds_reinstated', disputed), 200)
  }

  test('[MON-06] an inquiry moves nothing; the withdrawal of the dispute that follows does', async () => {
    const ada = await service.newDeveloper()
    const session = await pay(ada)
    const closed = service.stripe.inquire(session, 1_000)
    assert.equal(await service.stripe.disputeEvent('created', closed), 200)
    closed.status = 'warning_closed'
    assert.equal(await service.stripe.disputeEvent('closed', closed), 200)
    assert.deepEqual(await prepaid(ada), [1_000, 0])

    const escalated = service.stripe.inquire(session, 400)
    assert.equal(await service.stripe.disputeEvent('created', escalated), 200)
    assert.deepEqual(await prepaid(ada), [1_000, 0])
    service.stripe.withdraw(escalated)
    for (let time = 0; time < 2; time++)
      assert.equal(await service.stripe.disputeEvent('funds_withdrawn', escalated), 200)
    assert.deepEqual(await prepaid(ada), [600, 0])
    await noMismatch()
  })

  test('[MON-06] several disputes of one payment add up, and each one that is won comes back', async () => {
    const ada = await service.newDeveloper()
    const session = await pay(ada)
    const [first, second] = [await dispute(session, 300), await dispute(session, 500)]
    assert.deepEqual(await prepaid(ada), [200, 0])
    await win(first)
    assert.deepEqual(await prepaid(ada), [500, 0])
    await win(second, 400)
    assert.deepEqual(await prepaid(ada), [900, 0])
    const { entries } = (await ada.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual(
      entries.map(({ type, amount }: Record<string, unknown>) => [type, amount]),
      [
        ['refund', 400],
        ['refund', 300],
        ['refund', -500],
        ['refund', -300],
        ['topup', 1_000],
      ],
    )
    await noMismatch()
  })

  test('[MON-06] refunds and disputes together never take more than was paid', async () => {
    const ada = await service.newDeveloper()
    const session = await pay(ada)
    await service.stripe.refunded(session, 700)
    const disputed = await dispute(session, 1_000)
    assert.deepEqual(await prepaid(ada), [0, 0])
    await win(disputed)
    assert.deepEqual(await prepaid(ada), [300, 0])
  })

  test('[MON-06] the events of a dispute in another order, repeated, or with one of them lost end the same', async () => {
    const { stripe } = service
    const orders = [
      ['funds_reinstated', 'funds_withdrawn'],
      ['funds_reinstated'],
      ['funds_withdrawn', 'funds_reinstated', 'funds_withdrawn', 'funds_reinstated'],
    ] as const
    for (const order of orders) {
      const ada = await service.newDeveloper()
      const session = await pay(ada)
      const disputed = stripe.inquire(session, 1_000)
      stripe.withdraw(disputed)
      const withdrawn = structuredClone(disputed)
      stripe.win(disputed, 600)
      for (const name of order)
        assert.equal(await stripe.disputeEvent(name, name === 'funds_withdrawn' ? withdrawn : disputed), 200)
      assert.deepEqual(await prepaid(ada), [600, 0], order.join())
    }
    await noMismatch()
  })

  test('[MON-06] a dispute of spent credit suspends, invite credit does not pay it; a dispute that is won ends that', async () => {
    const project = await service.newProject()
    const { developer } = project
    const session = await pay(developer)
    service.money.noteUsage(project.environments[0]?.id ?? '', 'voice.relayMinutes', 20 * 1_000)
    await service.everyMinute()
    assert.deepEqual(await prepaid(developer), [0, 0])
    const disputed = await dispute(session, 1_000)
    assert.deepEqual(await prepaid(developer), [0, 1_000])
    assert.equal(await service.money.isOverdue({ projectId: project.id }), true)

    await win(disputed)
    assert.deepEqual(await prepaid(developer), [0, 0])
    assert.equal(await service.money.isOverdue({ projectId: project.id }), false)
    await noMismatch()
  })

  test('[MON-06] a dispute of an unknown payment asks Stripe for the payment first', async () => {
    const ada = await service.newDeveloper()
    const body = { amount: 1_000, ...URLS }
    const { id } = (await ada.call('POST', '/v1/money/prepaid/checkout', body, newKey())).body
    await dispute(service.stripe.pay(id), 250)
    assert.deepEqual(await prepaid(ada), [750, 0])
    const foreign = { ...service.stripe.sessionOf(id), payment_intent: 'pi_of_another_shop' }
    await dispute(foreign, 250)
    assert.deepEqual(await prepaid(ada), [750, 0])
  })
})
