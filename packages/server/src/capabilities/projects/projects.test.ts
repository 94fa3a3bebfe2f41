import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HOUR_MS } from '../../platform/clock.ts'
import { suite } from '../../testing/suite.ts'

suite('projects', {}, ({ engine, service }) => {
  test('[DEV-08] [GEN-24] [GEN-38] [GEN-39] a new project has two environments and shows all four keys, the secret ones once', async () => {
    const { call } = await service.newDeveloper()
    const { body } = await call('POST', '/v1/projects', { name: 'Star Duel' })

    assert.match(body.project.id, /^prj_[a-z0-9]{26}$/)
    assert.deepEqual(
      body.project.environments.map(({ name }: { name: string }) => name),
      ['development', 'production'],
    )
    assert.deepEqual(
      body.keys.map(({ key }: { key: string }) => key.replace(/[A-Za-z0-9]{32}$/, '…')),
      ['pk_dev_…', 'sk_dev_…', 'pk_prod_…', 'sk_prod_…'],
    )
    // A publishable key may be in any page, so it stays visible.
    const texts: string[] = body.keys
      .map(({ key }: { key: string }) => key)
      .filter((key: string) => key.startsWith('sk_'))
    const later = [
      await call('GET', '/v1/projects'),
      await call('GET', `/v1/projects/${body.project.id}`),
      await call('GET', `/v1/projects/${body.project.id}/environments/dev/keys`),
      await call('GET', `/v1/projects/${body.project.id}/audit`),
    ]
    for (const answer of later) {
      for (const text of texts) assert.ok(!JSON.stringify(answer.body).includes(text))
    }
  })

  test('[DEV-09] a name that resembles the service or its staff answers 400 name_reserved, on create and on rename', async () => {
    const project = await service.newProject()
    const hostile = [
      'svc',
      'My SVC game',
      'Official Duel',
      'ѕuрроrt',
      'Adm1n',
      'ＳＴＡＦＦ',
      'S.V.C.',
      'Modеrator',
      'Ａdmin',
      'Support!',
      'Admin!',
      '0fficial',
      'A.D.M.I.N',
      'a d m i n',
    ]
    for (const name of hostile) {
      const created = await project.developer.call('POST', '/v1/projects', { name })
      const renamed = await project.developer.call('PATCH', `/v1/projects/${project.id}`, { name })
      assert.deepEqual(
        [name, created.body.error?.code, renamed.body.error?.code],
        [name, 'name_reserved', 'name_reserved'],
      )
    }
    for (const name of ['Service Station', 'Staffel', 'Unofficially', 'Supporters']) {
      assert.equal((await project.developer.call('POST', '/v1/projects', { name })).status, 200, name)
    }
  })

  test('[DEV-08] an account has at most 100 projects, also if they are created at the same time', async () => {
    const { call } = await service.newDeveloper()
    const create = () => call('POST', '/v1/projects', { name: 'Star Duel' })
    for (let count = 0; count < 98; count++) assert.equal((await create()).status, 200)
    const answers = await Promise.all(Array.from({ length: 5 }, create))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 3)
    for (const { status, body } of refused)
      assert.deepEqual(
        [status, body.error.code, body.error.details],
        [409, 'too_many_projects', { limit: 100 }],
      )
    const { projects } = (await call('GET', '/v1/projects')).body
    assert.equal(projects.length, 100)
    assert.equal((await call('DELETE', `/v1/projects/${projects[0].id}`)).status, 200)
    assert.equal((await create()).status, 200)
  })

  test('[DEV-09] a name has 1 to 80 characters', async () => {
    const { call } = await service.newDeveloper()
    const status = async (name: string) => (await call('POST', '/v1/projects', { name })).status
    assert.equal(await status('a'), 200)
    assert.equal(await status('ä'.repeat(80)), 200)
    assert.equal(await status('😀'.repeat(80)), 200)
    assert.equal(await status('a'.repeat(81)), 400)
    assert.equal(await status(''), 400)
    assert.equal(await status('   '), 400)
    assert.equal(await status('two\nlines'), 400)
  })

  test('[DEV-10] a rename returns the previous name and keeps the slug; the same name changes nothing', async () => {
    const project = await service.newProject(undefined, `Rename me ${engine}`)
    const path = `/v1/projects/${project.id}`

    const renamed = await project.developer.call('PATCH', path, { name: 'Renamed' })
    assert.equal(renamed.body.previousName, `Rename me ${engine}`)
    assert.equal(renamed.body.changed, true)
    assert.equal(renamed.body.project.name, 'Renamed')
    assert.equal(renamed.body.project.slug, project.slug)

    const again = await project.developer.call('PATCH', path, { name: 'Renamed' })
    assert.equal(again.body.changed, false)
    assert.equal((await project.developer.call('GET', path)).body.project.name, 'Renamed')
  })

  test('[DEV-10] [GEN-09] the 21st rename within an hour answers 429, also with concurrent renames', async () => {
    const project = await service.newProject()
    const path = `/v1/projects/${project.id}`
    const race = Array.from({ length: 25 }, (_, i) =>
      project.developer.call('PATCH', path, { name: `Name ${i}` }),
    )
    const answers = await Promise.all(race)

    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 5)
    assert.equal(refused[0]?.body.error.code, 'rate_limited')
    assert.equal(refused[0]?.headers['retry-after'], String(refused[0]?.body.error.details.retryAfterSeconds))
    service.clock.advance(HOUR_MS)
    assert.equal((await project.developer.call('PATCH', path, { name: 'Later' })).status, 200)
  })

  test('[DEV-11] a slug is made from the name, never contains --, and gets a suffix if it is taken or too short', async () => {
    const { call } = await service.newDeveloper()
    const slugOf = async (name: string) => (await call('POST', '/v1/projects', { name })).body.project.slug
    assert.equal(await slugOf(`Käse -- Brot ${engine}!`), `kase-brot-${engine}`)
    assert.match(await slugOf(`Käse Brot ${engine}`), new RegExp(`^kase-brot-${engine}-[a-z0-9]{6}$`))
    assert.match(await slugOf('ゲーム'), /^app-[a-z0-9]{6}$/)
    assert.match(await slugOf('api'), /^api-[a-z0-9]{6}$/)
    assert.match(await slugOf('x'.repeat(80)), /^x{32}$/)
  })

  test("[DEV-12] [GEN-23] another developer's project answers exactly like one that does not exist", async () => {
    const mine = await service.newProject()
    const { call } = await service.newDeveloper()
    const addresses = [
      '',
      '/audit',
      '/environments/dev/keys',
      '/environments/dev/overview',
      '/environments/dev/config',
    ]
    for (const rest of addresses) {
      const foreign = await call('GET', `/v1/projects/${mine.id}${rest}`)
      const unknown = await call('GET', `/v1/projects/prj_00000000000000000000000000${rest}`)
      const malformed = await call('GET', `/v1/projects/x${rest}`)
      assert.equal(foreign.status, 404)
      assert.deepEqual(foreign.body, unknown.body)
      assert.deepEqual(foreign.body, malformed.body)
    }
    assert.equal((await call('PATCH', `/v1/projects/${mine.id}`, { name: 'Mine now' })).status, 404)
    assert.equal((await call('DELETE', `/v1/projects/${mine.id}`)).status, 404)
    assert.deepEqual((await call('GET', '/v1/projects')).body, { projects: [] })
  })

  test('[DEV-12] [GEN-05] a deleted project answers 404, its keys are rejected immediately, its slug is never reused', async () => {
    const project = await service.newProject(undefined, `Gone ${engine}`)
    const { call } = project.developer
    assert.equal((await project.development.server('GET', '/v1/config')).status, 200)

    assert.deepEqual((await call('DELETE', `/v1/projects/${project.id}`)).body, { deleted: true })

    assert.equal((await project.development.server('GET', '/v1/config')).body.error.code, 'invalid_key')
    assert.equal((await call('GET', `/v1/projects/${project.id}`)).status, 404)
    assert.deepEqual((await call('GET', '/v1/projects')).body, { projects: [] })
    const { body } = await call('POST', '/v1/projects', { name: `Gone ${engine}` })
    assert.notEqual(body.project.slug, project.slug)
  })

  test('[DEV-12] of two concurrent deletions one succeeds, and there is one audit entry', async () => {
    const project = await service.newProject()
    const remove = () => project.developer.call('DELETE', `/v1/projects/${project.id}`)
    const answers = await Promise.all([remove(), remove()])
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '404'])
    const entries = await service.db.search((q) =>
      q
        .selectFrom('audit_entries')
        .select('id')
        .where('projectId', '=', project.id)
        .where('action', '=', 'project.delete'),
    )
    assert.equal(entries.length, 1)
  })

  test('[DEV-12] nothing that a deleted project had is left, and another project loses nothing', async () => {
    const [gone, kept] = [await service.newProject(), await service.newProject()]
    for (const { development } of [gone, kept]) {
      await development.server('PUT', '/v1/config', { features: { emailLogin: true } })
      for (let i = 0; i < 3; i++) await development.public('POST', '/v1/auth/guest', {})
      await development.public('POST', '/v1/auth/email/signup', {
        email: 'a@example.com',
        password: 'correct horse',
      })
    }
    const rowsOf = async ({ environments }: typeof gone) => {
      const ids = environments.map(({ id }) => id)
      const players = await service.db.search((q) =>
        q.selectFrom('players').select('id').where('environmentId', 'in', ids),
      )
      const sessions = await service.db.search((q) =>
        q.selectFrom('sessions').select('id').where('environmentId', 'in', ids),
      )
      const secrets = await service.db.search((q) => q.selectFrom('secrets').select('id'))
      const own = secrets.filter(({ id }) => ids.some((environmentId) => id.includes(environmentId)))
      return [players.length, sessions.length, own.length]
    }
    await gone.developer.call('DELETE', `/v1/projects/${gone.id}`)
    await service.background.drained()

    assert.deepEqual(await rowsOf(gone), [0, 0, 0])
    assert.deepEqual(await rowsOf(kept), [4, 4, 1])
  })

  test('[DEV-14] the overview reports the config version and the keys, without their text', async () => {
    const project = await service.newProject()
    await project.development.server('PUT', '/v1/config', { features: { saves: true } })

    const { body } = await project.developer.call('GET', `${project.development.path}/overview`)

    assert.equal(body.configVersion, 1)
    assert.deepEqual(
      body.keys.map(({ type, environment }: { type: string; environment: string }) => [type, environment]),
      [
        ['publishable', 'development'],
        ['secret', 'development'],
      ],
    )
  })

  test('[GEN-15] an environment is development or production, dev or prod for short; anything else answers 404', async () => {
    const project = await service.newProject()
    const status = async (env: string) =>
      (await project.developer.call('GET', `/v1/projects/${project.id}/environments/${env}/config`)).status
    for (const env of ['development', 'dev', 'production', 'prod']) assert.equal(await status(env), 200, env)
    for (const env of ['staging', 'Dev', 'constructor', '__proto__'])
      assert.equal(await status(env), 404, env)
  })

  test('a retried creation with the same Idempotency-Key returns the same project, and creates only one', async () => {
    const { call } = await service.newDeveloper()
    const create = (name: string) => call('POST', '/v1/projects', { name }, { 'idempotency-key': 'once:1' })
    const race = await Promise.all(Array.from({ length: 5 }, () => create('Only one')))
    const [first] = race.filter(({ status }) => status === 200)
    const again = await create('Only one')

    assert.deepEqual(again.body, first?.body)
    assert.equal((await call('GET', '/v1/projects')).body.projects.length, 1)
    assert.equal((await create('Another')).body.error.code, 'idempotency_key_reused')
    const bad = await call('POST', '/v1/projects', { name: 'x' }, { 'idempotency-key': 'not ok' })
    assert.equal(bad.body.error.code, 'invalid_idempotency_key')
  })
})
