import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'

import { suite } from '../../testing/suite.ts'
import { validateCredentials } from './credential-validation.ts'

const CLIENT = { clientId: 'client-1', clientSecret: 'canary-client-secret' }
const pemOf = (namedCurve: string, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type, format: 'pem' }).toString()
const APPLE = {
  servicesId: 'com.example.app',
  teamId: 'ABCDE12345',
  keyId: 'FGHIJ67890',
  privateKey: pemOf('P-256'),
}

test('[OAU-19] if a shared app is offered, x can be used without setup', () => {
  const place = { provider: 'x', env: 'production', sharedXApp: true } as const
  assert.deepEqual(validateCredentials({ useShared: true }, place), {
    settings: { useShared: true },
    secret: undefined,
  })
})

suite('provider credentials', { features: {} }, ({ service, project }) => {
  const address = (provider: string, env: 'development' | 'production' = 'development') =>
    `${project[env].path}/auth/providers/${provider}`
  const read = (provider: string) => project.developer.call('GET', address(provider))
  const write = (provider: string, body: object, env?: 'production') =>
    project.developer.call('PUT', address(provider, env), body)
  const problemsOf = async (provider: string, body: object, env?: 'production') => {
    const answer = await write(provider, body, env)
    assert.equal(answer.body.error?.code, 'invalid_request')
    return answer.body.error.details.errors.map(({ path }: { path: string }) => path).toSorted()
  }

  test('[OAU-18] before anything is stored, the values for the registration with the provider can be read', async () => {
    const { status, body } = await read('discord')
    assert.equal(status, 200)
    const { redirectUri, ...rest } = body
    assert.match(redirectUri, /^https?:\/\/.+\/v1\/auth\/oauth\/discord\/callback$/)
    assert.deepEqual(rest, { provider: 'discord', configured: false, secretSet: false, updatedAt: null })
  })

  test('[OAU-18] [OAU-19] client id and secret are stored; the secret is never returned', async () => {
    for (const provider of ['google', 'discord', 'x']) {
      const { status, body } = await write(provider, CLIENT)
      assert.equal(status, 200)
      assert.equal(JSON.stringify(body).includes(CLIENT.clientSecret), false)
      assert.deepEqual([body.configured, body.secretSet, body.clientId], [true, true, 'client-1'])
      assert.equal(body.updatedAt, service.clock.now().toISOString())
      assert.deepEqual((await read(provider)).body, body)
    }
  })

  test('[OAU-18] [OAU-19] apple requires Services ID, Team ID, Key ID and private key', async () => {
    const { status, body } = await write('apple', APPLE)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.servicesId, body.teamId, body.keyId, body.secretSet],
      ['com.example.app', 'ABCDE12345', 'FGHIJ67890', true],
    )
    assert.equal(body.privateKey, undefined)
    assert.equal(body.bundleId, undefined)

    const withApp = await write('apple', { ...APPLE, bundleId: 'com.example.app.ios' })
    assert.equal(withApp.body.bundleId, 'com.example.app.ios')
    assert.deepEqual(await problemsOf('google', { ...CLIENT, bundleId: 'com.example.app' }), ['$.bundleId'])
  })

  test("[OAU-18] missing fields, and fields of another provider, answer 400 with each field's path", async () => {
    assert.deepEqual(await problemsOf('google', {}), ['$.clientId', '$.clientSecret'])
    assert.deepEqual(await problemsOf('google', { clientId: 'a' }), ['$.clientSecret'])
    assert.deepEqual(await problemsOf('google', { ...CLIENT, teamId: 'ABCDE12345' }), ['$.teamId'])
    assert.deepEqual(await problemsOf('apple', CLIENT), [
      '$.clientId',
      '$.clientSecret',
      '$.keyId',
      '$.privateKey',
      '$.servicesId',
      '$.teamId',
    ])
    assert.deepEqual(await problemsOf('google', { ...CLIENT, testProvider: true }), [
      '$.clientId',
      '$.clientSecret',
    ])
  })

  test("[OAU-19] Apple's private key must be PEM, PKCS#8, P-256", async () => {
    const wrong = ['nonsense', pemOf('P-384'), pemOf('P-256', 'sec1'), APPLE.privateKey.replace(/M/, '!')]
    wrong.push(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    for (const privateKey of wrong) {
      assert.deepEqual(await problemsOf('apple', { ...APPLE, privateKey }), ['$.privateKey'])
    }
  })

  test('[OAU-18] the test provider works only in development, and replaces a secret', async () => {
    await write('google', CLIENT)
    const { body } = await write('google', { testProvider: true })
    assert.deepEqual(
      [body.configured, body.testProvider, body.secretSet, body.clientId],
      [true, true, false, undefined],
    )
    assert.deepEqual(await problemsOf('google', { testProvider: true }, 'production'), ['$.testProvider'])
  })

  test('[OAU-18] [OAU-19] useShared is allowed only for x, if the operator offers a shared app', async () => {
    assert.deepEqual(await problemsOf('google', { useShared: true }), ['$.useShared'])
    assert.deepEqual(await problemsOf('x', { useShared: true }), ['$.useShared'])
  })

  test('[OAU-18] the list shows every provider of this environment', async () => {
    await write('google', CLIENT)
    const list = async (path: string) =>
      (await project.developer.call('GET', `${path}/auth/providers`)).body.providers
    const names = (await list(project.development.path)).map(({ provider }: { provider: string }) => provider)
    assert.deepEqual(names, ['google', 'discord', 'apple', 'x'])
    const inProduction = await list(project.production.path)
    assert.ok(inProduction.every(({ configured }: { configured: boolean }) => !configured))
  })

  test('[OAU-18] removed credentials are deleted, and removing them again answers 404', async () => {
    await write('discord', CLIENT)
    assert.deepEqual((await project.developer.call('DELETE', address('discord'))).body, { deleted: true })
    assert.equal((await read('discord')).body.configured, false)
    assert.equal((await project.developer.call('DELETE', address('discord'))).status, 404)
  })

  test('[OAU-02] an unknown provider answers 404 provider_disabled', async () => {
    for (const provider of ['github', 'nonsense', 'constructor']) {
      assert.equal((await read(provider)).body.error.code, 'provider_disabled')
    }
  })

  test('[OAU-18] every change is audited, without the secret', async () => {
    await write('google', CLIENT)
    await project.developer.call('DELETE', address('google'))
    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit?limit=2`)
    const actions = body.entries.map(({ action, target }: { action: string; target: string }) => [
      action,
      target,
    ])
    assert.deepEqual(actions, [
      ['provider.credentials.removed', 'google'],
      ['provider.credentials.set', 'google'],
    ])
    assert.equal(JSON.stringify(body).includes(CLIENT.clientSecret), false)
  })

  test('[OAU-18] deleting a project deletes its credentials and their secrets', async () => {
    const doomed = await service.newProject(project.developer)
    const path = `${doomed.development.path}/auth/providers/x`
    assert.equal((await project.developer.call('PUT', path, CLIENT)).status, 200)
    await project.developer.call('DELETE', `/v1/projects/${doomed.id}`)

    const environmentIds = doomed.environments.map(({ id }) => id)
    const rows = JSON.stringify([
      await service.db.search((q) => q.selectFrom('oauth_credentials').select('environmentId')),
      await service.db.search((q) => q.selectFrom('secrets').select('id')),
    ])
    assert.ok(environmentIds.every((id) => !rows.includes(id)))
  })

  test('[OAU-18] the secret is stored encrypted', async () => {
    await write('google', CLIENT)
    const rows = JSON.stringify([
      await service.db.search((q) => q.selectFrom('oauth_credentials').selectAll()),
      await service.db.search((q) => q.selectFrom('secrets').selectAll()),
      await service.db.search((q) => q.selectFrom('audit_entries').selectAll()),
    ])
    assert.equal(rows.includes(CLIENT.clientSecret), false)
    assert.ok(rows.includes('oauth:'))
  })
})
