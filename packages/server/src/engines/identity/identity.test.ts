import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { createStoppedClock, HOUR_MS } from '../../platform/clock.ts'
import { startFakeGithub } from '../../testing/fake-github.ts'
import { type Choice, close, listen, signIn, startOidcProvider } from '../../testing/oidc-provider.ts'
import { identityOf, type IdentityProvider, type ProviderClient } from './identity.ts'
import { createIdentityProviders } from './providers.ts'

const redirectUri = 'http://127.0.0.1:9/v1/developers/oauth/test/callback'
const attempt = {
  redirectUri,
  state: 'state-of-this-sign-in',
  nonce: 'nonce-of-this-sign-in',
  verifier: 'v'.repeat(43),
  selectAccount: false,
}

type Running = { provider: IdentityProvider; client: ProviderClient; close: () => Promise<void> }

async function runGoogle(): Promise<Running> {
  const oidc = await startOidcProvider({
    redirectUris: [redirectUri],
    accounts: {
      ada: {
        email: 'ada@example.com',
        emailVerified: true,
        name: 'Ada',
        picture: 'https://example.com/ada.png',
      },
      bob: { email: 'bob@example.com', emailVerified: false, name: 'Bob' },
      nobody: {},
    },
  })
  const { google } = createIdentityProviders({
    clock: createStoppedClock(),
    endpoints: { google: { issuer: oidc.issuer } },
  })
  return { provider: google, client: oidc, close: oidc.close }
}

async function runGithub(): Promise<Running> {
  const server = await startFakeGithub({
    redirectUri,
    accounts: {
      ada: {
        id: 1,
        name: 'Ada',
        emails: [
          { email: 'old@example.com', primary: false, verified: true },
          { email: 'ada@example.com', primary: true, verified: true },
        ],
      },
      bob: { id: 2, emails: [{ email: 'bob@example.com', primary: true, verified: false }] },
      nobody: { id: 3, emails: [] },
    },
  })
  const { github } = createIdentityProviders({
    clock: createStoppedClock(),
    endpoints: { github: server.endpoints },
  })
  return { provider: github, client: server, close: server.close }
}

for (const [name, run] of Object.entries({ google: runGoogle, github: runGithub })) {
  describe(`[DEV-05] sign-in with ${name}`, () => {
    let running: Running
    before(async () => void (running = await run()))
    after(() => running.close())

    /** Signs in at the provider and follows the redirect back. */
    async function followCallback(choice: Choice, request = attempt) {
      const started = await running.provider.start(running.client, request)
      if ('failure' in started) throw new Error(started.reason)
      const callback = await signIn(started.url, choice)
      assert.equal(callback.origin + callback.pathname, redirectUri)
      return { ...request, parameters: Object.fromEntries(callback.searchParams) }
    }
    const finish = (answer: Awaited<ReturnType<typeof followCallback>>, client = running.client) =>
      running.provider.finish(client, answer)
    const assertFails = async (answer: Awaited<ReturnType<typeof followCallback>>, client = running.client) =>
      assert.equal('failure' in (await finish(answer, client)), true)

    test('returns the identity, with a verified email', async () => {
      const result = await finish(await followCallback({ account: 'ada' }))
      assert.ok('identity' in result)
      const { subject, email, emailVerified, name } = result.identity
      assert.notEqual(subject, '')
      assert.deepEqual([email, emailVerified, name], ['ada@example.com', true, 'Ada'])
    })

    test('an email that the provider has not verified is marked as unverified, a missing one is null', async () => {
      const bob = await finish(await followCallback({ account: 'bob' }))
      assert.ok('identity' in bob)
      assert.deepEqual([bob.identity.email, bob.identity.emailVerified], ['bob@example.com', false])

      const nobody = await finish(await followCallback({ account: 'nobody' }))
      assert.ok('identity' in nobody)
      assert.deepEqual([nobody.identity.email, nobody.identity.emailVerified], [null, false])
    })

    test('requests PKCE S256, and account selection if required', async () => {
      const started = await running.provider.start(running.client, { ...attempt, selectAccount: true })
      assert.ok('url' in started)
      const asked = started.url.searchParams
      assert.equal(asked.get('code_challenge_method'), 'S256')
      assert.equal(asked.get('code_challenge')?.length, 43)
      assert.equal(asked.get('prompt'), 'select_account')
      assert.ok(
        'identity' in
          (await finish(await followCallback({ account: 'ada' }, { ...attempt, selectAccount: true }))),
      )
    })

    test('a denied sign-in is access_denied', async () => {
      const result = await finish(await followCallback({ deny: true }))
      assert.equal('failure' in result && result.failure, 'access_denied')
    })

    test('a wrong state, verifier, secret or issuer fails, and a code works once', async () => {
      await assertFails({ ...(await followCallback({ account: 'ada' })), state: 'another-state' })
      await assertFails({ ...(await followCallback({ account: 'ada' })), verifier: 'w'.repeat(43) })
      await assertFails(await followCallback({ account: 'ada' }), {
        ...running.client,
        clientSecret: 'wrong',
      })

      const answer = await followCallback({ account: 'ada' })
      await assertFails({ ...answer, parameters: { ...answer.parameters, iss: 'https://evil.example' } })

      const used = await followCallback({ account: 'ada' })
      assert.ok('identity' in (await finish(used)))
      await assertFails(used)
    })

    test('a rejection by the provider is provider_error, and the reason contains no secret', async () => {
      const answer = await followCallback({ account: 'ada' })
      const result = await finish({ ...answer, parameters: { ...answer.parameters, code: 'made-up-code' } })
      assert.ok('failure' in result)
      assert.equal(result.failure, 'provider_error')
      for (const secret of ['made-up-code', running.client.clientSecret, attempt.verifier]) {
        assert.equal(result.reason.includes(secret), false, result.reason)
      }
    })
  })
}

test('[DEV-05] an ID token with another nonce fails', async () => {
  const { provider, client, close } = await runGoogle()
  const started = await provider.start(client, attempt)
  assert.ok('url' in started)
  const callback = await signIn(started.url, { account: 'ada' })
  const parameters = Object.fromEntries(callback.searchParams)
  const result = await provider.finish(client, { ...attempt, nonce: 'another-nonce', parameters })
  assert.equal('failure' in result && result.failure, 'provider_error')
  await close()
})

describe('a provider that fails', () => {
  const client = { clientId: 'id', clientSecret: 'secret' }
  const google = (issuer: string, timeoutMs = 5_000) =>
    createIdentityProviders({ clock: createStoppedClock(), endpoints: { google: { issuer } }, timeoutMs })
      .google
  const failureOf = async (provider: IdentityProvider) => {
    const result = await provider.start(client, attempt)
    assert.ok('failure' in result)
    assert.equal(result.failure, 'provider_error')
    return result.reason
  }

  test('a provider that is down is provider_error', async () => {
    const { server, origin } = await listen(() => {})
    await close(server)
    assert.match(await failureOf(google(origin)), /ECONNREFUSED/)
  })

  test('a provider that never responds times out', async () => {
    const { server, origin } = await listen(() => {})
    await failureOf(google(origin, 50))
    await close(server)
  })

  test('an endless response of a provider is aborted', async () => {
    const { server, origin } = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(16_384)));
      }
      response.on('drain', more)
      more()
    })
    assert.match(await failureOf(google(origin)), /more than 65536 bytes/)
    await close(server)
  })

  test('redirects of a provider are not followed', async () => {
    let followed = false
    const target = await listen((_, response) => {
      followed = true
      response.end('{}')
    })
    const { server, origin } = await listen((_, response) =>
      response.writeHead(302, { location: target.origin }).end(),
    )
    await failureOf(google(origin))
    assert.equal(followed, false)
    await close(server)
    await close(target.server)
  })

  test('plain http is used only on this machine, also if the discovery document contains other addresses', async () => {
    assert.match(await failureOf(google('http://identity.example.com')), /HTTPS|https/)

    const { server, origin } = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: origin,
          authorization_endpoint: `${origin}/auth`,
          token_endpoint: 'http://identity.example.com/token',
        }),
      )
    })
    const provider = google(origin)
    const parameters = { code: 'code', state: attempt.state }
    const result = await provider.finish(client, { ...attempt, parameters })
    assert.match('failure' in result ? result.reason : '', /neither https nor on this machine/)
    await close(server)
  })

  test('discovery is read once an hour, and immediately again after a failure', async () => {
    const clock = createStoppedClock()
    let asked = 0
    let down = true
    const { server, origin } = await listen((_, response) => {
      asked++
      if (down) return void response.writeHead(500).end()
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer: origin, authorization_endpoint: `${origin}/auth` }))
    })
    const provider = createIdentityProviders({ clock, endpoints: { google: { issuer: origin } } }).google

    await failureOf(provider)
    down = false
    const results = await Promise.all([provider.start(client, attempt), provider.start(client, attempt)])
    assert.ok(results.every((result) => 'url' in result))
    assert.equal(asked, 2)

    clock.advance(HOUR_MS)
    await provider.start(client, attempt)
    assert.equal(asked, 3)
    await close(server)
  })
})

test('only valid profile fields of a provider are used', () => {
  const received = {
    subject: '1',
    email: 'no email',
    emailVerified: true,
    name: ' A\u0000d\u202ea ',
    avatarUrl: 'javascript:alert(1)',
  }
  assert.deepEqual(identityOf(received), {
    subject: '1',
    email: null,
    emailVerified: false,
    name: 'Ada',
    username: null,
    avatarUrl: null,
  })
  assert.equal(identityOf({ subject: '1', name: '😀'.repeat(81) }).name, '😀'.repeat(80))
  assert.throws(() => identityOf({ subject: '' }))
  assert.throws(() => identityOf({ subject: 'x'.repeat(256) }))
  assert.throws(() => identityOf({ subject: 7 }))
  // The databases do not store these in the same way.
  assert.throws(() => identityOf({ subject: '1\0' }))
  assert.throws(() => identityOf({ subject: '1\ud800' }))
})
