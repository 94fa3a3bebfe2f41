import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { MINUTE_MS } from '../../../platform/clock.ts'
import { newEmailProject } from '../../../testing/email-players.ts'
import { engines, type Service, startService } from '../../../testing/service.ts'

const settings = {
  SVC_TRUSTED_PROXIES: '1',
  SVC_LIMIT_PUBLIC_PER_MINUTE: '3',
  SVC_LIMIT_GUESTS_PER_MINUTE: '3',
  SVC_LIMIT_SIGN_IN_PER_MINUTE: '3',
}

for (const engine of engines) {
  describe(`limits per client address on ${engine}`, () => {
    let service: Service
    let project: Awaited<ReturnType<typeof newEmailProject>>
    before(async () => {
      service = await startService(engine, { settings })
      project = await newEmailProject(service)
    })
    after(() => service.stop())

    const attempt = { email: 'nobody@example.com', password: 'wrong password' }
    const calls = {
      public: (from: string) =>
        project.production.public('GET', '/v1/gamedata/definitions', undefined, { 'x-forwarded-for': from }),
      guests: (from: string) =>
        project.production.public('POST', '/v1/auth/guest', {}, { 'x-forwarded-for': from }),
      'sign-in': (from: string) =>
        project.production.public('POST', '/v1/auth/email/login', attempt, { 'x-forwarded-for': from }),
      'developers’ sign-in': (from: string) =>
        service.call('POST', '/v1/developers/login', attempt, { 'x-forwarded-for': from }),
      pages: (from: string) =>
        service.call('POST', '/.auth/verify?env=none', undefined, {
          'x-forwarded-for': from,
          'content-type': 'application/x-www-form-urlencoded',
        }),
    }

    for (const [what, call] of Object.entries(calls)) {
      test(`[GEN-13] ${what}: addresses of one IPv6 /64 count as one, IPv4 in IPv6 notation as IPv4`, async () => {
        service.clock.advance(MINUTE_MS)
        for (const from of ['2001:db8:1:2::1', '2001:db8:1:2::ffff', '2001:DB8:1:2:a:b:c:d']) {
          assert.notEqual((await call(from)).status, 429)
        }
        assert.equal((await call('2001:db8:1:2:dead:beef:0:1')).status, 429)
        assert.notEqual((await call('2001:db8:1:3::1')).status, 429)

        for (const from of ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207']) {
          assert.notEqual((await call(from)).status, 429)
        }
        assert.equal((await call('192.0.2.7')).status, 429)
        assert.notEqual((await call('192.0.2.8')).status, 429)
      })

      test(`[GEN-48] ${what}: connections of one address count together behind a proxy that adds the port`, async () => {
        service.clock.advance(MINUTE_MS)
        for (const address of ['203.0.113.9', '[2001:db8:9::1]', 'unknown, a name of']) {
          for (const port of [4001, 4002, 4003])
            assert.notEqual((await call(`${address}:${port}`)).status, 429, address)
          assert.equal((await call(`${address}:4004`)).status, 429, address)
        }
      })
    }
  })
}
