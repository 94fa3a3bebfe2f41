import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS } from '../../platform/clock.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const PASSWORD = 'correct horse'

suite('developers and their own account', {}, ({ engine, service }) => {
  const logIn = async (email: string) =>
    (await service.call('POST', '/v1/developers/login', { email, password: PASSWORD })).body.token as string

  test('[DSH-17] a developer lists sessions, ends one, and ends all others', async () => {
    const developer = await service.newDeveloper()
    service.clock.advance(2 * DAY_MS)
    const [second, third] = [await logIn(developer.email), await logIn(developer.email)]
    const now = service.clock.now().toISOString()
    const sessions = async () => (await developer.call('GET', '/v1/developers/me/sessions')).body.sessions
    const isIn = async (token: string) =>
      (await service.withToken(token)('GET', '/v1/developers/me')).status === 200

    const listed = await sessions()
    assert.equal(listed.length, 3)
    const current = listed.find((session: { current: boolean }) => session.current)
    assert.equal(listed.at(-1), current, 'newest first')
    assert.equal(current.lastUsedAt, now, 'this call is a use')
    const stranger = await service.newDeveloper()
    for (const id of [current.id, 'dss_nothing'])
      assert.equal(
        (await stranger.call('DELETE', `/v1/developers/me/sessions/${id}`)).body.error.code,
        'not_found',
      )

    assert.equal(await isIn(second), true)
    const ids = listed.filter((session: { current: boolean }) => !session.current)
    for (const { id } of ids.slice(0, 1))
      assert.deepEqual((await developer.call('DELETE', `/v1/developers/me/sessions/${id}`)).body, {
        deleted: true,
      })
    assert.deepEqual([await isIn(second), await isIn(third)].filter(Boolean).length, 1)
    assert.deepEqual((await developer.call('DELETE', '/v1/developers/me/sessions')).body, { ended: 1 })
    assert.deepEqual(
      [await isIn(second), await isIn(third), await isIn(developer.token)],
      [false, false, true],
    )
    assert.equal((await sessions()).length, 1)
    assert.equal(await isIn(stranger.token), true)
  })

  test('[DSH-17] a developer changes the name of the account', async () => {
    const developer = await service.newDeveloper()
    const rename = async (name: unknown) =>
      (await developer.call('PATCH', '/v1/developers/me', { name })).body
    assert.equal((await rename(' Ada\u202e ')).developer.name, 'Ada')
    assert.equal((await developer.call('GET', '/v1/developers/me')).body.developer.name, 'Ada')
    assert.equal((await rename('')).developer.name, null)
    assert.equal((await rename('x'.repeat(80))).developer.name.length, 80)
    for (const name of ['x'.repeat(81), 1, null])
      assert.equal((await rename(name)).error.code, 'invalid_request')
  })

  test('[DSH-17] an account is deleted with the password, once it has no project', async () => {
    await service.newDeveloper()
    const project = await service.newProject()
    const { developer } = project
    const remove = async (body: object) => (await developer.call('DELETE', '/v1/developers/me', body)).body
    assert.equal((await remove({})).error.code, 'reauth_required')
    assert.equal((await remove({ password: 'wrong password' })).error.code, 'invalid_credentials')
    const refused = await remove({ password: PASSWORD })
    assert.deepEqual([refused.error.code, refused.error.details], ['account_has_projects', { projects: 1 }])
    await developer.call('DELETE', `/v1/projects/${project.id}`)
    const other = await logIn(developer.email)

    assert.deepEqual(await remove({ password: PASSWORD }), { deleted: true })

    for (const token of [developer.token, other])
      assert.equal((await service.withToken(token)('GET', '/v1/developers/me')).status, 401)
    const { email } = developer
    const login = await service.call('POST', '/v1/developers/login', { email, password: PASSWORD })
    assert.equal(login.body.error.code, 'invalid_credentials')
    const again = await service.call('POST', '/v1/developers/signup', { email, password: PASSWORD })
    assert.equal(again.status, 200)
    assert.deepEqual((await service.withToken(again.body.token)('GET', '/v1/projects')).body.projects, [])
  })

  test('[DSH-17] a deletion and new projects at the same moment leave no project without its account', async () => {
    const developer = await service.newDeveloper()
    const [deletion, ...creations] = await Promise.all([
      developer.call('DELETE', '/v1/developers/me', { password: PASSWORD }),
      ...Array.from({ length: 6 }, (_, n) => developer.call('POST', '/v1/projects', { name: `Race ${n}` })),
    ])
    const created = creations.filter(({ status }) => status === 200)
    const left = await service.db.search((q) =>
      q.selectFrom('projects').select('id').where('developerId', '=', developer.id),
    )
    assert.equal(left.length, created.length)
    assert.equal(deletion?.status === 200, created.length === 0)
  })

  test('[DSH-17] the only operator cannot leave; of two who leave together one stays', async (t) => {
    const alone = await startService(engine)
    t.after(() => alone.stop())
    const first = await alone.newOperator()
    const leave = (developer: typeof first) =>
      developer.call('DELETE', '/v1/developers/me', { password: PASSWORD })
    assert.equal((await leave(first)).body.error.code, 'last_operator')
    const second = await alone.newOperator()
    const answers = await Promise.all([leave(first), leave(second)])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
  })
})
