import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Usage, UsageComponent } from '@svc/contract/money'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { confirmEmail, type TestDeveloper, topUp } from '../../testing/money.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { createMeter } from './meter.ts'

type Day = Usage['days'][number]
type Used = Usage['components'][number]

suite('usage', {}, ({ service, engine }) => {
  const prepaid = async (developer: TestDeveloper) => (await developer.call('GET', '/v1/money/prepaid')).body
  const usage = async (developer: TestDeveloper, query = '') =>
    (await developer.call('GET', `/v1/money/usage${query}`)).body
  const newOwner = async () => {
    const project = await service.newProject()
    const [first, second] = project.environments.map(({ id }) => id)
    return { project, developer: project.developer, first: first ?? '', second: second ?? '' }
  }
  /** In steps, because an unused session expires after 30 days. */
  async function advance(developer: TestDeveloper, ms: number) {
    for (let left = ms; left > 0; left -= 20 * DAY_MS) {
      service.clock.advance(Math.min(left, 20 * DAY_MS))
      assert.equal((await developer.call('GET', '/v1/money/prepaid')).status, 200)
    }
  }
  const noMismatch = async () => assert.deepEqual((await service.money.verify()).mismatches, [])

  test('[MON-07] usage whose owner cannot be read is kept, together with that of all others', async () => {
    const { first, second } = await newOwner()
    const added: Record<string, number> = {}
    let isBroken = true
    const meter = createMeter(
      { add: async (rows) => rows.forEach((row) => (added[row.environment] = row.quantity)) },
      {
        clock: service.clock,
        async ownerOf(environmentId) {
          if (isBroken && environmentId === second) throw new Error('the database is unavailable')
          return 'dev_1'
        },
        reportLost: () => assert.fail('nothing is lost'),
      },
    )
    for (const environment of [first, second]) meter.note(environment, 'functions.requests', 100)
    await assert.rejects(meter.write())
    assert.deepEqual(added, {})
    isBroken = false
    await meter.write()
    assert.deepEqual(added, { [first]: 100, [second]: 100 })
  })

  test('[MON-07] usage is shown by component with its cost in micro-USD', async () => {
    const { developer, first, second } = await newOwner()
    const used: [string, UsageComponent, number][] = [
      [first, 'functions.requests', 1_000_000],
      [second, 'functions.requests', 500_000],
      [first, 'functions.cpuMs', 49],
      [first, 'functions.storageByteHours', 2 ** 30 * 730],
      [first, 'voice.relayMinutes', 3],
      [first, 'xSignIns', 9],
    ]
    for (const one of used) service.money.noteUsage(...one)
    assert.equal((await usage(developer)).updatedAt, null)
    await service.everyMinute()
    for (const one of used) service.money.noteUsage(...one)
    await service.everyMinute()

    const body = await usage(developer)
    const costs = Object.fromEntries(
      body.components.map(({ component, quantity, costMicroUsd }: Record<string, unknown>) => [
        component,
        [quantity, costMicroUsd],
      ]),
    )
    assert.deepEqual(costs, {
      'functions.requests': [3_000_000, 900_000],
      // 98 ms cost 1.96 micro-USD, rounded down.
      'functions.cpuMs': [98, 1],
      'functions.rowsRead': [0, 0],
      'functions.rowsWritten': [0, 0],
      'functions.egressBytes': [0, 0],
      'functions.storageByteHours': [2 * 2 ** 30 * 730, 400_000],
      'voice.relayMinutes': [6, 3_000],
      xSignIns: [18, 0],
    })
    assert.equal(body.totalMicroUsd, 1_303_001)
    assert.match(body.period, /^\d{4}-\d\d$/)
    assert.equal(body.updatedAt, service.clock.now().toISOString())
  })

  test('[MON-07] an invalid period, or one in the future, answers 400', async () => {
    const { developer } = await newOwner()
    for (const query of [
      'period=2026',
      'period=2026-13',
      'period=2026-00',
      'period=26-01',
      'period=9999-01',
      'refresh=yes',
    ]) {
      const { status, body } = await developer.call('GET', `/v1/money/usage?${query}`)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], query)
    }
    assert.equal((await usage(developer, '?period=2020-02')).totalMicroUsd, 0)
  })

  test('[MON-07] refresh=true writes and charges, at most once a minute', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 1_000)
    service.money.noteUsage(first, 'voice.relayMinutes', 100)
    assert.equal((await usage(developer)).chargedCents, 0)
    assert.equal((await usage(developer, '?refresh=true')).chargedCents, 5)
    assert.equal((await prepaid(developer)).balance, 995)
    service.money.noteUsage(first, 'voice.relayMinutes', 100)
    assert.equal((await usage(developer, '?refresh=true')).chargedCents, 5)
    service.clock.advance(MINUTE_MS)
    assert.equal((await usage(developer, '?refresh=true')).chargedCents, 10)
    await noMismatch()
  })

  test('[MON-07] [DSH-45] the charges of a month are listed by day', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 8)
    const now = service.clock.now()
    const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 3, 10)
    await advance(developer, nextMonth - now.getTime())
    const today = () => service.clock.now().toISOString().slice(0, 10)
    const charge = async (minutes: number) => {
      service.money.noteUsage(first, 'voice.relayMinutes', minutes)
      service.clock.advance(MINUTE_MS)
      await usage(developer, '?refresh=true')
      return today()
    }
    const before = (await usage(developer)).period
    assert.deepEqual((await usage(developer)).days, [])
    const date = await charge(100)
    assert.equal(await charge(60), date)
    service.clock.advance(2 * DAY_MS)
    // What the balance does not cover is owed, and belongs to its day, too.
    const later = await charge(100)
    const relay = (quantity: number) => ({
      component: 'voice.relayMinutes',
      quantity,
      costMicroUsd: quantity * 500,
    })
    assert.deepEqual((await usage(developer, `?period=${before}`)).days, [
      { date, chargedCents: 8, components: [relay(160)] },
      { date: later, chargedCents: 5, components: [relay(100)] },
    ])
    assert.deepEqual((await usage(developer, '?period=2020-02')).days, [])
    await noMismatch()
  })

  test('[DSH-45] the days of a month list what was used, and sum to its cost', async () => {
    const { developer, first, second } = await newOwner()
    const now = service.clock.now()
    // The first day of a month, so that no day of it is over.
    await advance(developer, Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12) - now.getTime())
    const use = async (...used: [string, UsageComponent, number][]) => {
      for (const one of used) service.money.noteUsage(...one)
      await service.everyMinute()
    }
    const today = service.clock.now().toISOString().slice(0, 10)
    // 50 ms cost one micro-USD: each of these days costs less than it rounds to.
    await use([first, 'functions.cpuMs', 20], [second, 'functions.cpuMs', 15])
    await use([first, 'functions.cpuMs', 5], [first, 'xSignIns', 2])
    service.clock.advance(DAY_MS)
    const tomorrow = service.clock.now().toISOString().slice(0, 10)
    await use([second, 'functions.cpuMs', 35], [first, 'functions.requests', 1_000_000])
    const month = await usage(developer)
    assert.deepEqual(month.days, [
      {
        date: today,
        chargedCents: 0,
        components: [
          { component: 'functions.cpuMs', quantity: 40, costMicroUsd: 0 },
          { component: 'xSignIns', quantity: 2, costMicroUsd: 0 },
        ],
      },
      {
        date: tomorrow,
        // There is no balance, so it is charged immediately.
        chargedCents: 30,
        components: [
          { component: 'functions.requests', quantity: 1_000_000, costMicroUsd: 300_000 },
          { component: 'functions.cpuMs', quantity: 35, costMicroUsd: 1 },
        ],
      },
    ])
    assert.equal(month.totalMicroUsd, 300_001)
    await noMismatch()

    const rows = () =>
      service.db.search((q) =>
        q.selectFrom('money_usage_days').select('date').distinct().where('developerId', '=', developer.id),
      )
    const later = new Date(service.clock.now())
    await advance(developer, Date.UTC(later.getUTCFullYear() + 1, later.getUTCMonth(), 28) - later.getTime())
    await service.jobs.runNow(DAY_MS)
    assert.equal((await rows()).length, 2)
    await advance(developer, 5 * DAY_MS)
    await service.jobs.runNow(DAY_MS)
    assert.deepEqual(await rows(), [])
    const old = await usage(developer, `?period=${month.period}`)
    assert.deepEqual(
      [old.totalMicroUsd, old.days.flatMap(({ components }: Day) => components)],
      [300_001, []],
    )
  })

  if (engine === 'postgres')
    test('[DSH-45] nodes that write the usage of the same developers at the same time lose nothing', async () => {
      const owners = await Promise.all(Array.from({ length: 3 }, newOwner))
      const other = await startService(engine, { clusterOf: service })
      try {
        for (let round = 0; round < 5; round++) {
          for (const { first, second } of owners)
            for (const id of [first, second]) service.money.noteUsage(id, 'voice.relayMinutes', 1)
          for (const { first, second } of owners.toReversed())
            for (const id of [second, first]) other.money.noteUsage(id, 'voice.relayMinutes', 1)
          await Promise.all([service.everyMinute(), other.everyMinute()])
        }
      } finally {
        await other.stop()
      }
      for (const { developer } of owners) {
        const { components, days } = await usage(developer)
        const relay = components.find(({ component }: Used) => component === 'voice.relayMinutes')
        assert.equal(relay.quantity, 20)
        assert.deepEqual(
          days.map(({ components: [used] }: Day) => used?.quantity),
          [20],
        )
      }
      await noMismatch()
    })

  test('[MON-08] invite credit is spent first, then paid credit; what is left is owed', async () => {
    const { developer, first } = await newOwner()
    await confirmEmail(service, developer)
    const [code = ''] = await service.money.invites.create({
      count: 1,
      usesMax: 1,
      days: undefined,
      label: null,
    })
    await developer.call('POST', '/v1/developers/me/invite-code', { code })
    await topUp(service, developer, 1_000)
    const spend = async (cents: number) => {
      service.money.noteUsage(first, 'voice.relayMinutes', cents * 20)
      service.clock.advance(MINUTE_MS)
      await usage(developer, '?refresh=true')
      return prepaid(developer)
    }
    const invite = (remaining: number) => ({ granted: 500, remaining, pending: false })
    assert.deepEqual(await spend(200), { balance: 1_300, owed: 0, invite: invite(300) })
    assert.deepEqual(await spend(400), { balance: 900, owed: 0, invite: invite(0) })
    assert.deepEqual(await spend(1_000), { balance: 0, owed: 100, invite: invite(0) })
    assert.deepEqual(await spend(7), { balance: 0, owed: 107, invite: invite(0) })
    await topUp(service, developer, 500)
    assert.deepEqual(await prepaid(developer), { balance: 393, owed: 0, invite: invite(0) })

    const { entries } = (await developer.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual(
      entries.map(({ type, amount }: { type: string; amount: number }) => `${type} ${amount}`),
      [
        'usage -107',
        'topup 500',
        'usage 0',
        'usage -900',
        'usage -400',
        'usage -200',
        'topup 1000',
        'invite 500',
      ],
    )
    await noMismatch()
  })

  test('[MON-07] usage that reaches the balance is charged within a minute, before the hour is over', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 500)
    service.money.noteUsage(first, 'voice.relayMinutes', 499 * 20)
    await service.everyMinute()
    assert.deepEqual(await prepaid(developer), { balance: 500, owed: 0, invite: null })
    service.money.noteUsage(first, 'voice.relayMinutes', 20)
    await service.everyMinute()
    assert.deepEqual(await prepaid(developer), { balance: 0, owed: 0, invite: null })
    service.money.noteUsage(first, 'voice.relayMinutes', 20)
    await service.everyMinute()
    assert.deepEqual(await prepaid(developer), { balance: 0, owed: 1, invite: null })
  })

  test('[MON-07] the hourly job charges all developers, also for a deleted project', async () => {
    const { project, developer, first, second } = await newOwner()
    await topUp(service, developer, 1_000)
    service.money.noteUsage(first, 'voice.relayMinutes', 40)
    await service.everyMinute()
    service.money.noteUsage(second, 'voice.relayMinutes', 60)
    const deleted = await developer.call('DELETE', `/v1/projects/${project.id}`, { name: project.name })
    assert.equal(deleted.status, 200)
    await service.everyMinute()
    await service.everyHour()
    assert.equal((await prepaid(developer)).balance, 995)
    await service.everyHour()
    assert.equal((await prepaid(developer)).balance, 995)
    await noMismatch()
  })

  test('[MON-07] 20 concurrent charges on two nodes charge once', async (t) => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 1_000)
    service.money.noteUsage(first, 'voice.relayMinutes', 300)
    await service.everyMinute()
    const other = engine === 'postgres' ? await startService(engine, { clusterOf: service }) : service
    if (other !== service) t.after(() => other.stop())
    await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? service : other).everyHour()))
    assert.equal((await prepaid(developer)).balance, 985)
    assert.equal((await usage(developer)).chargedCents, 15)
    await noMismatch()
  })

  test('[MON-09] a month that a clock that was ahead has closed is charged for what is used after it', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 1_000)
    const { period } = await usage(developer)
    const use = async () => {
      service.money.noteUsage(first, 'voice.relayMinutes', 100)
      await service.everyMinute()
    }
    /** Three times, because a job that ran in the future is first discarded. */
    const runJobs = async () => {
      for (let time = 0; time < 3; time++) await service.jobs.runDue()
    }
    await use()
    await runJobs()
    const aheadMs = 32 * DAY_MS
    service.clock.step(aheadMs)
    await runJobs()
    service.clock.step(-aheadMs)
    const closed = await service.db.search((q) =>
      q
        .selectFrom('money_periods')
        .select('closedAt')
        .where((e) => e.and({ developerId: developer.id, period })),
    )
    assert.equal(closed[0]?.closedAt?.slice(0, 4), service.clock.now().toISOString().slice(0, 4))

    await use()
    await runJobs()
    service.clock.advance(HOUR_MS)
    await runJobs()
    assert.equal((await usage(developer)).chargedCents, 10)
    await noMismatch()
  })

  test('[MON-07] a month that no node could close in time is charged and closed later', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 1_000)
    const month = (await usage(developer)).period
    service.money.noteUsage(first, 'voice.relayMinutes', 40)
    await service.everyMinute()
    await advance(developer, 150 * DAY_MS)
    await service.everyHour()
    await service.jobs.runNow(DAY_MS)
    const period = await service.db.search((q) =>
      q.selectFrom('money_periods').selectAll().where('developerId', '=', developer.id),
    )
    assert.deepEqual(
      period.map((row) => [row.period, row.chargedCents, row.closedAt !== null]),
      [[month, 2, true]],
    )
    assert.equal((await prepaid(developer)).balance, 998)
    await noMismatch()
  })

  test('[MON-07] a month is closed two hours after its end; less than a cent is dropped', async () => {
    const { developer, first } = await newOwner()
    await topUp(service, developer, 1_000)
    const month = (await usage(developer)).period
    // 20.5 minutes cost 1.025 cents, written 30 s before midnight.
    service.money.noteUsage(first, 'voice.relayMinutes', 20)
    service.money.noteUsage(first, 'functions.cpuMs', 12_500)
    const now = service.clock.now()
    const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    await advance(developer, end - now.getTime() - 30_000)
    await service.everyMinute()
    service.clock.advance(MINUTE_MS)
    service.money.noteUsage(first, 'voice.relayMinutes', 40)
    await service.everyMinute()
    service.clock.advance(HOUR_MS)
    await service.everyHour()
    assert.deepEqual(
      [(await usage(developer, `?period=${month}`)).chargedCents, (await usage(developer)).chargedCents],
      [1, 2],
    )
    const closedAt = async () =>
      (
        await service.db.search((q) =>
          q
            .selectFrom('money_periods')
            .select('closedAt')
            .where('developerId', '=', developer.id)
            .where('period', '=', month),
        )
      )[0]?.closedAt
    assert.equal(await closedAt(), null)
    service.clock.advance(HOUR_MS)
    await service.everyHour()
    assert.notEqual(await closedAt(), null)
    assert.equal((await usage(developer, `?period=${month}`)).chargedCents, 1)
    assert.equal((await prepaid(developer)).balance, 997)
    await advance(developer, 40 * DAY_MS)
    await service.everyHour()
    assert.equal((await prepaid(developer)).balance, 997)
    await noMismatch()
  })

  if (engine === 'postgres')
    test('[MON-07] sums that were not written yet are written when a node stops', async () => {
      const { developer, first } = await newOwner()
      const other = await startService(engine, { clusterOf: service })
      other.money.noteUsage(first, 'xSignIns', 3)
      await other.stop()
      const { components } = await usage(developer)
      assert.equal(components.at(-1).quantity, 3)
    })
})

suite(
  'usage with billing off',
  { start: (engine) => startService(engine, { settings: { SVC_BILLING: 'off' } }) },
  ({ service }) => {
    test('[FUN-03] nothing is charged, no call requires credit, and usage is shown at cost 0', async () => {
      const project = await service.newProject()
      const { developer } = project
      const environment = { projectId: project.id }
      service.money.noteUsage(project.environments[0]?.id ?? '', 'voice.relayMinutes', 1_000_000)
      await service.everyMinute()
      await service.everyHour()
      const { body } = await developer.call('GET', '/v1/money/usage?refresh=true')
      assert.deepEqual([body.totalMicroUsd, body.chargedCents], [0, 0])
      assert.equal(body.components.at(-2).quantity, 1_000_000)
      assert.deepEqual((await developer.call('GET', '/v1/money/prepaid')).body, {
        balance: 0,
        owed: 0,
        invite: null,
      })
      await service.money.requirePrepaid(environment)
      assert.equal(await service.money.isOverdue(environment), false)

      const checkout = { amount: 500, successUrl: 'https://a.example', cancelUrl: 'https://a.example' }
      const refused = await developer.call('POST', '/v1/money/prepaid/checkout', checkout, {
        'idempotency-key': 'k',
      })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'feature_unavailable'])
      assert.equal((await service.call('POST', '/v1/money/webhooks/stripe', {})).status, 404)
      assert.equal((await service.call('GET', '/v1/platform/info')).body.billing, 'off')
    })
  },
)
