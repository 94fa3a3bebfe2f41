import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { deployFunctions, startFunctionsService } from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { topUp } from '../../testing/money.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const bindings = [
  { type: 'db', name: 'DB' },
  { type: 'queue', name: 'JOBS', consumer: { maxBatchTimeoutSeconds: 0 } },
  { type: 'durable_object', name: 'ROOM', className: 'Room' },
]
/** Whatever runs leaves a row. */
const CODE = `
import { DurableObject } from 'cloudflare:workers'
const note = ({ DB }, what) => DB.prepare('INSERT INTO ran VALUES (?)').bind(what).run()
export class Room extends DurableObject {
  remind(ms) { return this.ctx.storage.setAlarm(Date.now() + ms) }
  alarm() { return note(this.env, 'alarm') }
}
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/later') return new Response('runs')
    const ms = Number(searchParams.get('ms'))
    await env.ROOM.get(env.ROOM.idFromName('a')).remind(ms)
    await env.JOBS.send('job', { delaySeconds: ms / 1000 })
    return new Response('later')
  },
  scheduled: (_event, env) => note(env, 'cron'),
  queue: (_batch, env) => note(env, 'queue'),
}`

suite(
  'suspended functions',
  { start: (engine) => startFunctionsService(engine, { SVC_BILLING: 'on' }) },
  ({ service }) => {
    let visit: Awaited<ReturnType<typeof browserFor>>
    before(async () => void (visit = await browserFor(service)))
    async function newDeveloperWithFunctions(cents: number) {
      const developer = await service.newDeveloper()
      await topUp(service, developer, cents)
      const project = await service.newProject(developer)
      const { development, slug, environments } = project
      const environmentId = environments.find(({ name }) => name === 'development')?.id ?? ''
      const get = (path = '/') => visit(`${slug}--dev--fn`, path)
      return { developer, project, development, environmentId, get }
    }
    const minute = async () => {
      await service.everyMinute()
      await service.background.drained()
    }

    test('[FUN-03] enabling needs prepaid credit', async () => {
      const { development } = await service.newProject()
      const refused = await development.server('POST', `${FUNCTIONS}/enable`, {})
      assert.deepEqual([refused.status, refused.body.error.code], [402, 'prepaid_required'])
      assert.equal((await development.server('GET', FUNCTIONS)).body.enabled, false)

      const paid = await newDeveloperWithFunctions(500)
      const enabled = await paid.development.server('POST', `${FUNCTIONS}/enable`, {})
      assert.deepEqual([enabled.status, enabled.body.enabled], [200, true])
    })

    test('[FUN-14] [MON-07] usage is charged; who owes money has no running functions until it is paid', async () => {
      const { developer, project, development, environmentId, get } = await newDeveloperWithFunctions(500)
      await deployFunctions(development, CODE, { bindings })
      for (let request = 0; request < 3; request++) assert.equal((await get()).text, 'runs')
      await minute()
      await minute()
      const usage = await developer.call('GET', '/v1/money/usage')
      const requests = usage.body.components.find(
        ({ component }: { component: string }) => component === 'functions.requests',
      )
      assert.equal(requests.quantity, 3)

      // More than the balance.
      service.money.noteUsage(environmentId, 'functions.requests', 100_000_000)
      await minute()
      const refused = await get()
      assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [503, 'functions_suspended'])
      assert.equal((await development.server('GET', FUNCTIONS)).body.suspended, true)
      await development.server('POST', `${FUNCTIONS}/disable`)
      const again = await development.server('POST', `${FUNCTIONS}/enable`, {})
      assert.equal(again.body.error.code, 'prepaid_required')

      await topUp(service, developer, 10_000)
      await minute()
      assert.equal((await development.server('POST', `${FUNCTIONS}/enable`, {})).body.suspended, false)
      assert.equal((await get()).text, 'runs')
      const audit = await developer.call('GET', `/v1/projects/${project.id}/audit`)
      const actions = audit.body.entries.map(({ action }: { action: string }) => action)
      assert.ok(actions.includes('functions.suspend') && actions.includes('functions.resume'))
    })

    test('[FUN-14] what the operator has suspended stays so when it is paid', async () => {
      const { developer, project, development, environmentId, get } = await newDeveloperWithFunctions(500)
      await deployFunctions(development, CODE, { bindings })
      service.money.noteUsage(environmentId, 'functions.requests', 100_000_000)
      await minute()
      await service.functions.suspendProject(project.slug, true)
      await topUp(service, developer, 10_000)
      await minute()
      assert.equal((await get()).status, 503)
      await service.functions.suspendProject(project.slug, false)
      assert.equal((await get()).text, 'runs')
    })

    test('[FUN-14] suspended functions run no alarm, no queue and no cron; what is due runs after they are resumed', async () => {
      async function deployCode(crons: string[]) {
        const { project, development, get } = await newDeveloperWithFunctions(500)
        await deployFunctions(development, CODE, { bindings, crons })
        const query = async (sql: string) =>
          (await development.server('POST', `${FUNCTIONS}/db/DB/query`, { sql })).body.results as {
            what: string
          }[]
        await query('CREATE TABLE ran (what)')
        return { project, get, query }
      }
      const { project, get, query } = await deployCode(['* * * * *'])
      const other = await deployCode([])
      await get('/later?ms=1000')
      await service.functions.suspendProject(project.slug, true)
      service.clock.advance(60_000)
      await service.everySecond()
      await minute()
      await other.get('/later?ms=1000')
      await comesTrue(
        'what a project that runs has asked for later ran',
        async () => (await other.query('SELECT what FROM ran')).length >= 2,
      )
      assert.deepEqual(await query('SELECT what FROM ran'), [])

      await service.functions.suspendProject(project.slug, false)
      await comesTrue('both ran', async () => (await query('SELECT what FROM ran')).length >= 2)
      assert.deepEqual(await query('SELECT what FROM ran ORDER BY what'), [
        { what: 'alarm' },
        { what: 'queue' },
      ])
    })
  },
)
