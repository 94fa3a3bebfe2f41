import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import type { Call } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

suite('external sign-in of developers: identities', { start: startServiceWithProviders }, ({ service }) => {
  const remove = (call: Call, provider: string, proof: object = {}) =>
    call('DELETE', `/v1/developers/me/identities/${provider}`, proof)
  const link = (call: Call, provider: string, account: string) =>
    service.signInWith(provider, account, { intent: 'link', call })
  const reauth = async (call: Call, provider: string, account: string) => {
    const { body } = await service.signInWith(provider, account, { intent: 'reauth', call })
    return { reauthToken: body.reauthToken as string }
  }
  const providersOf = async (call: Call): Promise<string[]> =>
    (await call('GET', '/v1/developers/me/identities')).body.identities.map(
      (one: { provider: string }) => one.provider,
    )

  test('[DEV-07] the list contains provider, email and linkedAt, and no subject', async () => {
    const { body } = await service.signInWith('google', 'ada')
    const { identities } = (await service.withToken(body.token)('GET', '/v1/developers/me/identities')).body
    assert.deepEqual(identities, [
      { provider: 'google', email: 'ada@google.example', linkedAt: service.clock.now().toISOString() },
    ])
  })

  test('[DEV-07] removing requires password or reauthToken: 401 reauth_required, nothing changes', async () => {
    const bob = await service.newDeveloper()
    await link(bob.call, 'google', 'bob')
    assert.equal((await remove(bob.call, 'google')).body.error.code, 'reauth_required')
    assert.equal(
      (await remove(bob.call, 'google', { reauthToken: 'made-up' })).body.error.code,
      'reauth_required',
    )
    assert.equal((await remove(bob.call, 'google', { password: 'wrong' })).status, 401)
    assert.deepEqual(await providersOf(bob.call), ['google'])
  })

  test('[DEV-07] removing ends every other session, and the identity can no longer sign in', async () => {
    const cleo = await service.newDeveloper()
    await link(cleo.call, 'google', 'cleo')
    const other = await service.signInWith('google', 'cleo')
    const others = service.withToken(other.body.token)
    assert.equal((await others('GET', '/v1/developers/me')).body.developer.id, cleo.id)

    const { status, body } = await remove(cleo.call, 'google', { password: 'correct horse' })
    assert.equal(status, 200)
    assert.equal(body.developer.id, cleo.id)
    assert.deepEqual(await providersOf(cleo.call), [])
    assert.equal((await others('GET', '/v1/developers/me')).status, 401)
    assert.notEqual((await service.signInWith('google', 'cleo')).body.developer.id, cleo.id)
  })

  test('[DEV-07] a provider that is not linked answers 404 identity_not_found', async () => {
    const { call } = await service.newDeveloper()
    const { status, body } = await remove(call, 'github', { password: 'correct horse' })
    assert.equal(status, 404)
    assert.equal(body.error.code, 'identity_not_found')
  })

  test('[DEV-07] the last method cannot be removed: 409 last_login_method, nothing changes', async () => {
    const { body } = await service.signInWith('google', 'dan')
    const dan = service.withToken(body.token)
    const refused = await remove(dan, 'google', await reauth(dan, 'google', 'dan'))
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'last_login_method')
    assert.deepEqual(await providersOf(dan), ['google'])

    await link(dan, 'github', 'dan')
    assert.equal((await remove(dan, 'google', await reauth(dan, 'github', 'dan'))).status, 200)
    assert.deepEqual(await providersOf(dan), ['github'])
  })

  test('[DEV-07] if the last two methods are removed concurrently, one stays', async () => {
    const { body } = await service.signInWith('google', 'eve')
    const eve = service.withToken(body.token)
    await link(eve, 'github', 'eve')
    const proofs = [await reauth(eve, 'google', 'eve'), await reauth(eve, 'google', 'eve')]

    const answers = await Promise.all([remove(eve, 'google', proofs[0]), remove(eve, 'github', proofs[1])])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await providersOf(eve)).length, 1)
  })

  test('[DEV-07] a sign-in that races the removal leaves no session behind', async () => {
    for (const provider of ['google', 'github']) {
      for (const account of ['finn', 'gina', 'hal']) {
        const developer = await service.newDeveloper()
        await link(developer.call, provider, account)
        const codes = await Promise.all(
          Array.from({ length: 5 }, () => service.codeFor(provider, { account })),
        )

        const [removed, ...signedIn] = await Promise.all([
          remove(developer.call, provider, { password: 'correct horse' }),
          ...codes.map((input) => service.exchange(input)),
        ])
        assert.equal(removed?.status, 200)
        for (const { body } of signedIn.filter(({ body }) => body.developer.id === developer.id)) {
          assert.equal((await service.withToken(body.token)('GET', '/v1/developers/me')).status, 401)
        }
      }
    }
  })
})
