import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import { suite } from '../../testing/suite.ts'

suite('developer accounts', {}, ({ service }) => {
  const signUp = (email: string, rest: object = {}) =>
    service.call('POST', '/v1/developers/signup', { email, password: 'correct horse', ...rest })
  const logIn = (email: string, password = 'correct horse') =>
    service.call('POST', '/v1/developers/login', { email, password })
  /** The token in the newest mail to this address. */
  async function tokenMailedTo(email: string): Promise<string> {
    await service.background.drained()
    const mails = await service.mailsTo(email)
    return /#token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? ''
  }

  test('[DEV-01] [DEV-03] [GEN-01] [GEN-04] sign-up creates an account and a session of 30 days', async () => {
    const { status, body } = await signUp('Ada@Example.com ', { name: 'Ada' })

    assert.equal(status, 200)
    assert.match(body.token, /^kds_/)
    assert.equal(body.expiresIn, 30 * 86_400)
    const me = await service.withToken(body.token)('GET', '/v1/developers/me')
    assert.deepEqual(me.body, {
      developer: {
        id: body.developer.id,
        email: 'ada@example.com',
        name: 'Ada',
        emailVerified: false,
        hasPassword: true,
        isOperator: body.developer.isOperator,
        createdAt: service.clock.now().toISOString(),
      },
    })
  })

  test('[DEV-01] a registered email answers 409 email_taken, also with two concurrent sign-ups', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp('twice@example.com')))
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), [
      '200',
      '409',
      '409',
      '409',
      '409',
    ])
    assert.equal((await signUp('TWICE@example.com')).body.error.code, 'email_taken')
  })

  test('[DEV-02] an unknown invite code creates no account', async () => {
    const { status, body } = await signUp('invited@example.com', { inviteCode: 'FREE-MONEY' })
    assert.deepEqual([status, body.error.code], [400, 'invalid_invite_code'])
    assert.equal((await signUp('invited@example.com')).status, 200)
  })

  test('[DEV-01] a password has at least 8 characters, an email an @ and a domain', async () => {
    const status = async (email: string, password: string) => (await signUp(email, { password })).status
    assert.equal(await status('short@example.com', '1234567'), 400)
    assert.equal(await status('short@example.com', '12345678'), 200)
    assert.equal(await status('long@example.com', 'x'.repeat(257)), 400)
    assert.equal(await status('long@example.com', '😀'.repeat(256)), 200)
    for (const email of [
      '',
      'a',
      'a@',
      '@b.c',
      'a@b',
      'a b@c.de',
      'a@b@c.de',
      'a@b..c',
      '<a@b.cd>',
      'a\u200bb@c.de',
      'a@b\u202ec.de',
      `${'a'.repeat(250)}@b.cd`,
    ]) {
      assert.equal(await status(email, '12345678'), 400, email)
    }
    assert.equal(await status('me@localhost', '12345678'), 200)
  })

  test('[DEV-01] an email is compared in NFC', async () => {
    assert.equal((await signUp('re\u0301mi@example.com')).body.developer.email, 'r\u00e9mi@example.com')
    assert.equal((await signUp('r\u00e9mi@example.com')).body.error.code, 'email_taken')
    assert.equal((await logIn('RE\u0301MI@example.com')).status, 200)
  })

  test('[DEV-01] a wrong password and an unknown email get exactly the same response', async () => {
    await signUp('known@example.com')
    const wrong = await logIn('known@example.com', 'wrong password')
    const unknown = await logIn('unknown@example.com', 'wrong password')
    assert.equal(wrong.status, 401)
    assert.equal(wrong.body.error.code, 'invalid_credentials')
    assert.deepEqual(wrong.body, unknown.body)
    assert.equal((await logIn('known@example.com')).status, 200)
  })

  test('[GEN-13] after ten failures from one address the account is locked for that address for ten minutes, not for other addresses', async () => {
    await signUp('guessed@example.com')
    for (let i = 0; i < 10; i++) assert.equal((await logIn('guessed@example.com', `guess ${i}`)).status, 401)

    const refused = await logIn('guessed@example.com')
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    assert.equal((await logIn('known@example.com')).status, 200)
    service.clock.advance(10 * MINUTE_MS)
    assert.equal((await logIn('guessed@example.com')).status, 200)
  })

  test('[DEV-01] logging out ends that session immediately and no other', async () => {
    const { body: first } = await signUp('leaver@example.com')
    const { body: second } = await logIn('leaver@example.com')
    const me = (token: string) => service.withToken(token)('GET', '/v1/developers/me')
    assert.equal((await me(first.token)).status, 200)

    assert.deepEqual((await service.withToken(first.token)('POST', '/v1/developers/logout')).body, {})

    assert.equal((await me(first.token)).status, 401)
    assert.equal((await me(second.token)).status, 200)
  })

  test('[DEV-01] every use restarts the thirty days; an unused session ends on the thirtieth day', async () => {
    const { body } = await signUp('slider@example.com')
    const me = async () => (await service.withToken(body.token)('GET', '/v1/developers/me')).status
    service.clock.advance(29 * DAY_MS)
    assert.equal(await me(), 200)
    service.clock.advance(29 * DAY_MS)
    assert.equal(await me(), 200)
    service.clock.advance(30 * DAY_MS)
    assert.equal(await me(), 401)
  })

  test('the link of the confirmation mail confirms the email, once, for 24 hours', async () => {
    const { body } = await signUp('mailed@example.com')
    const me = async () => (await service.withToken(body.token)('GET', '/v1/developers/me')).body.developer
    const verify = async (token: string) =>
      (await service.call('POST', '/v1/developers/email/verify', { token })).status
    const token = await tokenMailedTo('mailed@example.com')

    assert.equal(await verify('nonsense'), 400)
    const race = await Promise.all(Array.from({ length: 5 }, () => verify(token)))
    assert.deepEqual(race.map(String).toSorted(), ['200', '400', '400', '400', '400'])
    assert.equal((await me()).emailVerified, true)

    const { body: late } = await signUp('late@example.com')
    const lateToken = await tokenMailedTo('late@example.com')
    service.clock.advance(24 * HOUR_MS)
    assert.equal(await verify(lateToken), 400)
    assert.equal(
      (await service.withToken(late.token)('GET', '/v1/developers/me')).body.developer.emailVerified,
      false,
    )
  })

  test('the confirmation mail can be sent again once a minute, and voids the earlier link', async () => {
    const { body } = await signUp('again@example.com')
    const resend = () => service.withToken(body.token)('POST', '/v1/developers/email/resend')
    const earlier = await tokenMailedTo('again@example.com')
    service.clock.advance(MINUTE_MS)

    assert.deepEqual((await resend()).body, { sent: true })
    service.clock.advance(MINUTE_MS - 1)
    assert.equal((await resend()).status, 429)
    const newer = await tokenMailedTo('again@example.com')
    assert.equal((await service.call('POST', '/v1/developers/email/verify', { token: earlier })).status, 400)
    assert.equal((await service.call('POST', '/v1/developers/email/verify', { token: newer })).status, 200)
    assert.deepEqual((await resend()).body, { sent: false })
  })

  test('a forgotten password is reset by email: the same response for every address, a link that works once, every session ends', async () => {
    const { body } = await signUp('forgetful@example.com')
    const forgot = (email: string) => service.call('POST', '/v1/developers/password/forgot', { email })
    const known = await forgot('forgetful@example.com')
    for (const email of ['nobody@example.com', 'no email'])
      assert.deepEqual((await forgot(email)).body, known.body)

    const token = await tokenMailedTo('forgetful@example.com')
    const reset = (password: string) =>
      service.call('POST', '/v1/developers/password/reset', { token, password })
    assert.equal((await reset('short')).status, 400)
    assert.equal((await reset('new password')).status, 200)
    assert.equal((await reset('newer password')).status, 400)
    assert.equal((await service.withToken(body.token)('GET', '/v1/developers/me')).status, 401)
    assert.equal((await logIn('forgetful@example.com')).status, 401)
    assert.equal((await logIn('forgetful@example.com', 'new password')).body.developer.emailVerified, true)
  })

  test('the pages of the links show that a link was used or has expired, and change nothing', async () => {
    await signUp('pages@example.com')
    const confirmation = await tokenMailedTo('pages@example.com')
    await service.call('POST', '/v1/developers/password/forgot', { email: 'pages@example.com' })
    const reset = await tokenMailedTo('pages@example.com')
    const check = async (page: string, token: string) =>
      service.http.inject({
        method: 'POST',
        url: `/dashboard/${page}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ token }).toString(),
      })
    for (const [page, token] of [
      ['confirm', confirmation],
      ['confirm', confirmation],
      ['reset', reset],
    ] as const)
      assert.equal((await check(page, token)).statusCode, 200, page)
    for (const [page, token] of [
      ['confirm', reset],
      ['reset', confirmation],
      ['reset', ''],
    ] as const)
      assert.equal((await check(page, token)).statusCode, 400, page)

    await service.call('POST', '/v1/developers/email/verify', { token: confirmation })
    const used = await check('confirm', confirmation)
    assert.equal(used.statusCode, 400)
    assert.match(used.body, /<h1>This link has expired<\/h1>/)
    service.clock.advance(30 * MINUTE_MS)
    assert.equal((await check('reset', reset)).statusCode, 400)
  })

  test('a reset link expires after 30 minutes', async () => {
    await signUp('tooslow@example.com')
    await service.call('POST', '/v1/developers/password/forgot', { email: 'tooslow@example.com' })
    const token = await tokenMailedTo('tooslow@example.com')
    service.clock.advance(30 * MINUTE_MS)
    const { body } = await service.call('POST', '/v1/developers/password/reset', {
      token,
      password: 'new password',
    })
    assert.equal(body.error.code, 'invalid_or_expired_token')
  })

  test('[DEV-07] changing the password requires the current one and ends every other session', async () => {
    const { body } = await signUp('changer@example.com')
    const { body: other } = await logIn('changer@example.com')
    const change = async (rest: object) =>
      (
        await service.withToken(body.token)('POST', '/v1/developers/me/password', {
          password: 'new password',
          ...rest,
        })
      ).body
    assert.equal((await change({})).error.code, 'reauth_required')
    assert.equal((await change({ reauthToken: 'nonsense' })).error.code, 'reauth_required')
    assert.equal((await change({ currentPassword: 'wrong' })).error.code, 'invalid_credentials')

    assert.equal((await change({ currentPassword: 'correct horse' })).developer.hasPassword, true)

    assert.equal((await service.withToken(body.token)('GET', '/v1/developers/me')).status, 200)
    assert.equal((await service.withToken(other.token)('GET', '/v1/developers/me')).status, 401)
    assert.equal((await logIn('changer@example.com', 'new password')).status, 200)
  })

  test('[DEV-06] platform info needs no key and lists what is offered', async () => {
    const { body } = await service.call('GET', '/v1/platform/info')
    assert.deepEqual(body.oauthProviders, [])
    assert.equal(body.hostingDomain, 'localhost')
    assert.equal(body.features.saves, true)
  })
})
