import assert from 'node:assert/strict'
import { test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { suite } from '../../testing/suite.ts'

suite('sign-in of a browser by a command line', {}, ({ service }) => {
  type Developer = Awaited<ReturnType<typeof service.newDeveloper>>
  const create = async ({ call }: Pick<Developer, 'call'>) => {
    const { status, body } = await call('POST', '/v1/x/developers/browser-codes')
    assert.deepEqual([status, body.expiresIn], [201, 60])
    return String(body.code)
  }
  const open = (code: string) => service.call('POST', '/v1/x/developers/browser-codes/session', { code })
  const refused = async (code: string) => {
    const { status, body } = await open(code)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_or_expired_token'])
  }

  test('[DEV-24] a code opens one session, also if many use it at the same time', async () => {
    const ada = await service.newDeveloper()
    const code = await create(ada)
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(code)))
    const opened = answers.filter(({ status }) => status === 200)
    assert.equal(opened.length, 1)
    assert.equal(opened[0]?.body.developer.id, ada.id)
    const me = await service.withToken(opened[0]?.body.token)('GET', '/v1/developers/me')
    assert.equal(me.body.developer.email, ada.email)
    await refused(code)
  })

  test('[DEV-24] it works for a minute, a new one replaces it, and a new password ends it', async () => {
    const ada = await service.newDeveloper()
    const replaced = await create(ada)
    const inTime = await create(ada)
    await refused(replaced)
    service.clock.advance(MINUTE_MS - 1)
    assert.equal((await open(inTime)).status, 200)
    const late = await create(ada)
    service.clock.advance(MINUTE_MS)
    await refused(late)
    const ended = await create(ada)
    const passwords = { currentPassword: 'correct horse', password: 'another horse' }
    assert.equal((await ada.call('POST', '/v1/developers/me/password', passwords)).status, 200)
    await refused(ended)
    await refused('made-up')
  })

  test('[DEV-24] only a developer session creates one, and the service stores its hash', async () => {
    const { developer, development } = await service.newProject()
    for (const { call } of [{ call: service.call }, { call: development.server }])
      assert.ok([401, 403].includes((await call('POST', '/v1/x/developers/browser-codes')).status))
    const code = await create(developer)
    const rows = await service.db.search((q) => q.selectFrom('developers_tokens').selectAll())
    assert.ok(!JSON.stringify(rows).includes(code))
  })
})
