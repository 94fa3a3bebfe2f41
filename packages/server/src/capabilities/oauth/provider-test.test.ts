import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { systemRandom } from '../../platform/random.ts'
import { suite } from '../../testing/suite.ts'
import { createProviderTest, type ProviderTestDeps } from './provider-test.ts'

const ENVIRONMENT = { id: 'env_1', projectId: 'prj_1', name: 'production', slug: 'game' } as const

describe('the test of provider credentials', () => {
  /** `reason`: the error of the engine for the invented code. */
  function testWith(reason: string, changed: Partial<ProviderTestDeps> = {}, isEnabled = true) {
    const on = { enabled: isEnabled }
    const engine = {
      start: async () => ({ url: new URL('https://provider.example') }),
      finish: async () => ({ failure: 'provider_error' as const, reason }),
    }
    return createProviderTest({
      credentials: { open: async () => ({ settings: { clientId: 'id' }, secret: 'secret' }) },
      config: {
        current: async () => ({
          config: { auth: { providers: { google: on, discord: on, apple: on, x: on } } },
        }),
      },
      engines: { google: engine, discord: engine, apple: engine, x: engine },
      testProvider: engine,
      sharedXApp: undefined,
      counters: { admit: async () => ({ isAdmitted: true, retryInMs: 0 }) },
      random: systemRandom,
      baseUrl: 'https://svc.example',
      ...changed,
    })
  }
  const codes = ({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code)

  test('[DSH-16] credentials pass if the provider rejects only the invented code, and fail if it rejects the client', async () => {
    const grant = 'server responded with an error (invalid_grant)'
    assert.deepEqual(await testWith(grant)(ENVIRONMENT, 'google'), { ok: true, problems: [] })
    const client = 'server responded with an error (invalid_client)'
    const refused = await testWith(client)(ENVIRONMENT, 'google')
    assert.deepEqual(refused, { ok: false, problems: [{ code: 'credentials_refused', message: client }] })
  })

  test('[DSH-16] X rejects an invented code as an invalid request', async () => {
    const reason = 'server responded with an error (invalid_request)'
    assert.equal((await testWith(reason)(ENVIRONMENT, 'x')).ok, true)
    assert.deepEqual(codes(await testWith(reason)(ENVIRONMENT, 'google')), ['credentials_refused'])
  })

  test('[DSH-16] a provider that does not answer, a provider that is turned off and missing credentials give different problems', async () => {
    assert.deepEqual(codes(await testWith('fetch failed: timeout')(ENVIRONMENT, 'discord')), [
      'provider_unreachable',
    ])
    const missing = { credentials: { open: async () => undefined } }
    assert.deepEqual(codes(await testWith('', missing, false)(ENVIRONMENT, 'discord')), [
      'not_enabled',
      'not_configured',
    ])
    await assert.rejects(testWith('')(ENVIRONMENT, 'myspace'), { code: 'provider_disabled' })
  })
})

suite('the test of provider credentials over HTTP', {}, ({ service }) => {
  test('[DSH-16] the test provider passes, at most 10 times a minute', async () => {
    const { developer, development } = await service.newProject()
    const path = `${development.path}/auth/providers/discord`
    const run = async () => (await developer.call('POST', `${path}/test`)).body
    assert.deepEqual(
      (await run()).problems.map(({ code }: { code: string }) => code),
      ['not_enabled', 'not_configured'],
    )
    await development.server('PUT', '/v1/config', { auth: { providers: { discord: { enabled: true } } } })
    await developer.call('PUT', path, { testProvider: true })
    for (let call = 0; call < 9; call++) assert.deepEqual(await run(), { ok: true, problems: [] })
    assert.equal((await run()).error.code, 'rate_limited')
    const unknown = await developer.call('POST', `${development.path}/auth/providers/myspace/test`)
    assert.equal(unknown.body.error.code, 'provider_disabled')
  })
})
