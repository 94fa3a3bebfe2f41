import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import {
  deployFunctions,
  deploymentOf,
  filesIn,
  startFunctionsService,
} from '../../testing/deployed-functions.ts'
import { browserFor } from '../../testing/hosted-apps.ts'
import type { TestEnvironment } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const says = (text: string) => `export default { fetch: () => new Response(${JSON.stringify(text)}) }`

suite('functions', { features: {}, start: startFunctionsService }, ({ service, project }) => {
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => void (visit = await browserFor(service)))
  const newEnvironment = async () => {
    const { slug, developer, id, development } = await service.newProject()
    const host = `${slug}--dev--fn`
    return { ...development, projectId: id, slug, developer, get: (path = '/') => visit(host, path) }
  }
  const environmentIdOf = async ({ projectId }: { projectId: string }) => {
    const [row] = await service.db.search((q) =>
      q.selectFrom('functions').select('environmentId').where('projectId', '=', projectId),
    )
    return row?.environmentId ?? ''
  }
  const status = async ({ server }: Pick<TestEnvironment, 'server'>) => (await server('GET', FUNCTIONS)).body

  test('[FUN-01] are off by default, and managed with a secret key or by the developer', async () => {
    const { server, path, public: withPublishable } = project.development
    const off = {
      enabled: false,
      suspended: false,
      limits: { cpuMs: 1_000, subRequests: 50 },
      deployed: false,
      version: null,
      url: null,
      crons: [],
      rooms: [],
      durableObjects: [],
      resources: [],
      secrets: [],
    }
    assert.deepEqual((await server('GET', FUNCTIONS)).body, off)
    assert.deepEqual((await project.developer.call('GET', `${path}/functions`)).body, off)
    assert.equal((await withPublishable('GET', FUNCTIONS)).body.error.code, 'secret_key_required')
    assert.equal((await visit(`${project.slug}--fn`, '/')).status, 404)
    assert.equal((await visit(`${project.slug}--dev`, '/.fn/')).status, 404)
  })

  test('[FUN-05] a version of the other environment can be deployed by a developer, with no other field, and not with a key', async () => {
    const { developer, development, production, slug } = await service.newProject()
    await deployFunctions(development, says('from development'), { vars: { N: 1 } })
    await production.server('POST', `${FUNCTIONS}/enable`, {})
    const url = `${production.path}/functions/deployments`
    const body = { fromVersion: 1, fromEnvironment: 'development' }
    assert.equal((await production.server('POST', `${FUNCTIONS}/deployments`, body)).status, 400)
    for (const wrong of [
      { ...body, vars: {} },
      { fromEnvironment: 'development' },
      { ...body, fromEnvironment: 'x' },
    ])
      assert.equal((await developer.call('POST', url, wrong)).status, 400)
    for (const unknown of [
      { ...body, fromVersion: 2 },
      { ...body, fromEnvironment: 'production' },
    ])
      assert.equal((await developer.call('POST', url, unknown)).body.error.code, 'deployment_not_found')
    assert.equal((await developer.call('POST', url, body)).status, 201)
    assert.equal((await visit(`${slug}--fn`, '/')).text, 'from development')
  })

  test('[FUN-02] their status contains version, URL, crons, objects, resources and names of secrets', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    const code = `export class Room { fetch() { return new Response('room') } }
      export default { fetch: () => new Response('hi'), scheduled() {}, queue() {} }`
    await deployFunctions(environment, code, {
      bindings: [
        { type: 'db', name: 'DB', id: 'main' },
        { type: 'queue', name: 'JOBS', consumer: {} },
        { type: 'durable_object', name: 'ROOM', className: 'Room' },
      ],
      crons: ['*/5 * * * *'],
    })
    await server('PUT', `${FUNCTIONS}/secrets/TOKEN`, { value: 'canary' })
    assert.deepEqual(await status(environment), {
      enabled: true,
      suspended: false,
      limits: { cpuMs: 1_000, subRequests: 50 },
      deployed: true,
      version: 1,
      url: `http://${environment.slug}--dev--fn.localhost:8787`,
      crons: [{ cron: '*/5 * * * *', nextAt: '2026-01-01T00:05:00.000Z', lastAt: null, lastOutcome: null }],
      rooms: [],
      durableObjects: [{ name: 'ROOM', className: 'Room' }],
      resources: [
        { type: 'db', id: 'main', bytes: 0, bound: true },
        { type: 'durable_object', id: 'Room', bytes: 0, bound: true },
        { type: 'queue', id: 'jobs', bytes: 0, bound: true },
      ],
      secrets: ['TOKEN'],
    })
    await server('POST', `${FUNCTIONS}/deployments`, deploymentOf(says('no bindings')))
    const { resources } = await status(environment)
    assert.deepEqual(
      resources.map(({ bound }: { bound: boolean }) => bound),
      [false, false, false],
    )
    const { body } = await server('GET', '/v1/admin/features')
    const feature = body.features.find(({ key }: { key: string }) => key === 'functions')
    assert.deepEqual([feature.enabled, feature.source], [true, 'operation'])
  })

  test('[FUN-03] disabled ones keep code and data, and run again when enabled', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    await deployFunctions(environment, says('one'))
    assert.equal((await environment.get()).text, 'one')

    const disabled = await server('POST', `${FUNCTIONS}/disable`)
    assert.deepEqual([disabled.body.enabled, disabled.body.version], [false, 1])
    const refused = await environment.get()
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [404, 'not_found'])
    for (const [method, path, body] of [
      ['POST', '/deployments', deploymentOf(says('two'))],
      ['PUT', '/secrets/A', { value: 'x' }],
      ['PUT', '/limits', { cpuMs: 5 }],
      ['POST', '/db/DB/query', { sql: 'select 1' }],
      ['POST', '/crons/run', { cron: '* * * * *' }],
    ] as const) {
      const answer = await server(method, `${FUNCTIONS}${path}`, body)
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'functions_disabled'], path)
    }
    assert.equal((await server('POST', `${FUNCTIONS}/enable`, {})).body.version, 1)
    assert.equal((await environment.get()).text, 'one')
  })

  test('[FUN-04] limits have bounds; enabling an enabled one only sets them', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    const limits = async (method: string, path: string, body: object) => {
      const answer = await server(method, `${FUNCTIONS}${path}`, body)
      return answer.status === 200 ? answer.body.limits : answer.body.error.code
    }
    assert.deepEqual(await limits('POST', '/enable', { cpuMs: 30_000 }), { cpuMs: 30_000, subRequests: 50 })
    assert.deepEqual(await limits('POST', '/enable', {}), { cpuMs: 30_000, subRequests: 50 })
    assert.deepEqual(await limits('PUT', '/limits', { cpuMs: 1, subRequests: 0 }), {
      cpuMs: 1,
      subRequests: 0,
    })
    assert.deepEqual(await limits('PUT', '/limits', { subRequests: 1_000 }), { cpuMs: 1, subRequests: 1_000 })
    for (const body of [
      { cpuMs: 0 },
      { cpuMs: 30_001 },
      { subRequests: -1 },
      { subRequests: 1_001 },
      { cpuMs: 1.5 },
    ])
      assert.equal(await limits('PUT', '/limits', body), 'invalid_request', JSON.stringify(body))
    assert.deepEqual((await status(environment)).limits, { cpuMs: 1, subRequests: 1_000 })
  })

  test('[FUN-05] code that cannot start is refused with its path, and nothing changes', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    await deployFunctions(environment, says('old'))
    const broken: [string, object, RegExp][] = [
      ['export default {', {}, /^\$\.modules\[0\]/],
      ['throw new Error("at the top")', {}, /^\$/],
      ['export default { fetch() {} }', { crons: ['every day'] }, /^\$\.crons\[0\]$/],
      [
        'export default { fetch() {} }',
        { bindings: [{ type: 'durable_object', name: 'ROOM', className: 'Room' }] },
        /^\$\.bindings\[0\]/,
      ],
    ]
    for (const [code, rest, path] of broken) {
      const { status: refused, body } = await server(
        'POST',
        `${FUNCTIONS}/deployments`,
        deploymentOf(code, rest),
      )
      assert.deepEqual([refused, body.error.code], [400, 'invalid_deployment'], code)
      assert.match(body.error.details.errors[0].path, path, JSON.stringify(body))
    }
    assert.equal((await status(environment)).version, 1)
    assert.equal((await environment.get()).text, 'old')
  })

  test('[FUN-07] versions are listed newest first, and an old one can be deployed again', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    await deployFunctions(environment, says('one'), { message: 'the first' })
    await deployFunctions(environment, says('two'), { vars: { A: 'x' } })
    assert.equal((await environment.get()).text, 'two')
    const back = await server('POST', `${FUNCTIONS}/deployments`, { fromVersion: 1, message: 'back' })
    assert.deepEqual([back.status, back.body.version], [201, 3])
    assert.equal((await environment.get()).text, 'one')

    const { deployments } = (await server('GET', `${FUNCTIONS}/deployments?limit=2`)).body
    assert.deepEqual(
      deployments.map(({ version, live, message }: Record<string, unknown>) => [version, live, message]),
      [
        [3, true, 'back'],
        [2, false, null],
      ],
    )
    assert.deepEqual(deployments[0].modules, [{ name: 'index.js', type: 'esm', size: says('one').length }])
    const missing = await server('POST', `${FUNCTIONS}/deployments`, { fromVersion: 9 })
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'deployment_not_found'])
    const both = await server('POST', `${FUNCTIONS}/deployments`, { fromVersion: 1, crons: [] })
    assert.deepEqual([both.status, both.body.error.code], [400, 'invalid_request'])
  })

  test('[FUN-08] are removed without their data, which only a purge deletes, with every byte', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    const bindings = [
      { type: 'db', name: 'DB' },
      { type: 'kv', name: 'KV' },
      { type: 'files', name: 'FILES' },
    ]
    const code = `export default { async fetch(request, { DB, KV, FILES }) {
      if (request.method === 'POST') {
        await DB.exec('create table if not exists t (x)')
        await DB.prepare('insert into t values (1)').run()
        await KV.put('key', 'canary-in-kv')
        await FILES.put('file', 'canary-in-file')
      }
      return Response.json([
        await DB.prepare('select count(*) as n from t').first('n').catch(() => null),
        await KV.get('key'),
        await FILES.get('file').then((file) => file?.text() ?? null),
      ])
    } }`
    const host = `${environment.slug}--dev--fn`
    const stored = [1, 'canary-in-kv', 'canary-in-file']
    await deployFunctions(environment, code, { bindings })
    assert.deepEqual(JSON.parse((await visit(host, '/', { method: 'POST' })).text), stored)

    assert.deepEqual((await server('DELETE', FUNCTIONS)).body, { deleted: true, purged: false })
    assert.equal((await environment.get()).status, 404)
    assert.deepEqual(
      [(await status(environment)).deployed, (await status(environment)).enabled],
      [false, true],
    )
    await deployFunctions(environment, code, { bindings })
    assert.deepEqual(JSON.parse((await environment.get()).text), stored)

    const environmentId = await environmentIdOf(environment)
    const before = await filesIn(service, environmentId)
    assert.ok(before.length > 0)
    assert.deepEqual((await server('DELETE', `${FUNCTIONS}?purge=true`)).body, {
      deleted: true,
      purged: true,
    })
    assert.deepEqual(await filesIn(service, environmentId), [])
    assert.deepEqual((await status(environment)).resources, [])
    await deployFunctions(environment, code, { bindings })
    assert.deepEqual(JSON.parse((await environment.get()).text), [null, null, null])
  })

  test('[FUN-08] of a deleted project leave no file and no code', async () => {
    const environment = await newEnvironment()
    const code = `export default { async fetch(_, { KV }) { await KV.put('a', 'b'); return new Response('ok') } }`
    await deployFunctions(environment, code, { bindings: [{ type: 'kv', name: 'KV' }] })
    assert.equal((await environment.get()).text, 'ok')
    const environmentId = await environmentIdOf(environment)
    assert.ok((await filesIn(service, environmentId)).length > 0)

    await environment.developer.call('DELETE', `/v1/projects/${environment.projectId}`)
    await service.background.drained()
    assert.deepEqual(await filesIn(service, environmentId), [])
    assert.equal((await environment.get()).status, 404)
    service.clock.advance(2 * 3_600_000)
    await service.everyHour()
    const removals = await service.db.search((q) => q.selectFrom('functions_removals').selectAll())
    assert.deepEqual(removals, [])
  })

  test('[FUN-09] secrets reach the code and nothing else', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    const code = `export default { fetch: (_, env) => new Response(env.TOKEN ?? 'none') }`
    await deployFunctions(environment, code)
    assert.equal((await environment.get()).text, 'none')
    const canary = 'canary-value-of-a-secret'
    const written = await server('PUT', `${FUNCTIONS}/secrets/TOKEN`, { value: canary })
    assert.equal(written.body.name, 'TOKEN')
    assert.equal((await environment.get()).text, canary)

    const { body: listed } = await server('GET', `${FUNCTIONS}/secrets`)
    assert.deepEqual(listed, { secrets: [{ name: 'TOKEN', updatedAt: written.body.updatedAt }] })
    const one = await server('GET', `${FUNCTIONS}/secrets/TOKEN`)
    assert.deepEqual(one.body, listed.secrets[0])
    const audit = await environment.developer.call('GET', `/v1/projects/${environment.projectId}/audit`)
    const logs = await server('GET', `${FUNCTIONS}/logs`)
    for (const answer of [written, one, audit, logs, await server('GET', FUNCTIONS)])
      assert.equal(JSON.stringify(answer.body).includes(canary), false)
    const environmentId = await environmentIdOf(environment)
    for (const { path, bytes } of await filesIn(service, environmentId))
      assert.equal(bytes.includes(canary), false, path)

    for (const [name, value] of [
      ['lower', 'x'],
      ['1A', 'x'],
      ['SVC', 'x'],
      ['A'.repeat(65), 'x'],
      ['BIG', 'x'.repeat(5_121)],
      ['NUL', 'a\0b'],
      ['EMPTY', ''],
    ])
      assert.equal((await server('PUT', `${FUNCTIONS}/secrets/${name}`, { value })).status, 400, `${name}`)
    const clash = await server(
      'POST',
      `${FUNCTIONS}/deployments`,
      deploymentOf(code, { vars: { TOKEN: 'x' } }),
    )
    assert.equal(clash.body.error.code, 'invalid_deployment')

    assert.deepEqual((await server('DELETE', `${FUNCTIONS}/secrets/TOKEN`)).body, { deleted: true })
    assert.equal((await environment.get()).text, 'none')
    for (const method of ['GET', 'DELETE'])
      assert.equal((await server(method, `${FUNCTIONS}/secrets/TOKEN`)).body.error.code, 'secret_not_found')
  })

  test('[FUN-09] an environment has at most 64 secrets', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    await server('POST', `${FUNCTIONS}/enable`, {})
    const put = (index: number) => server('PUT', `${FUNCTIONS}/secrets/S${index}`, { value: 'x' })
    for (let index = 1; index <= 64; index++) assert.equal((await put(index)).status, 200)
    const refused = await put(65)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'too_many_secrets'])
    assert.equal((await put(64)).status, 200)
  })

  test('[FUN-14] suspended ones do not run, and run again when the operator resumes them', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    const code = `export default { fetch: () => new Response('runs'), scheduled() {} }`
    await deployFunctions(environment, code, { bindings: [{ type: 'db', name: 'DB' }], crons: ['* * * * *'] })
    assert.equal(await service.functions.suspendProject(environment.slug, true), true)
    assert.equal((await status(environment)).suspended, true)
    const refused = await environment.get()
    assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [503, 'functions_suspended'])
    const run = await server('POST', `${FUNCTIONS}/crons/run`, { cron: '* * * * *' })
    assert.equal(run.body.error.code, 'functions_suspended')
    service.clock.advance(60_000)
    await service.everySecond()
    await service.background.drained()
    assert.equal((await status(environment)).crons[0].lastAt, null)
    assert.equal((await server('POST', `${FUNCTIONS}/db/DB/query`, { sql: 'select 1 as one' })).status, 200)
    await deployFunctions(environment, says('new'))
    assert.equal((await environment.get()).status, 503)

    await service.functions.suspendProject(environment.slug, false)
    assert.equal((await environment.get()).text, 'new')
    assert.equal(await service.functions.suspendProject('unknown', true), false)
  })

  test('[DSH-49] requests, errors and CPU time are read per minute, and kept for a day', async () => {
    const environment = await newEnvironment()
    const { server, developer, path } = environment
    const series = async (query = '') => {
      const { status: code, body } = await server('GET', `${FUNCTIONS}/series${query}`)
      assert.equal(code, 200, JSON.stringify(body))
      return body.minutes as { at: string; requests: number; errors: number; cpuMs: number }[]
    }
    const used = async (query?: string) =>
      (await series(query)).flatMap(({ requests, errors }, index) =>
        requests + errors > 0 ? [[index, requests, errors]] : [],
      )
    assert.deepEqual(await used(), [])
    await deployFunctions(
      environment,
      `export default { fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/throws') throw new Error('no')
        while (pathname === '/loops') ;
        return new Response('', { status: pathname === '/missing' ? 404 : pathname === '/failed' ? 503 : 200 })
      } }`,
    )
    assert.equal((await server('PUT', `${FUNCTIONS}/limits`, { cpuMs: 250 })).status, 200)
    const answers: number[] = []
    for (const at of ['/', '/throws', '/missing', '/failed', '/loops'])
      answers.push((await environment.get(at)).status)
    assert.deepEqual(answers, [200, 500, 404, 503, 503])
    await service.everyMinute()
    assert.deepEqual(await used(), [[59, 5, 3]])
    await environment.get()
    await service.everyMinute()
    assert.deepEqual(await used(), [[59, 6, 3]])
    service.clock.advance(MINUTE_MS)
    await environment.get()
    await service.everyMinute()
    assert.deepEqual(await used(), [
      [58, 6, 3],
      [59, 1, 0],
    ])
    assert.deepEqual(await used('?minutes=1'), [[0, 1, 0]])
    const minutes = await series('?minutes=1440')
    assert.equal(minutes.length, 1_440)
    const thisMinute = new Date(Math.floor(service.clock.now().getTime() / MINUTE_MS) * MINUTE_MS)
    assert.equal(minutes.at(-1)?.at, thisMinute.toISOString())
    assert.ok(minutes.every(({ cpuMs }) => Number.isInteger(cpuMs)))
    assert.ok(minutes.some(({ cpuMs }) => cpuMs > 0))
    const asDeveloper = await developer.call('GET', `${path}/functions/series`)
    assert.deepEqual(asDeveloper.body.minutes, await series())
    for (const query of ['?minutes=0', '?minutes=1441', '?minutes=x'])
      assert.equal((await server('GET', `${FUNCTIONS}/series${query}`)).status, 400, query)

    service.clock.advance(DAY_MS)
    assert.deepEqual(await used('?minutes=1440'), [])
    await service.everyHour()
    const environmentId = await environmentIdOf(environment)
    const rows = () =>
      service.db.search((q) =>
        q.selectFrom('functions_minutes').selectAll().where('environmentId', '=', environmentId),
      )
    assert.deepEqual(await rows(), [])

    // A process may report its last requests after the project was deleted.
    await environment.get()
    await developer.call('DELETE', `/v1/projects/${environment.projectId}`)
    await service.background.drained()
    await service.everyMinute()
    assert.deepEqual(await rows(), [])
  })

  test('[FUN-01] every change is in the audit log', async () => {
    const environment = await newEnvironment()
    const { server } = environment
    await deployFunctions(environment, says('x'), { bindings: [{ type: 'db', name: 'DB' }] })
    await server('PUT', `${FUNCTIONS}/limits`, { cpuMs: 7 })
    await server('PUT', `${FUNCTIONS}/secrets/A`, { value: 'x' })
    await server('DELETE', `${FUNCTIONS}/secrets/A`)
    await server('POST', `${FUNCTIONS}/db/DB/query`, { sql: 'create table t (x); insert into t values (1)' })
    await server('POST', `${FUNCTIONS}/db/DB/migrate`, {
      migrations: [{ name: '1', sql: 'create table u (x)' }],
    })
    await server('POST', `${FUNCTIONS}/disable`)
    await server('DELETE', `${FUNCTIONS}?purge=true`)
    const { body } = await environment.developer.call(
      'GET',
      `/v1/projects/${environment.projectId}/audit?limit=200`,
    )
    const actions = body.entries.map(({ action }: { action: string }) => action)
    for (const action of [
      'enable',
      'deploy',
      'limits',
      'secret_set',
      'secret_delete',
      'query',
      'migrate',
      'disable',
      'remove',
    ])
      assert.ok(actions.includes(`functions.${action}`), action)
  })
})
