import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SECOND_MS } from '../../platform/clock.ts'
import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import { suite } from '../../testing/suite.ts'

suite('external sign-in of developers: exchange', { start: startServiceWithProviders }, ({ service }) => {
  const me = async (token: string) => service.withToken(token)('GET', '/v1/developers/me')

  test('[DEV-05] the first sign-in creates an account without a password, the next one signs in to it', async () => {
    for (const provider of ['google', 'github']) {
      const first = await service.signInWith(provider, 'ada')
      assert.equal(first.status, 200)
      assert.equal(first.body.developer.email, `ada@${provider}.example`)
      assert.deepEqual([first.body.developer.emailVerified, first.body.developer.hasPassword], [true, false])
      assert.match(first.body.token, /^kds_/)
      assert.equal((await me(first.body.token)).body.developer.id, first.body.developer.id)

      const second = await service.signInWith(provider, 'ada')
      assert.equal(second.body.developer.id, first.body.developer.id)
      assert.notEqual(second.body.token, first.body.token)
    }
  })

  test('[DEV-05] an unknown invite code creates no account, and the sign-in can continue without it', async () => {
    const input = await service.codeFor('google', { account: 'bob' })
    const refused = await service.exchange({ ...input, inviteCode: 'NO-SUCH-CODE' })
    assert.equal(refused.body.error.code, 'invalid_invite_code')

    const { status, body } = await service.exchange(input)
    assert.equal(status, 200)
    assert.equal(body.invite, undefined)
  })

  test('[DEV-05] an existing account gets invite: { ignored: true }', async () => {
    await service.signInWith('google', 'bob')
    const input = await service.codeFor('google', { account: 'bob' })
    const { body } = await service.exchange({ ...input, inviteCode: 'ANY' })
    assert.deepEqual(body.invite, { ignored: true })
  })

  test('[DEV-05] accounts are never merged by email: 409 email_taken, and nothing is linked', async () => {
    const owner = await service.newDeveloper('cleo@google.example')
    const { status, body } = await service.signInWith('google', 'cleo')
    assert.equal(status, 409)
    assert.equal(body.error.code, 'email_taken')
    assert.match(body.error.details.hint, /link google/)
    assert.deepEqual((await owner.call('GET', '/v1/developers/me/identities')).body, { identities: [] })
  })

  test('[DEV-05] a wrong verifier answers 400 invalid_code and invalidates the code', async () => {
    const input = await service.codeFor('google', { account: 'ada' })
    const wrong = await service.exchange({ ...input, verifier: 'w'.repeat(43) })
    assert.equal(wrong.body.error.code, 'invalid_code')
    assert.deepEqual((await service.exchange(input)).body, wrong.body)
    assert.deepEqual((await service.exchange({ ...input, code: 'made-up' })).body, wrong.body)
  })

  test('[DEV-05] a code is valid for 60 seconds', async () => {
    const beforeExpiry = await service.codeFor('google', { account: 'ada' })
    service.clock.advance(60 * SECOND_MS - 1)
    assert.equal((await service.exchange(beforeExpiry)).status, 200)

    const late = await service.codeFor('google', { account: 'ada' })
    service.clock.advance(60 * SECOND_MS)
    assert.equal((await service.exchange(late)).body.error.code, 'invalid_code')
  })

  test('[DEV-05] a replayed code answers invalid_code and ends only the session that it created', async () => {
    const other = await service.signInWith('google', 'ada')
    const input = await service.codeFor('google', { account: 'ada' })
    const { body } = await service.exchange(input)
    assert.equal((await me(body.token)).status, 200)

    assert.equal((await service.exchange(input)).body.error.code, 'invalid_code')
    assert.equal((await me(body.token)).status, 401)
    assert.equal((await me(other.body.token)).status, 200)
  })

  test('[DEV-05] 20 concurrent exchanges of one code: exactly one succeeds', async () => {
    for (let round = 0; round < 3; round++) {
      const input = await service.codeFor('github', { account: 'dan' })
      const answers = await Promise.all(Array.from({ length: 20 }, () => service.exchange(input)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter(({ body }) => body.error?.code === 'invalid_code').length, 19)
    }
  })

  test('[DEV-05] two concurrent first sign-ins of one identity create one account', async () => {
    const codes = [
      await service.codeFor('google', { account: 'eve' }),
      await service.codeFor('google', { account: 'eve' }),
    ]
    const [one, two] = await Promise.all(codes.map((input) => service.exchange(input)))
    assert.equal(one?.body.developer.id, two?.body.developer.id)
  })

  test('[DEV-05] intent link adds a method, and takes effect at the exchange only', async () => {
    const finn = await service.newDeveloper()
    const link = { intent: 'link', call: finn.call }
    const input = await service.codeFor('github', { account: 'finn' }, link)
    assert.deepEqual((await finn.call('GET', '/v1/developers/me/identities')).body, { identities: [] })

    const { status, body } = await service.exchange(input, finn.call)
    assert.equal(status, 200)
    assert.equal(body.developer.id, finn.id)
    assert.deepEqual([body.identity.provider, body.identity.email], ['github', 'finn@github.example'])
    assert.deepEqual((await finn.call('GET', '/v1/developers/me/identities')).body, {
      identities: [body.identity],
    })
    assert.equal((await service.signInWith('github', 'finn')).body.developer.id, finn.id)

    assert.deepEqual((await service.signInWith('github', 'finn', link)).body, body)
    const another = await service.signInWith('github', 'gina', link)
    assert.equal(another.body.error.code, 'identity_already_linked')
  })

  test('[DEV-05] an identity of another account answers 409 identity_already_linked, and both stay as they were', async () => {
    const owner = await service.signInWith('google', 'gina')
    const thief = await service.newDeveloper()
    const { status, body } = await service.signInWith('google', 'gina', {
      intent: 'link',
      call: thief.call,
    })
    assert.equal(status, 409)
    assert.equal(body.error.code, 'identity_already_linked')
    assert.deepEqual((await thief.call('GET', '/v1/developers/me/identities')).body, { identities: [] })
    assert.equal((await service.signInWith('google', 'gina')).body.developer.id, owner.body.developer.id)
  })

  test('[DEV-05] a link can be completed only with an active session of the developer who started it', async () => {
    const began = await service.newDeveloper()
    const other = await service.newDeveloper()
    const link = { intent: 'link', call: began.call }

    const unsigned = await service.codeFor('google', { account: 'hal' }, link)
    assert.equal((await service.exchange(unsigned)).body.error.code, 'invalid_code')
    const foreign = await service.codeFor('google', { account: 'hal' }, link)
    assert.equal((await service.exchange(foreign, other.call)).body.error.code, 'invalid_code')
    const ended = await service.codeFor('google', { account: 'hal' }, link)
    await began.call('POST', '/v1/developers/logout')
    assert.equal((await service.exchange(ended, began.call)).body.error.code, 'invalid_code')
  })

  test('[DEV-05] intent reauth gives a reauthToken for 300 seconds, which sets a first password', async () => {
    const signedIn = await service.signInWith('github', 'hal')
    const hal = service.withToken(signedIn.body.token)
    const { status, body } = await service.signInWith('github', 'hal', { intent: 'reauth', call: hal })
    assert.equal(status, 200)
    assert.equal(body.expiresIn, 300)

    const set = await hal('POST', '/v1/developers/me/password', {
      password: 'a first password',
      reauthToken: body.reauthToken,
    })
    assert.equal(set.body.developer.hasPassword, true)
  })

  test('[DEV-05] reauth with an identity that is not linked to the account answers 404 identity_not_found', async () => {
    const developer = await service.newDeveloper()
    const { status, body } = await service.signInWith('google', 'ada', {
      intent: 'reauth',
      call: developer.call,
    })
    assert.equal(status, 404)
    assert.equal(body.error.code, 'identity_not_found')
  })
})
