import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import { suite } from '../../testing/suite.ts'

const challenge = 'c'.repeat(43)

suite(
  'external sign-in of developers: start and callback',
  { start: startServiceWithProviders },
  ({ service }) => {
    const start = (provider: string, body: object) =>
      service.call('POST', `/v1/developers/oauth/${provider}/start`, body)

    test('[DEV-06] the platform info lists the providers for which the operator has configured a client', async () => {
      const { body } = await service.call('GET', '/v1/platform/info')
      assert.deepEqual(body.oauthProviders, ['google', 'github'])
    })

    test('[DEV-05] a provider that is not offered answers 404 provider_disabled, at its callback a page', async () => {
      for (const provider of ['discord', 'constructor', '__proto__']) {
        const { body } = await start(provider, { redirectUrl: service.returnUrl, challenge })
        assert.equal(body.error.code, 'provider_disabled')
      }
      assert.equal((await service.call('GET', '/v1/developers/oauth/discord/callback?state=x')).status, 404)
    })

    test('[DEV-05] a redirectUrl on another host answers 400 redirect_url_not_allowed', async () => {
      const { body } = await start('google', { redirectUrl: 'https://evil.example/', challenge })
      assert.equal(body.error.code, 'redirect_url_not_allowed')
    })

    test('[DEV-05] an invalid S256 challenge answers 400', async () => {
      for (const wrong of ['', 'c'.repeat(42), 'c'.repeat(44), `${'c'.repeat(42)}=`]) {
        const { body } = await start('google', { redirectUrl: service.returnUrl, challenge: wrong })
        assert.equal(body.error.code, 'invalid_request')
      }
    })

    test('[DEV-05] link and reauth need a developer session', async () => {
      for (const intent of ['link', 'reauth']) {
        const { body } = await start('google', { redirectUrl: service.returnUrl, challenge, intent })
        assert.equal(body.error.code, 'unauthorized')
      }
    })

    test('[DEV-05] the callback redirects with a code in the fragment, works once, and is not cached', async () => {
      const { callback } = await service.begin('google', { account: 'ada' })

      const { status, address, said } = await service.followCallback(callback)
      assert.equal(status, 302)
      assert.equal(address, service.returnUrl)
      assert.deepEqual(Object.keys(said), ['svc_code'])

      const again = await service.call('GET', callback.pathname + callback.search)
      assert.equal(again.status, 400)
      assert.match(again.headers['content-type'] ?? '', /html/)
      assert.equal(again.headers['cache-control'], 'no-store')
    })

    test('[DEV-05] a state that is missing, invented or of another provider shows a page and does not redirect', async () => {
      const { callback } = await service.begin('google', { account: 'ada' })
      for (const address of [
        '/v1/developers/oauth/google/callback',
        '/v1/developers/oauth/google/callback?code=x&state=made-up',
        `/v1/developers/oauth/github/callback${callback.search}`,
      ]) {
        const { status, headers } = await service.call('GET', address)
        assert.equal(status, 400)
        assert.equal(headers['location'], undefined)
      }
      assert.equal((await service.followCallback(callback)).status, 302)
    })

    test('[DEV-05] a sign-in is valid for 10 minutes, then the callback answers state_expired', async () => {
      const beforeExpiry = await service.begin('google', { account: 'ada' })
      service.clock.advance(10 * MINUTE_MS - 1)
      assert.ok((await service.followCallback(beforeExpiry.callback)).said['svc_code'])

      const late = await service.begin('google', { account: 'ada' })
      service.clock.advance(10 * MINUTE_MS)
      assert.deepEqual((await service.followCallback(late.callback)).said, { svc_error: 'state_expired' })
    })

    test('[DEV-05] a sign-in denied at the provider returns access_denied', async () => {
      for (const provider of ['google', 'github']) {
        const { callback } = await service.begin(provider, { deny: true })
        assert.deepEqual((await service.followCallback(callback)).said, { svc_error: 'access_denied' })
      }
    })

    test('[DEV-05] a code that the provider did not issue returns provider_error', async () => {
      for (const provider of ['google', 'github']) {
        const { callback } = await service.begin(provider, { account: 'ada' })
        callback.searchParams.set('code', 'made-up')
        assert.deepEqual((await service.followCallback(callback)).said, { svc_error: 'provider_error' })
      }
    })

    test('[DEV-05] a provider that returns no email leads to email_required', async () => {
      const { callback } = await service.begin('google', { account: 'nobody' })
      assert.deepEqual((await service.followCallback(callback)).said, { svc_error: 'email_required' })
    })

    test('[DEV-05] the callback alone changes nothing', async () => {
      await service.codeFor('google', { account: 'cleo' })
      const owners = await service.db.search((q) =>
        q.selectFrom('developers').select('id').where('email', '=', 'cleo@google.example'),
      )
      assert.deepEqual(owners, [])
    })

    test('states and codes are stored as hashes', async () => {
      const { callback } = await service.begin('google', { account: 'ada' })
      const { code } = await service.codeFor('google', { account: 'ada' })
      const rows = JSON.stringify([
        await service.db.search((q) => q.selectFrom('developers_sign_ins').selectAll()),
        await service.db.search((q) => q.selectFrom('developers_exchange_codes').selectAll()),
      ])
      assert.equal(rows.includes(callback.searchParams.get('state') ?? ''), false)
      assert.equal(rows.includes(code), false)
    })

    test('[OPS-81] unfinished sign-ins are deleted within an hour after they expired', async () => {
      await service.begin('google', { account: 'ada' })
      await service.codeFor('google', { account: 'ada' })
      service.clock.advance(21 * MINUTE_MS)
      await service.codeFor('google', { account: 'ada' })
      await service.jobs.runNow(HOUR_MS)

      const left = await service.db.search((q) => q.selectFrom('developers_sign_ins').select('expiresAt'))
      const codes = await service.db.search((q) =>
        q.selectFrom('developers_exchange_codes').select('expiresAt'),
      )
      assert.deepEqual([left.length, codes.length], [0, 1])
    })
  },
)
