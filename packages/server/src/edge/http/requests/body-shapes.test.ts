import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'
import { FEATURES } from '@svc/contract/common/features'

import { type Guest, newGuest } from '../../../testing/guests.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import type { Call } from '../../../testing/service.ts'
import { EVERY_TOOL } from '../../../testing/sharing.ts'
import { suite } from '../../../testing/suite.ts'

const features = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true]))

suite('bodies that are not objects', { features }, ({ service, project }) => {
  let guest: Guest
  before(async () => {
    await service.signUp.setOperator(project.developer.email, true)
    // Sessions are cached for a moment.
    await comesTrue(
      'the developer is an operator',
      async () => (await project.developer.call('GET', '/v1/operator/audit')).status === 200,
    )
    const pushed = await project.development.server('PUT', '/v1/config', { features, share: EVERY_TOOL })
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
    guest = await newGuest(project.development)
  })

  const callers = (): Record<string, Call> => ({
    none: service.call,
    public: project.development.public,
    player: guest.call,
    server: project.development.server,
    developer: project.developer.call,
    operator: project.developer.call,
  })
  const values: Record<string, string> = { env: 'development' }
  const pathOf = (path: string) =>
    path.replaceAll(
      /:(\w+)/g,
      (_, name: string) => ({ ...values, projectId: project.id, playerId: guest.id })[name] ?? 'x',
    )

  /** Endpoints that answer something else before the body is read. */
  const BEFORE = new Set(['billing_disabled', 'email_login_disabled'])

  for (const [name, body] of Object.entries({ list: [], text: 'x', number: 1, nothing: null, truth: true }))
    test(`[GEN-06] every endpoint rejects a body that is a ${name}, also where it has none`, async () => {
      const others = new Map<string, string>()
      let rejected = 0
      for (const endpoint of endpointList.filter(({ rawBody, bytesBody }) => !rawBody && !bytesBody))
        for (const { method, path, caller } of addressesOf(endpoint)) {
          if (method === 'GET') continue
          const call = callers()[caller] ?? service.call
          const { status, body: answer } = await call(method, pathOf(path), body, {
            'idempotency-key': 'shapes',
          })
          const [first] = answer.error?.details?.errors ?? []
          const code = path.endsWith('/config') ? 'invalid_config' : 'invalid_request'
          if (status === 400 && answer.error.code === code && first?.path === '$') rejected++
          else if (!BEFORE.has(answer.error?.code))
            others.set(`${method} ${path}`, `${status} ${answer.error?.code}`)
        }
      assert.deepEqual([...others], [])
      assert.ok(rejected > 100, `${rejected}`)
    })

  test('[GEN-06] the message of invalid_request is the first problem', async () => {
    const { public: app, server } = project.development
    const messageOf = ({ body }: Awaited<ReturnType<Call>>) => body.error.message
    assert.equal(
      messageOf(await server('GET', '/v1/deployments?limit=101')),
      'limit must be a whole number from 1 to 100.',
    )
    assert.equal(messageOf(await app('POST', '/v1/auth/guest', [])), 'the body must be an object.')
    assert.equal(
      messageOf(await service.call('POST', '/v1/developers/login', {})),
      'email is required. There are 2 problems in all.',
    )
  })

  test('[BAN-02] U+0000 is removed from texts like other control characters', async () => {
    const other = await newGuest(project.development)
    const path = `/v1/admin/players/${other.id}/ban`
    const banned = await project.development.server('POST', path, { reason: 'a\0b\u0001c' })
    assert.deepEqual([banned.status, banned.body.player?.banReason], [200, 'abc'])
    const { body: own } = await other.call('GET', '/v1/players/me/sanctions')
    const appeal = `/v1/players/me/sanctions/${own.sanctions[0].id}/appeal`
    assert.equal((await other.call('POST', appeal, { message: '\0\u0001' })).status, 400)
    const { status, body } = await other.call('POST', appeal, { message: 'not\0 me' })
    assert.deepEqual([status, body.appeal?.message], [201, 'not me'])
    const resolved = await project.development.server('POST', `/v1/admin/appeals/${body.appeal.id}/resolve`, {
      accept: false,
      response: 'n\0o',
    })
    assert.deepEqual([resolved.status, resolved.body.appeal?.response], [200, 'no'])
    const deployed = await project.development.server('POST', '/v1/deployments', {
      files: [{ path: 'index.html', sha256: 'a'.repeat(64), size: 1 }],
      message: 'fir\0st',
    })
    assert.equal(deployed.status, 200, JSON.stringify(deployed.body))
  })

  test('[PLY-06] [DEV-09] U+0000 in a name is rejected like other control characters', async () => {
    const { public: app } = project.development
    for (const text of ['a\0b', 'a\u0001b', '\0', '\u0001']) {
      const answers = [
        await app('POST', '/v1/auth/guest', { displayName: text }),
        await guest.call('PATCH', '/v1/players/me', { displayName: text }),
        await project.developer.call('POST', '/v1/projects', { name: text }),
        await project.development.server('POST', '/v1/admin/share/links', { label: text }),
      ]
      for (const { status, body } of answers)
        assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], JSON.stringify(text))
    }
  })

  test('[PLY-06] [DEV-09] names of invisible letters only are rejected', async () => {
    const { public: app } = project.development
    for (const text of [
      '\u3164',
      '\u115f\u1160',
      '\uffa0',
      '\u2800\u2800',
      '\u{1d159}',
      '\ufffc',
      '\u200b\u00ad',
    ]) {
      const answers = [
        await app('POST', '/v1/auth/guest', { displayName: text }),
        await guest.call('PATCH', '/v1/players/me', { displayName: text }),
        await project.developer.call('POST', '/v1/projects', { name: text }),
        await project.developer.call('PATCH', `/v1/projects/${project.id}`, { name: text }),
        await project.development.server('POST', '/v1/admin/share/links', { label: text }),
      ]
      for (const { status, body } of answers)
        assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], JSON.stringify(text))
    }
  })

  test('U+0000 in forms and in the URLs of pages is no error of the service', async () => {
    const urls = [
      '/.auth/verify',
      '/.auth/reset',
      '/.news/confirm',
      '/.news/one-click/a%00b',
      '/dashboard/reset',
    ]
    for (const url of urls)
      for (const query of ['', '?token=a%00b', '?token=a&lang=%00'])
        for (const payload of [undefined, 'token=a%00b&password=%00%00%00%00%00%00%00%00&key=%00']) {
          const { statusCode } = await service.http.inject({
            method: payload === undefined ? 'GET' : 'POST',
            url: `${url}${query}`,
            ...(payload !== undefined && {
              payload,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }),
          })
          assert.ok(statusCode < 500, `${url}${query} ${payload}: ${statusCode}`)
        }
  })
})
