import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { emailCalls, linkMailedTo, newEmailProject } from '../../../testing/email-players.ts'
import { deploy } from '../../../testing/hosted-apps.ts'
import { suite } from '../../../testing/suite.ts'

suite('the built-in pages for players', {}, ({ service }) => {
  let project: Awaited<ReturnType<typeof newEmailProject>>
  let calls: ReturnType<typeof emailCalls>
  before(async () => {
    project = await newEmailProject(service, {}, 'Tom & <Jerry>')
    calls = emailCalls(project.development)
  })

  /** Like a browser without scripts, which does not send the fragment. */
  const open = (url: string, headers: Record<string, string> = {}) =>
    service.http.inject({ method: 'GET', url: pathOf(url), headers })
  const press = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    service.http.inject({
      method: 'POST',
      url: pathOf(url),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    })
  const pathOf = (url: string) => {
    const { pathname, search } = new URL(url)
    return pathname + search
  }

  async function verification(email: string) {
    await calls.signUp(email)
    return linkMailedTo(service, email)
  }
  async function resetLink(email: string) {
    await calls.signUp(email)
    await calls.forgot(email)
    return linkMailedTo(service, email)
  }
  const isVerified = async (email: string) => (await calls.logIn(email)).body.player.emailVerified

  test('[AUT-22] opening the link any number of times changes nothing; the button confirms', async () => {
    const { url, token } = await verification('opens@example.com')
    for (let i = 0; i < 3; i++) {
      const { statusCode, body } = await open(url)
      assert.equal(statusCode, 200)
      assert.ok(body.includes('Tom &#38; &#60;Jerry&#62;'))
      assert.ok(!body.includes(token))
    }
    assert.equal(await isVerified('opens@example.com'), false)

    const done = await press(url, { token })
    assert.equal(done.statusCode, 200)
    assert.match(done.body, /<h1>Confirmed<\/h1>/)
    assert.equal(await isVerified('opens@example.com'), true)
    const again = await press(url, { token })
    assert.equal(again.statusCode, 400)
    assert.match(again.body, /no longer works/)
  })

  test('[AUT-22] without scripts the whole link can be pasted', async () => {
    const { url } = await verification('pastes@example.com')
    assert.equal((await press(url, { token: `  ${url} ` })).statusCode, 200)
    assert.equal(await isVerified('pastes@example.com'), true)
  })

  test('[AUT-22] the reset page sets the password; a short one shows the form again, and the link stays valid', async () => {
    const { url, token } = await resetLink('resets@example.com')
    assert.match((await open(url)).body, /type="password"/)
    for (const password of ['1234567', '', 'x'.repeat(257)]) {
      const short = await press(url, { token, password })
      assert.equal(short.statusCode, 400)
      assert.ok(short.body.includes(`value="${token}"`))
      assert.match(short.body, /role="alert"/)
      assert.ok(password === '' || !short.body.includes(password))
    }
    assert.equal((await press(url, { token, password: 'päss & wörd+ =1' })).statusCode, 200)
    assert.equal((await calls.logIn('resets@example.com', 'päss & wörd+ =1')).status, 200)
    assert.equal((await press(url, { token, password: 'battery staple' })).statusCode, 400)
  })

  test('[AUT-22] checking a link does not invalidate it, and reveals no more than the button', async () => {
    const asks = (url: string, token: string) => press(url, { token, check: '1' })
    const verifying = await verification('checks@example.com')
    for (let i = 0; i < 3; i++) {
      const { statusCode, body } = await asks(verifying.url, verifying.token)
      assert.deepEqual([statusCode, body], [200, ''])
    }
    assert.equal(await isVerified('checks@example.com'), false)
    assert.equal((await press(verifying.url, { token: verifying.token })).statusCode, 200)
    const used = await asks(verifying.url, verifying.token)
    assert.equal(used.statusCode, 400)
    assert.match(used.body, /no longer works/)
    assert.equal(used.body, (await asks(verifying.url, 'never-sent')).body)

    const resetting = await resetLink('checks-reset@example.com')
    assert.equal((await asks(resetting.url, resetting.token)).statusCode, 200)
    assert.equal((await asks(verifying.url, resetting.token)).statusCode, 400, 'of the other kind')
    service.clock.advance(30 * 60_000)
    assert.equal((await asks(resetting.url, resetting.token)).statusCode, 400, 'expired')
  })

  test('[AUT-22] a page links back to the app: to its hosted URL, or to the first origin without a wildcard', async () => {
    const back = (body: string) => /<a href="([^"]+)">([^<]+)<\/a>/.exec(body)?.slice(1)
    const nowhere = await verification('nowhere@example.com')
    assert.equal(back((await press(nowhere.url, { token: nowhere.token })).body), undefined)

    const elsewhere = await newEmailProject(
      service,
      {
        web: {
          allowedOrigins: ['https://*.example.com', 'capacitor://localhost', 'https://game.example.com'],
        },
      },
      'Elsewhere',
    )
    await emailCalls(elsewhere.development).signUp('back@example.com')
    const { url, token } = await linkMailedTo(service, 'back@example.com')
    const expected = ['https://game.example.com/', 'Back to Elsewhere']
    assert.deepEqual(back((await press(url, { token })).body), expected)
    assert.deepEqual(back((await press(url, { token })).body), expected, 'a used link, too')

    const hosted = await newEmailProject(service, { features: { emailLogin: true, hosting: true } }, 'Hosted')
    await deploy(service, hosted.development, { 'index.html': 'hello' })
    await emailCalls(hosted.development).signUp('hosted@example.com')
    const link = await linkMailedTo(service, 'hosted@example.com')
    const { origin } = new URL(link.url)
    assert.match(origin, /hosted\S*--dev\./)
    assert.deepEqual(back((await press(link.url, { token: link.token })).body), [
      `${origin}/`,
      'Back to Hosted',
    ])
  })

  test('[AUT-22] pages are not cached or framed, send no referrer and load nothing from other hosts', async () => {
    const { url, token } = await resetLink('headers@example.com')
    const pages = [
      await open(url),
      await press(url, { token, password: 'short' }),
      await press(url, { token: 'x', password: 'battery staple' }),
      await press(url, { token, password: 'battery staple' }),
      await open('http://localhost/.auth/verify'),
    ]
    for (const { headers, body } of pages) {
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.match(String(headers['content-type']), /^text\/html; charset=utf-8$/)
      const policy = String(headers['content-security-policy'])
      for (const rule of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
      ])
        assert.ok(policy.includes(rule), rule)
      assert.ok(!/unsafe|\*/.test(policy))
      assert.ok(!/https?:\/\//.test(body), 'the page contains a URL of another host')
    }
  })

  test('[AUT-22] pages are in the browser’s language', async () => {
    const { url, token } = await verification('languages@example.com')
    const german = await open(url, { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' })
    assert.match(german.body, /<html lang="de">.*<h1>E-Mail-Adresse bestätigen<\/h1>/s)
    const japanese = await press(url, { token: 'x' }, { 'accept-language': 'ja' })
    assert.match(japanese.body, /<html lang="ja">.*このリンクは使えません/s)
    assert.match((await press(url, { token }, { 'accept-language': 'pt-BR' })).body, /lang="pt-BR"/)
  })

  test('[AUT-22] links of unknown or other environments, of the other kind, or altered do nothing', async () => {
    const { url, token } = await verification('altered@example.com')
    const { id } = project.environments.find(({ name }) => name === 'production') ?? {}
    const wrong = [
      await press(url.replace(/env=\w+/, `env=${id}`), { token }),
      await press(url.replace(/env=\w+/, 'env=env_unknown'), { token }),
      await press(url.replace(/\?env=\w+/, ''), { token }),
      await press(url.replace('verify', 'reset'), { token, password: 'battery staple' }),
      await press(url, {}),
      await press(url, { token: '' }),
      await press(url, { token: '<script>' }),
      await press(url, { __proto__: 'x', token: `${token}\u0000` }),
    ]
    for (const { statusCode, body } of wrong) {
      assert.equal(statusCode, 400)
      assert.match(body, /no longer works/)
      assert.ok(!body.includes('<script>'))
    }
    assert.equal((await open(url.replace(/env=\w+/, 'env=env_unknown'))).statusCode, 404)
    assert.equal(await isVerified('altered@example.com'), false)
  })

  test('[AUT-18] [AUT-22] with emailLogin off, or after the project is deleted, a page confirms nothing', async () => {
    const closing = await newEmailProject(service)
    await emailCalls(closing.development).signUp('closing@example.com')
    const { url, token } = await linkMailedTo(service, 'closing@example.com')
    await closing.development.server('PUT', '/v1/config', {})
    assert.equal((await press(url, { token })).statusCode, 403)
    await closing.development.server('PUT', '/v1/config', { features: { emailLogin: true } })
    await closing.developer.call('DELETE', `/v1/projects/${closing.id}`)
    assert.equal((await press(url, { token })).statusCode, 400)
    assert.equal((await open(url)).statusCode, 404)
  })

  test('a page accepts forms, and JSON endpoints do not', async () => {
    const { url, token } = await verification('forms@example.com')
    const asJson = await service.http.inject({
      method: 'POST',
      url: pathOf(url),
      headers: { 'content-type': 'application/json' },
      payload: { token },
    })
    assert.equal(asJson.statusCode, 415)
    const asForm = await press(
      'http://localhost/v1/auth/email/verify',
      { token },
      {
        'x-svc-key': project.development.publishableKey,
      },
    )
    assert.equal(asForm.statusCode, 415)
    const large = await press(url, { token: 'x'.repeat(100_000) })
    assert.equal(large.statusCode, 413)
    assert.equal((await service.call('PUT', '/.auth/verify')).headers['allow'], 'GET, HEAD, POST')
  })

  test('[GEN-13] 120 submissions per minute are allowed from one address', async () => {
    const { url } = await verification('presses@example.com')
    service.clock.advance(60_000)
    for (let i = 0; i < 120; i++) assert.equal((await press(url, { token: 'x' })).statusCode, 400)
    const stopped = await press(url, { token: 'x' })
    assert.equal(stopped.statusCode, 429)
    assert.match(stopped.body, /Too many attempts/)
    service.clock.advance(60_000)
    assert.equal((await press(url, { token: 'x' })).statusCode, 400)
  })
})
