import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { browserFor, deploy, newApp, type Project } from '../../testing/hosted-apps.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const ATTRIBUTES = 'Path=/.svc/session; HttpOnly; SameSite=Lax'

suite('the session of a browser on the host of an app', {}, ({ engine, service }) => {
  let app: Project
  let visit: Awaited<ReturnType<typeof browserFor>>
  before(async () => {
    visit = await browserFor(service)
    app = await newApp(service)
    await deploy(service, app.development, { 'index.html': 'home' })
  })

  const guest = async () => (await app.development.public('POST', '/v1/auth/guest', {})).body
  const refresh = (refreshToken: string) =>
    app.development.public('POST', '/v1/auth/refresh', { refreshToken })

  /** A browser with a cookie jar; it sends the cookie as a browser would. */
  function newBrowser(label = `${app.slug}--dev`) {
    let cookie = ''
    return {
      get cookie() {
        return cookie
      },
      set cookie(value: string) {
        cookie = value
      },
      async session(method: string, body: object = {}, headers: Record<string, string> = {}) {
        const { publishableKey } = app.development
        const sent = { 'x-svc-key': publishableKey, 'content-type': 'application/json', ...headers }
        const response = await visit(label, '/.svc/session', {
          method,
          headers: { ...sent, ...(cookie && { cookie }) },
          body: JSON.stringify(body),
        })
        const set = (response.headers['set-cookie'] as unknown as string[] | undefined)?.[0]
        if (set !== undefined) cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '')
        assert.equal(response.headers['cache-control'], 'no-store')
        return { status: response.status, headers: response.headers, set, body: JSON.parse(response.text) }
      },
    }
  }
  const partsOf = (cookie: string) => cookie.split('=')[1]?.split('~') ?? []
  const tokenIn = (cookie: string) => partsOf(cookie)[0]
  const nonceIn = (cookie: string) => partsOf(cookie)[1]

  test('[SES-05] a new session is kept in a cookie, and continues from it when the browser has nothing else', async () => {
    const browser = newBrowser()
    const { player, refreshToken } = await guest()
    const kept = await browser.session('PUT', { refreshToken })
    assert.deepEqual([kept.status, kept.body], [200, { isKept: false }])
    assert.equal(kept.set, `__svc-session=${refreshToken}; Max-Age=7776000; ${ATTRIBUTES}`)

    const { body } = await browser.session('POST')
    assert.equal(body.player.id, player.id)
    assert.notEqual(body.refreshToken, refreshToken)
    assert.equal(tokenIn(browser.cookie), body.refreshToken)
    assert.equal((await refresh(body.refreshToken)).status, 200)
  })

  test('[SES-07] a refresh through the host is that of the API, and its response renews the cookie', async () => {
    const browser = newBrowser()
    const { player, refreshToken } = await guest()
    const { status, body } = await browser.session('POST', { refreshToken, nonce: 'a nonce of text' })
    assert.deepEqual([status, body.player.id, body.expiresIn], [200, player.id, 900])
    assert.equal(tokenIn(browser.cookie), body.refreshToken)
    const repeated = await browser.session('POST', { refreshToken, nonce: 'a nonce of text' })
    assert.equal(repeated.body.refreshToken, body.refreshToken)
  })

  test('[SES-08] a used token in the body revokes the session as elsewhere, and the cookie is removed', async () => {
    const browser = newBrowser()
    const { refreshToken } = await guest()
    const { body } = await browser.session('POST', { refreshToken })
    const replayed = await browser.session('POST', { refreshToken })
    assert.deepEqual([replayed.status, replayed.body.error.details], [401, { reason: 'reuse' }])
    assert.equal(browser.cookie, '')
    assert.equal((await refresh(body.refreshToken)).body.error.code, 'session_revoked')
  })

  test('[SES-08] an old cookie revokes nothing: it is removed, and the session goes on elsewhere', async () => {
    const browser = newBrowser()
    const { refreshToken } = await guest()
    await browser.session('PUT', { refreshToken })
    const newer = (await refresh(refreshToken)).body
    service.clock.advance(2 * MINUTE_MS)
    const { status, body } = await browser.session('POST', { nonce: 'a nonce of text' })
    assert.deepEqual([status, body, browser.cookie], [200, {}, ''])
    assert.equal((await refresh(newer.refreshToken)).status, 200)
  })

  test('[SES-11] two tabs that continue from the cookie at the same time: one gets the session, the other refresh_race', async () => {
    const [one, two] = [newBrowser(), newBrowser()]
    const { player, refreshToken } = await guest()
    await one.session('PUT', { refreshToken })
    two.cookie = one.cookie
    const answers = await Promise.all([one.session('POST'), two.session('POST')])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
    const winner = answers.find(({ status }) => status === 200)
    const loser = answers.find(({ status }) => status === 409)
    assert.deepEqual([winner?.body.player.id, loser?.body.error.code], [player.id, 'refresh_race'])
    assert.equal(loser?.set, undefined)
    assert.equal((await refresh(winner?.body.refreshToken)).status, 200)
  })

  const losses: [what: string, nonces: { kept?: string; first: string; again: string }, hasToken: boolean][] =
    [
      [
        'its storage and then the response',
        { kept: 'the-kept', first: 'visit-one', again: 'visit-two' },
        false,
      ],
      [
        'the response and then its storage',
        { kept: 'the-kept', first: 'the-kept', again: 'visit-two' },
        true,
      ],
      ['the response, and has a cookie without a nonce', { first: 'visit-one', again: 'visit-one' }, false],
    ]
  for (const [what, { kept, first, again }, hasToken] of losses)
    test(`[SES-19] [SES-20] a browser that has lost ${what} continues with the cookie a day later`, async () => {
      const browser = newBrowser()
      const { player, refreshToken } = await guest()
      await browser.session('PUT', { refreshToken, ...(kept && { nonce: kept }) })
      const before = browser.cookie
      const lost = await browser.session('POST', { nonce: first, ...(hasToken && { refreshToken }) })
      browser.cookie = before
      service.clock.advance(DAY_MS)
      const { body } = await browser.session('POST', { nonce: again })
      assert.deepEqual([body.player?.id, body.refreshToken], [player.id, lost.body.refreshToken])
      assert.equal(nonceIn(browser.cookie), body.nonce)
      assert.equal((await browser.session('POST', { refreshToken: body.refreshToken })).status, 200)
    })

  test('[SES-08] [SES-20] a copied token in a cookie without its nonce is refused and revokes nothing; after a sign-out the nonce is of no use', async () => {
    const browser = newBrowser()
    const { refreshToken } = await guest()
    await browser.session('PUT', { refreshToken, nonce: 'kept-nonce' })
    const before = browser.cookie
    const { body } = await browser.session('POST', { nonce: 'another nonce' })
    for (const cookie of [`__svc-session=${refreshToken}`, `__svc-session=${refreshToken}~guessed`])
      assert.deepEqual((await newBrowser().session('POST', { nonce: 'guessed nonce' }, { cookie })).body, {})
    await browser.session('DELETE', { refreshToken: body.refreshToken })
    browser.cookie = before
    assert.deepEqual((await browser.session('POST', {})).body, {})
  })

  test('[SES-20] the response says whether the browser keeps the cookie; a nonce that a cookie cannot contain is left out', async () => {
    const browser = newBrowser()
    const { refreshToken } = await guest()
    assert.equal((await browser.session('PUT', { refreshToken, nonce: 'a; Domain=x' })).body.isKept, false)
    assert.deepEqual([tokenIn(browser.cookie), nonceIn(browser.cookie)], [refreshToken, undefined])
    const put = await browser.session('PUT', { refreshToken, nonce: 'kept-nonce' })
    assert.deepEqual([put.body, nonceIn(browser.cookie)], [{ isKept: true }, 'kept-nonce'])
    const { body } = await browser.session('POST')
    assert.deepEqual([body.isKept, body.nonce], [true, nonceIn(browser.cookie)])
    const without = await newBrowser().session('POST', { refreshToken: body.refreshToken })
    assert.equal(without.body.isKept, false)
  })

  test('without a cookie, with several, or with one that is no token, there is no session and no error', async () => {
    const { refreshToken } = await guest()
    for (const cookie of ['', '__svc-session=', '__svc-session=x', 'a=b; __svc-session=rt_1'])
      assert.deepEqual((await newBrowser().session('POST', {}, { cookie })).body, {}, cookie)
    // Another host of the domain can set a cookie for all of them: then nobody knows which one is right.
    const several = `__svc-session=${refreshToken}; __svc-session=${(await guest()).refreshToken}`
    assert.deepEqual((await newBrowser().session('POST', {}, { cookie: several })).body, {})
    assert.equal((await refresh(refreshToken)).status, 200)
  })

  test('[SES-15] a sign-out ends the session and removes the cookie, also without the token', async () => {
    for (const withToken of [true, false]) {
      const browser = newBrowser()
      const { refreshToken } = await guest()
      await browser.session('PUT', { refreshToken })
      const { status, body, set } = await browser.session('DELETE', withToken ? { refreshToken } : {})
      assert.deepEqual([status, body, set], [200, {}, `__svc-session=; Max-Age=0; ${ATTRIBUTES}`])
      assert.deepEqual((await refresh(refreshToken)).body.error.details, { reason: 'logout' })
    }
    assert.equal((await newBrowser().session('DELETE')).status, 200)
  })

  test('[BAN-08] [OWN-03] after a ban and after a deletion, the cookie is removed at its next use', async () => {
    const ends = {
      ban: (id: string) => app.development.server('POST', `/v1/admin/players/${id}/ban`, {}),
      deleted: (_: string, accessToken: string, refreshToken: string) =>
        app.development.public(
          'DELETE',
          '/v1/players/me',
          { refreshToken },
          { authorization: `Bearer ${accessToken}` },
        ),
    }
    for (const [reason, end] of Object.entries(ends)) {
      const [one, two] = [newBrowser(), newBrowser()]
      const { player, accessToken, refreshToken } = await guest()
      await one.session('PUT', { refreshToken })
      two.cookie = one.cookie
      assert.equal((await end(player.id, accessToken, refreshToken)).status, 200)
      assert.deepEqual((await one.session('POST')).body, {})
      const refreshed = await two.session('POST', { refreshToken })
      assert.deepEqual([refreshed.status, refreshed.body.error.details.reason], [401, reason])
      assert.deepEqual([one.cookie, two.cookie], ['', ''])
    }
  })

  test('[SES-10] a guest whose ban has ended continues from the cookie', async () => {
    const browser = newBrowser()
    const { player, refreshToken } = await guest()
    await browser.session('PUT', { refreshToken })
    await app.development.server('POST', `/v1/admin/players/${player.id}/ban`, { durationHours: 1 })
    service.clock.advance(DAY_MS)
    assert.equal((await browser.session('POST')).body.player.id, player.id)
  })

  test('children get no cookie, and one from before is removed without a use', async () => {
    const browser = newBrowser()
    const { player, accessToken, refreshToken } = await guest()
    await browser.session('PUT', { refreshToken })
    const before = browser.cookie
    await app.development.public(
      'PUT',
      '/v1/social/age',
      { band: 'child' },
      { authorization: `Bearer ${accessToken}` },
    )
    assert.deepEqual((await browser.session('POST')).body, {})
    assert.equal(browser.cookie, '')
    browser.cookie = before
    const refreshed = await browser.session('POST', { refreshToken })
    assert.deepEqual([refreshed.status, refreshed.body.player.id, browser.cookie], [200, player.id, ''])
    await browser.session('PUT', { refreshToken: refreshed.body.refreshToken })
    assert.equal(browser.cookie, '')
  })

  test('a request needs a key of this app in a header, and comes from a page of this host', async () => {
    const other = await newApp(service)
    const own = `http://${app.slug}--dev.localhost:8787`
    const { refreshToken } = await guest()
    const browser = newBrowser()
    await browser.session('PUT', { refreshToken }, { origin: own })
    const refused: [Record<string, string>, string][] = [
      [{ 'x-svc-key': '' }, 'key_required'],
      [{ 'x-svc-key': 'pk_dev_unknown' }, 'invalid_key'],
      [{ 'x-svc-key': app.development.secretKey }, 'publishable_key_required'],
      [{ 'x-svc-key': app.production.publishableKey }, 'invalid_key'],
      [{ 'x-svc-key': other.development.publishableKey }, 'invalid_key'],
      [{ origin: `http://${other.slug}--dev.localhost:8787` }, 'origin_not_allowed'],
      [{ origin: 'null' }, 'origin_not_allowed'],
    ]
    for (const method of ['POST', 'PUT', 'DELETE'])
      for (const [headers, code] of refused) {
        const { body, set, headers: received } = await browser.session(method, {}, headers)
        assert.deepEqual([body.error?.code, set], [code, undefined], `${method} ${JSON.stringify(headers)}`)
        assert.equal(received['access-control-allow-origin'], undefined)
      }
    assert.equal((await browser.session('POST')).body.player.id !== undefined, true)
  })

  test('the token of another app or environment is unknown on this host', async () => {
    const other = await newApp(service)
    for (const side of [other.development, app.production]) {
      const { refreshToken } = (await side.public('POST', '/v1/auth/guest', {})).body
      const cookie = `__svc-session=${refreshToken}`
      assert.deepEqual((await newBrowser().session('POST', {}, { cookie })).body, {})
      const put = await newBrowser().session('PUT', { refreshToken })
      assert.deepEqual([put.body.error.code, put.set], ['invalid_refresh_token', undefined])
      assert.equal((await side.public('POST', '/v1/auth/refresh', { refreshToken })).status, 200)
    }
  })

  test('only the newest token of an active session is kept', async () => {
    const { refreshToken } = await guest()
    const newer = (await refresh(refreshToken)).body.refreshToken
    const old = await newBrowser().session('PUT', { refreshToken })
    assert.deepEqual([old.body.error.code, old.set], ['invalid_refresh_token', undefined])
    assert.equal((await newBrowser().session('PUT', { refreshToken: newer })).status, 200)
  })

  test('wrong input is refused and changes nothing', async () => {
    const browser = newBrowser()
    const { refreshToken } = await guest()
    await browser.session('PUT', { refreshToken })
    const codeOf = async (method: string, body: object) =>
      (await browser.session(method, body)).body.error?.code
    for (const body of [[], { refreshToken: 1 }, { refreshToken: '' }, { nonce: 'short' }, { nonce: {} }])
      assert.equal(await codeOf('POST', body), 'invalid_request', JSON.stringify(body))
    assert.equal(await codeOf('POST', { nonce: 'x'.repeat(200_000) }), 'payload_too_large')
    assert.equal(await codeOf('PUT', {}), 'invalid_refresh_token')
    const headers = { 'x-svc-key': app.development.publishableKey }
    const label = `${app.slug}--dev`
    const broken = await visit(label, '/.svc/session', { method: 'POST', headers, body: '{' })
    assert.equal(JSON.parse(broken.text).error.code, 'invalid_json')
    for (const method of ['GET', 'OPTIONS', 'PATCH']) {
      const { status, headers: received } = await visit(label, '/.svc/session', { method, headers })
      assert.deepEqual([status, received['allow']], [405, 'POST, PUT, DELETE'], method)
    }
    assert.equal((await visit(label, '/.svc/session/x', { method: 'POST', headers })).status, 404)
    assert.equal((await visit('', '/.svc/session', { method: 'POST', headers })).status, 404)
    assert.equal(tokenIn(browser.cookie), refreshToken)
  })

  test('over https the cookie is Secure, and its name says so', async () => {
    const secure = await startService(engine, {
      settings: { SVC_BASE_URL: 'https://api.example.com', SVC_APPS_DOMAIN: 'apps.example.com' },
    })
    const { slug, development } = await newApp(secure)
    await deploy(secure, development, { 'index.html': 'home' })
    const { refreshToken } = (await development.public('POST', '/v1/auth/guest', {})).body
    const { headers } = await (
      await browserFor(secure, 'apps.example.com')
    )(`${slug}--dev`, '/.svc/session', {
      method: 'PUT',
      headers: { 'x-svc-key': development.publishableKey },
      body: JSON.stringify({ refreshToken }),
    })
    assert.deepEqual(headers['set-cookie'], [
      `__Secure-svc-session=${refreshToken}; Max-Age=7776000; ${ATTRIBUTES}; Secure`,
    ])
    await secure.stop()
  })
})
