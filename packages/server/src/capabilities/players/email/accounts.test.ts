import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { statement } from '../../../engines/database/database.ts'
import { emailCalls, newEmailProject, PASSWORD } from '../../../testing/email-players.ts'
import { newGuest } from '../../../testing/guests.ts'
import { type Answer, startService } from '../../../testing/service.ts'
import { suite } from '../../../testing/suite.ts'

const MINUTE_MS = 60_000
const EMAIL_ENDPOINTS = [
  ['POST', '/v1/auth/email/signup', { email: 'a@example.com', password: PASSWORD }],
  ['POST', '/v1/auth/email/login', { email: 'a@example.com', password: PASSWORD }],
  ['POST', '/v1/auth/link/email', { email: 'a@example.com', password: PASSWORD }],
  ['POST', '/v1/auth/email/verify', { token: 'x' }],
  ['POST', '/v1/auth/email/resend', {}],
  ['POST', '/v1/auth/password/forgot', { email: 'a@example.com', redirectUrl: 'https://evil.example' }],
  ['POST', '/v1/auth/password/reset', { token: 'x', password: PASSWORD }],
] as const

/** Zero-width, bidirectional and other invisible characters. */
const INVISIBLE = Array.from(
  '\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u3164\ufe0f\ufeff\u{e0020}',
)

const removePassword = statement((q, { email }: { email: string }) =>
  q.updateTable('players').set({ passwordHash: null }).where('email', '=', email),
)

const codesOf = (answers: Answer[]) =>
  answers.map(({ status, body }) => (status === 200 ? '200' : String(body.error.code))).toSorted()

suite('players with an email', {}, ({ engine, service }) => {
  let project: Awaited<ReturnType<typeof newEmailProject>>
  let calls: ReturnType<typeof emailCalls>
  before(async () => {
    project = await newEmailProject(service)
    calls = emailCalls(project.development)
  })

  const ban = (id: string, side = project.development) =>
    side.server('POST', `/v1/admin/players/${id}/ban`, { reason: 'cheating' })

  test('[AUT-03] [AUT-05] [PLY-04] [PLY-05] sign-up with an email returns a session of a player who is not a guest', async () => {
    const { status, body } = await calls.signUp('  Ada@Example.COM ', { displayName: ' Ada ' })
    assert.equal(status, 200)
    const createdAt = service.clock.now().toISOString()
    assert.deepEqual(body.player, {
      id: body.player.id,
      displayName: 'Ada',
      isGuest: false,
      createdAt,
      identities: [{ provider: 'email', linkedAt: createdAt, email: 'ada@example.com' }],
      emailVerified: false,
      email: 'ada@example.com',
      avatarUrl: null,
    })
    assert.equal((await calls.refresh(body.refreshToken)).status, 200)
  })

  test('[AUT-03] without a name the player gets a Guest- name', async () => {
    const { body } = await calls.signUp('nameless@example.com')
    assert.match(body.player.displayName, /^Guest-/)
    assert.equal((await calls.signUp('wrong-name@example.com', { displayName: ' ' })).status, 400)
    assert.equal((await calls.logIn('wrong-name@example.com')).status, 401)
  })

  test('[AUT-04] a password has 8 to 256 characters, counted in code points', async () => {
    const status = async (email: string, password: string) => (await calls.signUp(email, { password })).status
    assert.equal(await status('short@example.com', '1234567'), 400)
    assert.equal(await status('short@example.com', '😀'.repeat(7)), 400)
    assert.equal(await status('short@example.com', '12345678'), 200)
    assert.equal(await status('long@example.com', 'x'.repeat(257)), 400)
    assert.equal(await status('long@example.com', '😀'.repeat(256)), 200)
    assert.equal((await calls.logIn('long@example.com', '😀'.repeat(256))).status, 200)

    const guest = await newGuest(project.development)
    assert.equal((await calls.link(guest, 'short-link@example.com', { password: '1234567' })).status, 400)
  })

  test('[AUT-05] an email has one @ and a dot in its domain, or localhost, and at most 254 characters', async () => {
    const wrong = [
      '',
      'a',
      'a@',
      '@b.c',
      'a@b',
      'a b@c.de',
      'a@b@c.de',
      'a@b..c',
      'a@.c',
      'a@b.c\r\nBcc: all@example.com',
      'a@b.c\u0000',
      'a@b.c\u0085',
      '<a@b.c>',
      'Ada <a@b.c>',
      'a,b@c.de',
      'a@b.c,d@e.fg',
      'a;b@c.de',
      '"a"@b.cd',
      'a(comment)@b.cd',
      'mailto:a@b.cd',
      'a@[127.0.0.1]',
      'a\\b@c.de',
      ...INVISIBLE.flatMap((sign) => [`a${sign}b@c.de`, `ab@c${sign}d.de`, `ab@cd.d${sign}e`]),
      `${'a'.repeat(250)}@b.cd`,
    ]
    const guest = await newGuest(project.development)
    for (const email of wrong) {
      assert.equal((await calls.signUp(email)).status, 400, email)
      assert.equal((await calls.link(guest, email)).status, 400, email)
    }
    for (const email of [
      "o'hara!#$%&*/=?^_`{|}~.-+@b.cd",
      'me@localhost',
      `${'a'.repeat(249)}@b.cd`,
      'ü@bücher.example',
      'o’hara+x@b.cd',
    ]) {
      assert.equal((await calls.signUp(email)).status, 200, email)
    }
  })

  test('[AUT-05] an address is the same in every Unicode form of its letters (NFC), in every call', async () => {
    const [composed, decomposed] = ['caf\u00e9@b\u00fccher.example', 'cafe\u0301@bu\u0308cher.example']
    const { body } = await calls.signUp(decomposed)
    assert.equal(body.player.email, composed)
    assert.equal((await calls.signUp(composed)).body.error.code, 'email_taken')
    for (const email of [composed, decomposed, decomposed.toUpperCase()]) {
      assert.equal((await calls.logIn(email)).body.player?.id, body.player.id, email)
      const q = encodeURIComponent(email)
      const found = await project.development.server('GET', `/v1/admin/players?q=${q}`)
      assert.equal(found.body.players[0]?.id, body.player.id, email)
    }
    await calls.forgot(decomposed)
    await service.background.drained()
    assert.equal((await service.mailsTo(composed)).length, 2)
  })

  test('[AUT-06] a registered email answers 409 email_taken in every spelling', async () => {
    await calls.signUp('taken@example.com')
    const again = await calls.signUp('TAKEN@example.com ', { password: 'another password' })
    assert.deepEqual([again.status, again.body.error.code], [409, 'email_taken'])
    assert.equal((await calls.logIn('taken@example.com')).status, 200)
  })

  test('[AUT-06] [GEN-24] many concurrent sign-ups and links of one email: one succeeds per environment', async () => {
    const guests = await Promise.all(Array.from({ length: 6 }, () => newGuest(project.development)))
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => calls.signUp('race@example.com')),
      ...guests.map((guest) => calls.link(guest, 'race@example.com')),
    ])
    assert.deepEqual(codesOf(answers), ['200', ...Array.from({ length: 11 }, () => 'email_taken')])
    assert.equal((await emailCalls(project.production).signUp('race@example.com')).status, 200)
  })

  test('[AUT-07] log-in returns a session of the same player', async () => {
    const { id } = await calls.player('login@example.com')
    const { status, body } = await calls.logIn(' LOGIN@example.com')
    assert.equal(status, 200)
    assert.equal(body.player.id, id)
    assert.equal((await emailCalls(project.production).logIn('login@example.com')).status, 401)
  })

  test('[AUT-07] an unknown email, a player without password, a wrong password, also of a banned player, get exactly the same response', async () => {
    const production = emailCalls(project.production)
    for (const side of [project.development, project.production]) {
      const emails = emailCalls(side)
      await emails.signUp('known@example.com')
      await emails.signUp('passwordless@example.com')
      const { id } = await emails.player('banned@example.com')
      assert.equal((await ban(id, side)).status, 200)
    }
    await service.db.run(removePassword, { email: 'passwordless@example.com' })

    const bytesOf = async (key: string, email: string) => {
      const { statusCode, headers, rawPayload } = await service.http.inject({
        method: 'POST',
        url: '/v1/auth/email/login',
        headers: { 'x-svc-key': key, 'content-type': 'application/json' },
        payload: JSON.stringify({ email, password: 'wrong password' }),
      })
      const { date: _, 'x-request-id': __, ...rest } = headers
      return JSON.stringify({ statusCode, rest, body: rawPayload.toString('base64') })
    }
    for (const key of [project.development.publishableKey, project.production.publishableKey]) {
      const answers = []
      for (const name of ['known', 'unknown', 'passwordless', 'banned', 'no email at all', '']) {
        answers.push(await bytesOf(key, name.includes(' ') || !name ? name : `${name}@example.com`))
      }
      assert.equal(new Set(answers).size, 1, answers.join('\n'))
    }
    const { status, body } = await production.logIn('known@example.com', 'wrong password')
    assert.deepEqual(
      [status, body.error],
      [401, { code: 'invalid_credentials', message: body.error.message }],
    )
  })

  test('[AUT-07] a banned player with the right password gets the ban and no session', async () => {
    const { id } = await calls.player('cheat@example.com')
    await ban(id)
    const { status, body } = await calls.logIn('cheat@example.com')
    assert.deepEqual([status, body.error.code], [403, 'player_banned'])
    assert.match(body.error.details.sanctionId, /^san_/)
    assert.equal((await calls.logIn('cheat@example.com', 'wrong password')).status, 401)
    await project.development.server('POST', `/v1/admin/players/${id}/unban`, {})
    assert.equal((await calls.logIn('cheat@example.com')).status, 200)
  })

  test('[AUT-07] [GEN-13] in production ten failures of an account from one address stop its log-ins from there for ten minutes', async () => {
    const { signUp, logIn } = emailCalls(project.production)
    await signUp('guessed@example.com')
    await signUp('neighbour@example.com')
    for (const email of ['guessed@example.com', 'nobody@example.com']) {
      for (let i = 0; i < 10; i++) assert.equal((await logIn(email, `guess ${i}`)).status, 401)
      const stopped = await logIn(email)
      assert.deepEqual([stopped.status, stopped.body.error.code], [429, 'rate_limited'])
      assert.ok(Number(stopped.headers['retry-after']) > 0)
    }
    assert.equal((await logIn(' GUESSED@example.com')).status, 429)
    assert.equal((await logIn('neighbour@example.com')).status, 200)
    service.clock.advance(10 * MINUTE_MS)
    assert.equal((await logIn('guessed@example.com')).status, 200)
  })

  test('[AUT-07] [GEN-13] a successful log-in resets the count of failures', async () => {
    const { signUp, logIn } = emailCalls(project.production)
    await signUp('clumsy@example.com')
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++) assert.equal((await logIn('clumsy@example.com', `guess ${i}`)).status, 401)
      assert.equal((await logIn('clumsy@example.com')).status, 200)
    }
  })

  test('[GEN-13] development has no such limit', async () => {
    await calls.signUp('tester@example.com')
    for (let i = 0; i < 15; i++)
      assert.equal((await calls.logIn('tester@example.com', `guess ${i}`)).status, 401)
    assert.equal((await calls.logIn('tester@example.com')).status, 200)
  })

  test('[AUT-08] [AUT-09] [PLY-03] a guest who links an email stays the same player, in all sessions', async () => {
    const guest = await newGuest(project.development)
    const { body: before } = await guest.call('GET', '/v1/players/me')
    service.clock.advance(MINUTE_MS)

    const { status, body } = await calls.link(guest, ' Linked@Example.com')
    assert.equal(status, 200)
    const linkedAt = service.clock.now().toISOString()
    assert.deepEqual(body.player, {
      ...before.player,
      isGuest: false,
      email: 'linked@example.com',
      identities: [{ provider: 'email', linkedAt, email: 'linked@example.com' }],
    })
    assert.deepEqual((await guest.call('GET', '/v1/players/me')).body, body)
    assert.deepEqual((await calls.refresh(guest.refreshToken)).body.player, body.player)
    assert.deepEqual((await calls.logIn('linked@example.com')).body.player, body.player)
  })

  test('[AUT-10] a taken email answers email_taken and leaves a guest; a second email identity_already_linked', async () => {
    await calls.signUp('occupied@example.com')
    const guest = await newGuest(project.development)
    const taken = await calls.link(guest, 'OCCUPIED@example.com')
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'email_taken'])
    assert.equal((await guest.call('GET', '/v1/players/me')).body.player.isGuest, true)

    assert.equal((await calls.link(guest, 'first@example.com')).status, 200)
    for (const email of ['second@example.com', 'first@example.com', 'occupied@example.com']) {
      const again = await calls.link(guest, email, { password: 'another password' })
      assert.deepEqual([again.status, again.body.error.code], [409, 'identity_already_linked'])
    }
    assert.equal((await calls.logIn('first@example.com')).status, 200)
  })

  test('[AUT-10] two concurrent links of emails: the player gets one', async () => {
    const guest = await newGuest(project.development)
    const emails = Array.from({ length: 8 }, (_, i) => `choice${i}@example.com`)
    const answers = await Promise.all(emails.map((email) => calls.link(guest, email)))
    assert.deepEqual(codesOf(answers), ['200', ...Array.from({ length: 7 }, () => 'identity_already_linked')])
    const logIns = await Promise.all(emails.map((email) => calls.logIn(email)))
    assert.equal(logIns.filter(({ status }) => status === 200).length, 1)
  })

  test('[AUT-08] an access token whose session has ended cannot link', async () => {
    const guest = await newGuest(project.development)
    const { refreshToken } = guest
    await project.development.public('POST', '/v1/auth/logout', { refreshToken })
    const { status, body } = await calls.link(guest, 'logged-out@example.com')
    assert.deepEqual([status, body.error.code], [401, 'invalid_token'])
  })

  test('[AUT-08] a banned guest cannot link', async () => {
    const guest = await newGuest(project.development)
    await ban(guest.id)
    const { status, body } = await calls.link(guest, 'banned-link@example.com')
    assert.deepEqual([status, body.error.code], [403, 'player_banned'])
    assert.equal((await calls.signUp('banned-link@example.com')).status, 200)
  })

  test('[AUT-18] [AUT-16] every email endpoint answers feature_disabled while emailLogin is off, before anything else', async () => {
    const { development } = await service.newProject()
    const guest = await newGuest(development)
    for (const [method, url, body] of EMAIL_ENDPOINTS) {
      const answer = await guest.call(method, url, body)
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'feature_disabled'], url)
      assert.equal(answer.body.error.details.configPath, 'features.emailLogin')
    }
  })

  test('many concurrent log-ins do not delay other requests', async () => {
    const busy = await startService(engine, { passwords: 'real' })
    const { development } = await newEmailProject(busy)
    const { signUp, logIn } = emailCalls(development)
    await signUp('flood@example.com')
    const guest = await newGuest(development)

    let logInsDone = 0
    const flood = Array.from({ length: 60 }, () => logIn('flood@example.com').finally(() => logInsDone++))
    assert.equal((await guest.call('GET', '/v1/players/me')).status, 200)
    assert.equal((await guest.call('PATCH', '/v1/players/me', { displayName: 'Ada' })).status, 200)
    assert.equal((await newGuest(development)).accessToken.length > 0, true)
    assert.ok(logInsDone < 60, 'the other requests waited for the log-ins')
    for (const { status } of await Promise.all(flood)) assert.equal(status, 200)
    await busy.stop()
  })
})
