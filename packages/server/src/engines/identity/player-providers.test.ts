import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'

import { createStoppedClock, DAY_MS } from '../../platform/clock.ts'
import { signInAtApple, startFakeApple } from '../../testing/fake-apple.ts'
import { startFakeDiscord, startFakeX } from '../../testing/oauth-server.ts'
import { type Choice, close, listen, signIn } from '../../testing/oidc-provider.ts'
import type { AppleClient } from './apple.ts'
import type { IdentityProvider, ProviderClient } from './identity.ts'
import { createIdentityProviders } from './providers.ts'

const redirectUri = 'http://127.0.0.1:9/v1/auth/oauth/test/callback'
const attempt = {
  redirectUri,
  state: 'state-of-this-sign-in',
  nonce: 'nonce-of-this-sign-in',
  verifier: 'v'.repeat(43),
  // These providers have no account selection; their servers reject a request for it.
  selectAccount: true,
}
const accounts = {
  ada: { id: '80351110224678912', username: 'ada_l', name: 'Ada Lovelace', email: 'ada@example.com' },
}

async function through<Client>(
  provider: IdentityProvider<Client>,
  client: Client,
  choice: Choice,
  changed: Partial<typeof attempt> = {},
) {
  const started = await provider.start(client, attempt)
  if ('failure' in started) throw new Error(started.reason)
  const parameters = started.url.pathname.startsWith('/auth/')
    ? await signInAtApple(started.url.href, choice)
    : Object.fromEntries((await signIn(started.url, choice)).searchParams)
  return provider.finish(client, { ...attempt, ...changed, parameters })
}

const failureOf = (result: Awaited<ReturnType<typeof through>>) =>
  'failure' in result ? result.failure : undefined

describe('sign-in with discord and x', () => {
  type Server = Awaited<ReturnType<typeof startFakeX>>
  const servers: Partial<Record<'discord' | 'x', Server>> = {}
  before(async () => {
    servers.discord = await startFakeDiscord({ redirectUri, accounts })
    servers.x = await startFakeX({ redirectUri, accounts })
  })
  after(() => Promise.all([servers.discord?.close(), servers.x?.close()]))

  function of(name: 'discord' | 'x', timeoutMs?: number): [IdentityProvider, ProviderClient] {
    const server = servers[name]
    if (!server) throw new Error('not started')
    const clock = createStoppedClock()
    const providers = createIdentityProviders({
      clock,
      endpoints: { [name]: server.endpoints },
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    return [providers[name], server]
  }

  test('discord returns id, handle, name, email and avatar', async () => {
    const result = await through(...of('discord'), { account: 'ada' })
    assert.deepEqual('identity' in result && result.identity, {
      subject: '80351110224678912',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada Lovelace',
      username: 'ada_l',
      avatarUrl: 'https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675442027381ff50dfe.png',
    })
  })

  test('[OAU-15] x returns id, handle, name and picture, and no email', async () => {
    const result = await through(...of('x'), { account: 'ada' })
    assert.deepEqual('identity' in result && result.identity, {
      subject: '80351110224678912',
      email: null,
      emailVerified: false,
      name: 'Ada Lovelace',
      username: 'ada_l',
      avatarUrl: 'https://pbs.twimg.com/80351110224678912.jpg',
    })
  })

  for (const name of ['discord', 'x'] as const) {
    test(`${name}: a denied sign-in is access_denied; a wrong verifier, state or secret is provider_error`, async () => {
      const [provider, client] = of(name)
      assert.equal(failureOf(await through(provider, client, { deny: true })), 'access_denied')
      for (const changed of [{ verifier: 'w'.repeat(43) }, { state: 'another' }]) {
        const result = await through(provider, client, { account: 'ada' }, changed)
        assert.equal(failureOf(result), 'provider_error')
      }
      const wrong = { ...client, clientSecret: 'wrong' }
      assert.equal(failureOf(await through(provider, wrong, { account: 'ada' })), 'provider_error')
    })

    test(`${name}: a provider that never answers fails at the deadline`, async () => {
      const { server, origin } = await listen(() => {})
      const endpoints = { tokenEndpoint: `${origin}/token` }
      const known = servers[name]
      if (!known) throw new Error('not started')
      const slow = createIdentityProviders({
        clock: createStoppedClock(),
        endpoints: { [name]: { ...known.endpoints, ...endpoints } },
        timeoutMs: 100,
      })[name]
      assert.equal(failureOf(await through(slow, known, { account: 'ada' })), 'provider_error')
      await close(server)
    })
  }
})

describe('sign-in with apple', () => {
  const clock = createStoppedClock()
  let apple: Awaited<ReturnType<typeof startFakeApple>>
  before(async () => {
    apple = await startFakeApple({
      redirectUri,
      accounts: {
        ada: { sub: '001100.a', email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
      },
      now: clock.now,
    })
  })
  after(() => apple.close())

  const finish = (client: AppleClient = apple.credentials, choice: Choice = { account: 'ada' }) =>
    through(
      createIdentityProviders({ clock, endpoints: { apple: { issuer: apple.issuer } } }).apple,
      client,
      choice,
    )

  test('the response is a form post, with the name only the first time', async () => {
    const first = await finish()
    assert.deepEqual('identity' in first && first.identity, {
      subject: '001100.a',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada Lovelace',
      username: null,
      avatarUrl: null,
    })
    const second = await finish()
    assert.equal('identity' in second && second.identity.name, null)
    assert.equal('identity' in second && second.identity.subject, '001100.a')
  })

  test('a cancelled sign-in is access_denied', async () => {
    assert.equal(failureOf(await finish(apple.credentials, { deny: true })), 'access_denied')
  })

  test('[OAU-19] the client secret is signed for each request: another key, team or key id is rejected', async () => {
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    })
    for (const wrong of [{ privateKey: pem.toString() }, { teamId: 'ZZZZZ99999' }, { keyId: 'ZZZZZ99999' }]) {
      assert.equal(failureOf(await finish({ ...apple.credentials, ...wrong })), 'provider_error')
    }
    clock.advance(200 * DAY_MS)
    assert.ok('identity' in (await finish()))
  })

  test('an invalid name is omitted', async () => {
    const { apple: provider } = createIdentityProviders({
      clock,
      endpoints: { apple: { issuer: apple.issuer } },
    })
    for (const user of ['nonsense', '{}', '{"name":{"firstName":7}}', 'null']) {
      const started = await provider.start(apple.credentials, attempt)
      assert.ok('url' in started)
      const parameters = { ...(await signInAtApple(started.url.href, { account: 'ada' })), user }
      const result = await provider.finish(apple.credentials, { ...attempt, parameters })
      assert.equal('identity' in result && result.identity.name, null, user)
    }
  })
})
