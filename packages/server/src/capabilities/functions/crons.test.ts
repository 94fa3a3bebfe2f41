import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { engines, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const bindings = [{ type: 'db', name: 'DB' }]
const CODE = `export default {
  fetch: () => new Response(),
  async scheduled({ cron, scheduledTime }, { DB }) {
    await DB.prepare('create table if not exists runs (cron, at)').run()
    await DB.prepare('insert into runs values (?, ?)').bind(cron, new Date(scheduledTime).toISOString()).run()
  },
}`

suite('crons of functions', { features: {}, start: startFunctionsService }, ({ service, project }) => {
  const runs = async () =>
    (
      await project.development.server('POST', `${FUNCTIONS}/db/DB/query`, {
        sql: 'select * from runs order by at',
      })
    ).body.results
  const tick = async (ms: number) => {
    service.clock.advance(ms)
    await service.everySecond()
    await service.background.drained()
  }

  test('[FUN-13] fire on schedule, once per slot; slots that are over a minute old are missed', async () => {
    await deployFunctions(project.development, CODE, { bindings, crons: ['*/2 * * * *'] })
    await tick(60_000)
    for (let second = 0; second < 3; second++) await tick(1_000)
    assert.equal((await runs())?.length ?? 0, 0)
    await tick(57_000)
    for (let second = 0; second < 3; second++) await tick(1_000)
    assert.deepEqual(await runs(), [{ cron: '*/2 * * * *', at: '2026-01-01T00:02:00.000Z' }])

    await tick(10 * 60_000)
    const { crons } = (await project.development.server('GET', FUNCTIONS)).body
    assert.equal((await runs()).length, 2)
    assert.deepEqual(
      [crons[0].lastAt, crons[0].lastOutcome, crons[0].nextAt],
      ['2026-01-01T00:12:00.000Z', 'ok', '2026-01-01T00:14:00.000Z'],
    )
    const slots = await service.db.search((q) =>
      q.selectFrom('functions_cron_slots').select(['outcome']).orderBy('slot'),
    )
    assert.deepEqual(
      slots.map(({ outcome }) => outcome),
      ['ok', 'missed', 'ok'],
    )
  })

  test('[FUN-13] can be run by hand in development only', async () => {
    const run = (cron: string) => project.development.server('POST', `${FUNCTIONS}/crons/run`, { cron })
    const { body } = await run('*/2 * * * *')
    assert.equal(body.outcome, 'ok')
    assert.equal((await run('0 0 * * *')).body.error.code, 'cron_not_found')
    await deployFunctions(project.production, CODE, { bindings, crons: ['*/2 * * * *'] })
    const live = await project.production.server('POST', `${FUNCTIONS}/crons/run`, { cron: '*/2 * * * *' })
    assert.equal(live.status, 404)
  })
})

suite(
  'crons on two nodes',
  { features: {}, engines: ['postgres'], start: startFunctionsService },
  ({ service, project }) => {
    test('[FUN-13] run once per slot: ten minutes on two nodes are ten runs', async (t) => {
      const other = await startService('postgres', {
        clusterOf: service,
        settings: {
          FUNCTIONS_DIR: service.functionsFolder,
          SVC_NODE_URL: 'http://127.0.0.1:2',
          SVC_BILLING: 'off',
        },
      })
      t.after(() => other.stop())
      await deployFunctions(project.development, CODE, { bindings, crons: ['* * * * *'] })
      for (let minute = 0; minute < 10; minute++) {
        service.clock.advance(60_000)
        await Promise.all([service.everySecond(), other.everySecond()])
        await Promise.all([service.background.drained(), other.background.drained()])
      }
      const slots = await service.db.search((q) => q.selectFrom('functions_cron_slots').select(['outcome']))
      assert.deepEqual(
        slots,
        Array.from({ length: 10 }, () => ({ outcome: 'ok' })),
      )
      const { body } = await project.development.server('POST', `${FUNCTIONS}/db/DB/query`, {
        sql: 'select count(*) as n from runs',
      })
      assert.deepEqual(body.results, [{ n: 10 }])
    })
  },
)

for (const engine of engines)
  test(`[FUN-13] slots while the service was away: the first is missed, one of the last minute runs, on ${engine}`, async (t) => {
    const first = await startFunctionsService(engine)
    const { development } = await first.newProject()
    await deployFunctions(development, CODE, { bindings, crons: ['*/2 * * * *'] })
    await first.everySecond()
    await first.close()
    first.clock.advance(10 * 60_000)

    const settings = {
      FUNCTIONS_DIR: first.functionsFolder,
      SVC_NODE_URL: 'http://127.0.0.1:1',
      SVC_BILLING: 'off',
    }
    const second = await startService(engine, { clusterOf: first, settings })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    await second.everySecond()
    await second.background.drained()
    const slots = () =>
      second.db.search((q) =>
        q
          .selectFrom('functions_cron_slots')
          .select(['environmentId', 'cron', 'slot', 'outcome'])
          .orderBy('slot'),
      )
    const [missed, ran, ...more] = await slots()
    assert.deepEqual(
      [missed, ran].map((slot) => [new Date(Number(slot?.slot)).toISOString(), slot?.outcome]),
      [
        ['2026-01-01T00:02:00.000Z', 'missed'],
        ['2026-01-01T00:10:00.000Z', 'ok'],
      ],
    )
    assert.deepEqual(more, [])
  })

for (const engine of engines)
  test(`[FUN-13] after the clock was a year ahead, crons run by the right time, with and without a restart, on ${engine}`, async (t) => {
    const first = await startFunctionsService(engine)
    const { development } = await first.newProject()
    const { clock } = first
    const tick = async (service: Pick<typeof first, 'everySecond' | 'background'>) => {
      await service.everySecond()
      await service.background.drained()
    }
    const slotsOf = async ({ db }: Pick<typeof first, 'db'>) =>
      (
        await db.search((q) =>
          q.selectFrom('functions_cron_slots').select(['slot', 'outcome']).orderBy('slot'),
        )
      ).map(({ slot, outcome }) => `${new Date(Number(slot)).toISOString().slice(0, 16)} ${outcome}`)

    clock.advance(365 * DAY_MS)
    await deployFunctions(development, CODE, { bindings, crons: ['*/2 * * * *'] })
    await tick(first)
    clock.advance(2 * MINUTE_MS)
    await tick(first)
    assert.deepEqual(await slotsOf(first), ['2027-01-01T00:02 ok'])
    await first.close()

    clock.step(-365 * DAY_MS - 2 * MINUTE_MS)
    const settings = {
      FUNCTIONS_DIR: first.functionsFolder,
      SVC_NODE_URL: 'http://127.0.0.1:1',
      SVC_BILLING: 'off',
    }
    const second = await startService(engine, { clusterOf: first, settings })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    await tick(second)
    clock.advance(2 * MINUTE_MS)
    await tick(second)
    assert.deepEqual(await slotsOf(second), ['2026-01-01T00:02 ok'])

    clock.advance(365 * DAY_MS)
    await tick(second)
    clock.step(-365 * DAY_MS)
    await tick(second)
    clock.advance(4 * MINUTE_MS)
    await tick(second)
    assert.deepEqual(await slotsOf(second), [
      '2026-01-01T00:02 ok',
      '2026-01-01T00:04 missed',
      '2026-01-01T00:06 ok',
    ])
  })

suite('a run whose node has died', { features: {}, start: startFunctionsService }, ({ service, project }) => {
  test('[FUN-13] is shown as killed, not as running', async () => {
    await deployFunctions(project.development, CODE, { bindings, crons: ['*/2 * * * *'] })
    service.clock.advance(2 * 60_000)
    await service.everySecond()
    await service.background.drained()
    const status = async () => (await project.development.server('GET', FUNCTIONS)).body.crons[0].lastOutcome
    assert.equal(await status(), 'ok')
    const set = (fields: { outcome: null; nodeId?: string }) =>
      service.db.transaction((transaction) =>
        transaction.search((q) => q.updateTable('functions_cron_slots').set(fields).returning('slot')),
      )
    await set({ outcome: null })
    assert.equal(await status(), 'running')
    await set({ outcome: null, nodeId: 'a node that has died' })
    assert.equal(await status(), 'killed')
  })
})
