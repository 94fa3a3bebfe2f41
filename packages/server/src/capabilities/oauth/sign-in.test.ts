import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { CONFIG, newPkce, RETURN_URL, startServiceForPlayers } from '../../testing/player-sign-in.ts'
import { type Call, engines } from '../../testing/service.ts'

const PROVIDERS = ['google', 'discord', 'apple', 'x'] as const

for (const engine of engines) {
  describe(`external sign-in of players: start and callback (${engine})`, () => {
    let service: Awaited<ReturnType<typeof startServiceForPlayers>>
    before(async () => void (service = await startServiceForPlayers(engine)))
    after(() => service.stop())

    const start = (provider: string, more: object = {}, call: Call = service.app.development.public) =>
      call('POST', `/v1/auth/oauth/${provider}/start`, {
        redirectUrl: RETURN_URL,
        challenge: newPkce().challenge,
        ...more,
      })
    const codeOf = async (answer: ReturnType<typeof start>) => (await answer).body.error?.code

    test('[OAU-01] [OAU-02] every provider is off until it is turned on, and an unknown one answers the same 404', async () => {
      const { development } = await service.newApp()
      await development.server('PUT', '/v1/config', {})
      const answers = await Promise.all(
        [...PROVIDERS, 'github', 'nonsense', 'constructor', '__proto__'].map((provider) =>
          start(provider, {}, development.public),
        ),
      )
      for (const { status, body } of answers) {
        assert.equal(status, 404)
        assert.deepEqual(body, answers[0]?.body)
        assert.equal(body.error.code, 'provider_disabled')
      }
      for (const provider of PROVIDERS) {
        const providers = { [provider]: { enabled: true } }
        await development.server('PUT', '/v1/config', { auth: { ...CONFIG.auth, providers } })
        assert.equal((await start(provider, {}, development.public)).status, 200)
      }
    })

    test('[OAU-03] enabled without stored credentials answers 409 provider_not_configured, x too', async () => {
      const { development } = await service.newProject()
      await development.server('PUT', '/v1/config', CONFIG)
      for (const provider of PROVIDERS) {
        const { status, body } = await start(provider, {}, development.public)
        assert.deepEqual([status, body.error.code], [409, 'provider_not_configured'])
      }
    })

    test('[OAU-02] [OAU-03] order of the checks: enabled, configured, redirect allowed', async () => {
      const { development } = await service.newProject()
      const elsewhere = { redirectUrl: 'https://evil.example/' }
      assert.equal(await codeOf(start('x', elsewhere, development.public)), 'provider_disabled')
      await development.server('PUT', '/v1/config', CONFIG)
      assert.equal(await codeOf(start('x', elsewhere, development.public)), 'provider_not_configured')
      assert.equal(await codeOf(start('x', elsewhere)), 'redirect_url_not_allowed')
    })

    test('[OAU-04] start returns the URL at the provider, with PKCE, state and callback of the service', async () => {
      for (const provider of PROVIDERS) {
        const { challenge } = newPkce()
        const { status, body } = await start(provider, { challenge })
        assert.equal(status, 200)
        const asked = new URL(body.url).searchParams
        assert.equal(asked.get('response_type'), 'code')
        assert.equal(asked.get('code_challenge_method'), 'S256')
        assert.notEqual(asked.get('code_challenge'), challenge)
        assert.equal(asked.get('redirect_uri'), `http://localhost:8787/v1/auth/oauth/${provider}/callback`)
        assert.equal(asked.get('state')?.length, 43)
      }
    })

    test('[OAU-15] the scopes of x are users.read and tweet.read only, with PKCE by the service', async () => {
      const { body } = await start('x')
      const asked = new URL(body.url).searchParams
      assert.equal(asked.get('scope'), 'users.read tweet.read')
      assert.equal(asked.get('code_challenge')?.length, 43)
      // The token endpoint of X accepts the client secret only in the header, and checks PKCE.
      assert.equal((await service.signInWith('x', 'ada')).status, 200)
    })

    test('[OAU-04] a link can start it, too: GET with the key in the URL answers 302', async () => {
      const key = service.app.development.publishableKey
      const { challenge } = newPkce()
      const query = (more: Record<string, string>) =>
        new URLSearchParams({ key, redirectUrl: RETURN_URL, challenge, ...more }).toString()
      const link = (more: Record<string, string>) =>
        service.call('GET', `/v1/auth/oauth/google/start?${query(more)}`)
      const started = await link({})
      assert.equal(started.status, 302)
      assert.equal(new URL(started.headers['location'] ?? '').origin, service.google.issuer)
      assert.equal(started.headers['cache-control'], 'no-store')

      const refusals: [Record<string, string>, number, string][] = [
        [{ key: '' }, 401, 'key_required'],
        [{ key: 'pk_dev_unknown' }, 401, 'invalid_key'],
        [{ key: service.app.development.secretKey }, 403, 'publishable_key_required'],
        [{ redirectUrl: 'https://evil.example/' }, 400, 'redirect_url_not_allowed'],
        [{ challenge: 'short' }, 400, 'invalid_request'],
        [{ mode: 'iframe' }, 400, 'invalid_request'],
      ]
      for (const [more, status, code] of refusals) {
        const refused = await link(more)
        assert.deepEqual([refused.status, refused.body.error.code], [status, code])
      }
      const off = await service.call(
        'GET',
        `/v1/auth/oauth/github/start?key=${key}&redirectUrl=a&challenge=${challenge}`,
      )
      assert.equal(off.body.error.code, 'provider_disabled')
    })

    test('[OAU-04] a start by link that fails shows a page in a browser, with the status of the error', async () => {
      const key = service.app.development.publishableKey
      const { challenge } = newPkce()
      const open = (provider: string, more: Record<string, string>) =>
        service.http.inject({
          method: 'GET',
          url: `/v1/auth/oauth/${provider}/start?${new URLSearchParams({ key, redirectUrl: RETURN_URL, challenge, ...more }).toString()}`,
          headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
        })
      const refusals: [string, Record<string, string>, number, string][] = [
        ['google', { key: '' }, 401, 'key_required'],
        ['google', { key: 'pk_dev_unknown' }, 401, 'invalid_key'],
        ['google', { redirectUrl: 'https://evil.example/' }, 400, 'redirect_url_not_allowed'],
        ['google', { challenge: '<script>' }, 400, 'invalid_request'],
        ['github', {}, 404, 'provider_disabled'],
      ]
      for (const [provider, more, status, code] of refusals) {
        const { statusCode, headers, body } = await open(provider, more)
        assert.equal(statusCode, status)
        assert.match(String(headers['content-type']), /^text\/html/)
        assert.equal(headers['cache-control'], 'no-store')
        assert.match(body, new RegExp(`<h1>Sign-in is not available</h1>.*<code>${code}</code>`, 's'))
        assert.ok(!/evil|<script>/.test(body), 'the page repeats a part of the request')
      }
      assert.equal((await open('google', {})).statusCode, 302)
    })

    test('[OAU-08] a provider that sends no usable subject leads to provider_error', async () => {
      const odd = ['', 'x'.repeat(256), 7, null, {}, ['a'], 'a\u0000b']
      for (const id of odd) {
        service.apple.state.claims = { sub: id }
        service.discord.state.profile = { id, username: 'ada' }
        service.x.state.profile = { data: { id, username: 'ada' } }
        for (const provider of ['apple', 'discord', 'x'] as const) {
          const { said } = await service.followCallback(await service.begin(provider, { account: 'ada' }))
          assert.deepEqual(said, { svc_error: 'provider_error' }, `${provider} ${JSON.stringify(id)}`)
        }
      }
      for (const profile of [[], { data: null }, { data: 7 }]) {
        service.discord.state.profile = profile
        service.x.state.profile = profile
        for (const provider of ['discord', 'x'] as const) {
          const { said } = await service.followCallback(await service.begin(provider, { account: 'ada' }))
          assert.deepEqual(said, { svc_error: 'provider_error' })
        }
      }
      delete service.apple.state.claims
      delete service.discord.state.profile
      delete service.x.state.profile
    })

    test('[OAU-05] the challenge is 43 characters of base64url, the mode redirect or popup', async () => {
      for (const challenge of [
        '',
        'a'.repeat(42),
        'a'.repeat(44),
        `${'a'.repeat(42)}=`,
        `${'a'.repeat(42)}+`,
        7,
      ]) {
        assert.equal(await codeOf(start('google', { challenge })), 'invalid_request')
      }
      assert.equal(await codeOf(start('google', { mode: 'iframe' })), 'invalid_request')
      for (const mode of ['redirect', 'popup']) assert.equal((await start('google', { mode })).status, 200)
    })

    test('[OAU-07] the browser is redirected to redirectUrl with svc_code in the fragment, for all four providers', async () => {
      for (const provider of PROVIDERS) {
        const redirectUrl = 'https://game.example/signed-in?level=3'
        const journey = await service.begin(provider, { account: 'ada' }, { redirectUrl })
        const { status, address, said, headers } = await service.followCallback(journey)
        assert.equal(status, 302)
        assert.equal(address, redirectUrl)
        assert.deepEqual(Object.keys(said), ['svc_code'])
        assert.equal(said['svc_code']?.length, 43)
        assert.equal(headers['referrer-policy'], 'no-referrer')
      }
    })

    test('[OAU-07] a custom scheme of an app is accepted as a redirect URL', async () => {
      const redirectUrl = 'game:///signed-in'
      const journey = await service.begin('discord', { account: 'ada' }, { redirectUrl, mode: 'popup' })
      const { status, address } = await service.followCallback(journey)
      assert.deepEqual([status, address], [302, redirectUrl])
    })

    test('[OAU-07] the callback accepts a form if the provider posts one, and no other POST', async () => {
      const answer = await service.call('POST', '/v1/auth/oauth/apple/callback', { state: 'x' })
      assert.equal(answer.status, 415)
      const endless = await service.postForm('/v1/auth/oauth/apple/callback', { state: 'x'.repeat(70_000) })
      assert.equal(endless.status, 413)
    })

    test('[OAU-08] a denied sign-in returns access_denied', async () => {
      for (const provider of PROVIDERS) {
        const { said } = await service.followCallback(await service.begin(provider, { deny: true }))
        assert.deepEqual(said, { svc_error: 'access_denied' })
      }
    })

    test('[OAU-08] an error of the provider returns provider_error', async () => {
      const journey = await service.begin('discord', { account: 'ada' })
      const wrong = { ...journey, answer: { ...journey.answer, code: 'made-up' } }
      assert.deepEqual((await service.followCallback(wrong)).said, { svc_error: 'provider_error' })
    })

    test('[OAU-08] credentials removed or a provider turned off during the sign-in return provider_error', async () => {
      const app = await service.newApp()
      const call = app.development.public
      const journey = await service.begin('discord', { account: 'ada' }, { call })
      await app.developer.call('DELETE', `${app.development.path}/auth/providers/discord`)
      assert.deepEqual((await service.followCallback(journey)).said, { svc_error: 'provider_error' })

      const other = await service.begin('google', { account: 'ada' }, { call })
      await app.development.server('PUT', '/v1/config', {})
      assert.deepEqual((await service.followCallback(other)).said, { svc_error: 'provider_error' })
    })

    test('[OAU-08] a state is valid for 10 minutes, then the callback returns state_expired', async () => {
      const beforeExpiry = await service.begin('discord', { account: 'ada' })
      service.clock.advance(10 * MINUTE_MS - 1)
      assert.deepEqual(Object.keys((await service.followCallback(beforeExpiry)).said), ['svc_code'])

      const late = await service.begin('discord', { account: 'ada' })
      service.clock.advance(10 * MINUTE_MS)
      assert.deepEqual((await service.followCallback(late)).said, { svc_error: 'state_expired' })
    })

    test('[OAU-08] without a known state there is a page with status 400, and no redirect', async () => {
      const used = await service.begin('discord', { account: 'ada' })
      await service.followCallback(used)
      const ofAnother = { ...(await service.begin('x', { account: 'ada' })), provider: 'discord' }
      const none = { ...used, answer: {} }
      const madeUp = { ...used, answer: { state: 'made-up', code: 'c' } }
      const posted = { ...used, provider: 'apple' }
      const unknown = { ...used, provider: 'nonsense' }
      for (const journey of [used, ofAnother, none, madeUp, posted, unknown]) {
        const { status, headers, body } = await service.followCallback(journey)
        assert.equal(status, 400)
        assert.equal(headers['location'], undefined)
        assert.match(headers['content-type'] ?? '', /^text\/html/)
        assert.match(body, /This sign-in has expired/)
      }
    })

    test('[OAU-08] 20 concurrent callbacks with one state: one redirects, the others find no sign-in', async () => {
      const journey = await service.begin('discord', { account: 'ada' })
      const answers = await Promise.all(Array.from({ length: 20 }, () => service.followCallback(journey)))
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      assert.deepEqual(statuses, [302, ...Array.from({ length: 19 }, () => 400)])
    })

    test('[OAU-05] popup: the page posts the fragment to the opener, at the origin of redirectUrl, and closes', async () => {
      const redirectUrl = 'https://game.example/a?</script>'.replace('<', '%3C').replace('>', '%3E')
      const journey = await service.begin('google', { account: 'ada' }, { mode: 'popup', redirectUrl })
      const { status, headers, body } = await service.followCallback(journey)
      assert.equal(status, 200)
      assert.match(body, /window\.opener\.postMessage\("#svc_code=[\w-]{43}", "https:\/\/game\.example"\)/)
      assert.match(body, /window\.close\(\)/)
      assert.match(headers['content-security-policy'] ?? '', /script-src 'sha256-/)
      assert.equal(headers['cache-control'], 'no-store')

      const denied = await service.begin('google', { deny: true }, { mode: 'popup' })
      assert.match((await service.followCallback(denied)).body, /postMessage\("#svc_error=access_denied"/)
    })

    test('[OAU-06] [OAU-08] an identity of another player, or a second one of a provider, is reported by the callback', async () => {
      await service.signInWith('discord', 'bob')
      const guest = await newGuest(service.app.development)
      const taken = await service.begin('discord', { account: 'bob' }, { call: guest.call })
      assert.deepEqual((await service.followCallback(taken)).said, { svc_error: 'identity_already_linked' })

      await service.signInWith('discord', 'cleo', { call: guest.call })
      const second = await service.begin('discord', { account: 'dan' }, { call: guest.call })
      assert.deepEqual((await service.followCallback(second)).said, { svc_error: 'identity_already_linked' })
    })

    test('[OAU-08] a ban is reported by the callback', async () => {
      const { body } = await service.signInWith('x', 'eve')
      await service.app.development.server('POST', `/v1/admin/players/${body.player.id}/ban`, {
        reason: 'cheating',
      })
      const journey = await service.begin('x', { account: 'eve' })
      assert.deepEqual((await service.followCallback(journey)).said, { svc_error: 'player_banned' })
    })

    test('[OAU-06] linking requires a valid token: a wrong or expired one is rejected, not treated as a sign-in', async () => {
      const guest = await newGuest(service.app.development)
      const wrong: Call = (method, url, body) =>
        service.app.development.public(method, url, body, { authorization: 'Bearer nonsense' })
      assert.equal(await codeOf(start('google', {}, wrong)), 'invalid_token')
      service.clock.advance(15 * MINUTE_MS)
      assert.equal(await codeOf(start('google', {}, guest.call)), 'token_expired')
    })

    test('[OAU-07] [OAU-09] states and codes are stored hashed', async () => {
      const journey = await service.begin('discord', { account: 'ada' })
      const stored = async () =>
        JSON.stringify([
          await service.db.search((q) => q.selectFrom('oauth_sign_ins').selectAll()),
          await service.db.search((q) => q.selectFrom('oauth_exchange_codes').selectAll()),
        ])
      assert.equal((await stored()).includes(journey.answer['state'] ?? ''), false)
      const { said } = await service.followCallback(journey)
      assert.equal((await stored()).includes(said['svc_code'] ?? ''), false)
    })
  })
}

describe('[OAU-08] a provider that is down', () => {
  test('a provider that is down at the start answers 503, at the end it returns provider_error', async () => {
    const service = await startServiceForPlayers('sqlite')
    const journey = await service.begin('discord', { account: 'ada' })
    await service.discord.close()
    assert.deepEqual((await service.followCallback(journey)).said, { svc_error: 'provider_error' })

    await service.google.close()
    const { challenge } = newPkce()
    const started = await service.app.development.public('POST', '/v1/auth/oauth/google/start', {
      redirectUrl: RETURN_URL,
      challenge,
    })
    assert.deepEqual([started.status, started.body.error.code], [503, 'service_unavailable'])
    await service.stop()
  })
})
