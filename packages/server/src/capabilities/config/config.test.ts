import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { engines, type Service, startService } from '../../testing/service.ts'
import { createConfig } from './config.ts'
import { createConfigStore } from './store.ts'

const FULL = {
  $schema: './svc.config.schema.json',
  version: 1,
  features: { saves: true, stats: true },
  stats: [{ key: 'points', title: { en: 'Points', 'pt-BR': 'Pontos' }, aggregation: 'max' }],
  auth: { providers: { google: { enabled: true } } },
}

for (const engine of engines) {
  describe(`the config on ${engine}`, () => {
    let service: Service
    before(async () => void (service = await startService(engine)))
    after(() => service.stop())

    test('[CFG-01] before the first push it is version 0 and {}', async () => {
      const { development } = await service.newProject()
      const { body } = await development.server('GET', '/v1/config')
      assert.deepEqual(body, { version: 0, config: {}, updatedAt: null })
    })

    test('[CFG-01] a pushed document is read back unchanged, with a secret key and by a developer', async () => {
      const { development, developer } = await service.newProject()
      const pushed = await development.server('PUT', '/v1/config', FULL)
      assert.deepEqual(pushed.body, { version: 1, changed: true, config: FULL })

      const read = { version: 1, config: FULL, updatedAt: service.clock.now().toISOString() }
      const byKey = await development.server('GET', '/v1/config')
      assert.deepEqual(byKey.body, read)
      assert.equal(JSON.stringify(byKey.body.config), JSON.stringify(FULL))
      assert.deepEqual((await developer.call('GET', `${development.path}/config`)).body, read)

      const byDeveloper = await developer.call('PUT', `${development.path}/config`, {})
      assert.deepEqual(byDeveloper.body, { version: 2, changed: true, config: {} })
    })

    test('[CFG-20] the version increases by one per changing push, and not for an identical document in any key order', async () => {
      const { development } = await service.newProject()
      const push = async (document: object) => (await development.server('PUT', '/v1/config', document)).body
      assert.deepEqual(await push({}), { version: 0, changed: false, config: {} })
      assert.equal((await push({ audience: 'kids', features: { saves: true } })).version, 1)
      const again = await push({ features: { saves: true }, audience: 'kids' })
      assert.deepEqual([again.version, again.changed], [1, false])
      assert.equal((await push({ audience: 'mixed' })).version, 2)
    })

    test('[CFG-02] an invalid document answers 400 invalid_config with every error, and nothing changes', async () => {
      const { development } = await service.newProject()
      await development.server('PUT', '/v1/config', FULL)

      const wrong = { features: { savez: true }, stats: [{ key: 'a' }, { key: 'b' }, { key: 'A' }] }
      const { status, body } = await development.server('PUT', '/v1/config', wrong)
      assert.equal(status, 400)
      assert.equal(body.error.code, 'invalid_config')
      assert.deepEqual(
        body.error.details.errors.map((error: { path: string; rule: string }) => [error.path, error.rule]),
        [
          ['$.features.savez', 'unknown_key'],
          ['$.stats[2].key', 'pattern'],
        ],
      )
      assert.equal(typeof body.error.details.errors[0].message, 'string')
      assert.deepEqual((await development.server('GET', '/v1/config')).body.config, FULL)
    })

    test('[CFG-02] a config document must be an object', async () => {
      const { development } = await service.newProject()
      for (const document of [null, [], 'x', 1, true]) {
        const { body } = await development.server('PUT', '/v1/config', document)
        assert.equal(body.error.code, 'invalid_config')
        assert.equal(body.error.details.errors[0].path, '$')
      }
    })

    test('[CFG-17] http on localhost is allowed only in development', async () => {
      const { development, production } = await service.newProject()
      const document = { integrity: { stats: { webhook: { url: 'http://localhost:3000/verify' } } } }
      assert.equal((await development.server('PUT', '/v1/config', document)).status, 200)
      assert.equal((await production.server('PUT', '/v1/config', document)).body.error.code, 'invalid_config')
    })

    test('[CFG-01] a dry run returns the changes, stores nothing, and rejects an invalid document', async () => {
      const { development, developer, id } = await service.newProject()
      await development.server('PUT', '/v1/config', { features: { saves: true } })

      const dryRun = await development.server('PUT', '/v1/config?dryRun=true', { audience: 'kids' })
      assert.deepEqual(dryRun.body, {
        valid: true,
        changes: [
          { path: '$.features', before: { saves: true }, after: null },
          { path: '$.audience', before: null, after: 'kids' },
        ],
      })
      const refused = await development.server('PUT', '/v1/config?dryRun=true', { audience: 'x' })
      assert.equal(refused.body.error.code, 'invalid_config')

      assert.equal((await development.server('GET', '/v1/config')).body.version, 1)
      const { body } = await developer.call('GET', `/v1/projects/${id}/audit`)
      assert.equal(
        body.entries.filter(({ action }: { action: string }) => action === 'config.push').length,
        1,
      )

      const real = await development.server('PUT', '/v1/config?dryRun=false', { audience: 'kids' })
      assert.equal(real.body.version, 2)
    })

    test('[GEN-24] development and production have their own config', async () => {
      const { development, production } = await service.newProject()
      await development.server('PUT', '/v1/config', FULL)
      assert.equal((await production.server('GET', '/v1/config')).body.version, 0)
    })

    test("[GEN-23] another developer's config answers like one that does not exist", async () => {
      const { development } = await service.newProject()
      const stranger = await service.newDeveloper()
      const unknown = await stranger.call('GET', '/v1/projects/prj_unknown/environments/development/config')
      assert.equal(unknown.status, 404)
      for (const method of ['GET', 'PUT']) {
        const foreign = await stranger.call(
          method,
          `${development.path}/config`,
          method === 'PUT' ? {} : undefined,
        )
        assert.deepEqual([foreign.status, foreign.body], [unknown.status, unknown.body])
      }
    })

    test('a publishable key neither reads nor pushes', async () => {
      const { development } = await service.newProject()
      assert.equal((await development.public('GET', '/v1/config')).body.error.code, 'secret_key_required')
      assert.equal((await development.public('PUT', '/v1/config', {})).body.error.code, 'secret_key_required')
    })

    test('concurrent pushes are serialized: each version number is used once', async () => {
      const { development, developer } = await service.newProject()
      const pushes = Array.from({ length: 12 }, (_, index) =>
        development.server('PUT', '/v1/config', { stats: [{ key: `s${index}` }] }),
      )
      const versions = (await Promise.all(pushes)).map(({ body }) => body.version as number)
      assert.deepEqual(
        versions.toSorted((a, b) => a - b),
        Array.from({ length: 12 }, (_, index) => index + 1),
      )
      const { body } = await developer.call('GET', `${development.path}/config`)
      assert.equal(body.config.stats[0].key, `s${versions.indexOf(12)}`)
    })

    test('[CFG-20] [AUD-01] each push is audited with its diff', async () => {
      const { development, developer, id } = await service.newProject()
      await development.server('PUT', '/v1/config', { audience: 'kids' })
      await developer.call('PUT', `${development.path}/config`, { audience: 'mixed' })
      await developer.call('PUT', `${development.path}/config`, { audience: 'mixed' })

      const { body } = await developer.call('GET', `/v1/projects/${id}/audit?env=development`)
      const pushes = body.entries.filter(({ action }: { action: string }) => action === 'config.push')
      assert.equal(pushes.length, 2)
      const [byDeveloper, byKey] = pushes
      assert.deepEqual(byDeveloper.details, {
        version: 2,
        changes: [{ path: '$.audience', before: 'kids', after: 'mixed' }],
        changeCount: 1,
      })
      assert.deepEqual([byDeveloper.actor.type, byDeveloper.actor.id], ['developer', developer.id])
      assert.deepEqual([byKey.actor.type, byKey.target], ['key', 'version 1'])
    })

    test('the history lists versions newest first, with who changed what, page by page', async () => {
      const { development, developer } = await service.newProject()
      for (const audience of ['kids', 'mixed', 'general'])
        await development.server('PUT', '/v1/config', { audience })

      const first = (await developer.call('GET', `${development.path}/config/versions?limit=2`)).body
      assert.deepEqual(
        first.versions.map((entry: { version: number; changes: unknown }) => [entry.version, entry.changes]),
        [
          [3, [{ path: '$.audience', before: 'mixed', after: 'general' }]],
          [2, [{ path: '$.audience', before: 'kids', after: 'mixed' }]],
        ],
      )
      assert.equal(first.nextBefore, 2)
      assert.equal(first.versions[0].actor.type, 'key')

      const rest = (await development.server('GET', `/v1/config/versions?limit=2&before=${first.nextBefore}`))
        .body
      assert.deepEqual(rest.versions[0].changes, [{ path: '$.audience', before: null, after: 'kids' }])
      assert.equal(rest.nextBefore, null)
    })

    test('reading one version returns its document; an unknown version answers 404', async () => {
      const { development, production } = await service.newProject()
      await development.server('PUT', '/v1/config', FULL)
      await development.server('PUT', '/v1/config', {})
      assert.deepEqual((await development.server('GET', '/v1/config/versions/1')).body.config, FULL)
      const unknown = await development.server('GET', '/v1/config/versions/3')
      assert.equal(unknown.body.error.code, 'config_version_not_found')
      assert.deepEqual((await production.server('GET', '/v1/config/versions/1')).body, unknown.body)
      assert.equal((await development.server('GET', '/v1/config/versions/first')).status, 400)
    })

    test('an old version is restored as a new one, and audited as such', async () => {
      const { development, developer, id } = await service.newProject()
      await development.server('PUT', '/v1/config', FULL)
      await development.server('PUT', '/v1/config', { audience: 'kids' })

      const restored = await developer.call('POST', `${development.path}/config/versions/1/restore`)
      assert.deepEqual(restored.body, { version: 3, changed: true, config: FULL })
      assert.deepEqual((await development.server('GET', '/v1/config')).body.config, FULL)
      assert.equal((await development.server('POST', '/v1/config/versions/1/restore')).body.changed, false)

      const { body } = await developer.call('GET', `/v1/projects/${id}/audit?limit=1`)
      assert.equal(body.entries[0].action, 'config.restore')
      assert.equal(body.entries[0].details.restoredVersion, 1)

      const unknown = await development.server('POST', '/v1/config/versions/9/restore')
      assert.equal(unknown.body.error.code, 'config_version_not_found')
    })

    test('the newest 1,000 versions are kept', async () => {
      const { development, environments } = await service.newProject()
      const id = environments.find(({ name }) => name === 'development')?.id ?? ''
      const versions = createConfigStore(service.db).of(id)
      const actor = JSON.stringify({ type: 'system', id: 'sys_1', label: 'a test' })
      for (const version of [1, 2, 1_000]) {
        await versions.insert({ version, document: '{}', updatedAt: '2026-01-01T00:00:00.000Z', actor })
      }

      assert.equal((await development.server('PUT', '/v1/config', FULL)).body.version, 1_001)
      assert.equal((await development.server('GET', '/v1/config/versions/1')).status, 404)
      const { body } = await development.server('GET', '/v1/config/versions')
      assert.deepEqual(
        body.versions.map(({ version }: { version: number }) => version),
        [1_001, 1_000, 2],
      )
    })

    test('a push whose audit entry cannot be written changes nothing and sends no message', async () => {
      const { development, id: projectId, slug, environments } = await service.newProject()
      const id = environments.find(({ name }) => name === 'development')?.id ?? ''
      const received: string[] = []
      const config = createConfig(createConfigStore(service.db), {
        clock: service.clock,
        audit: { record: () => Promise.reject(new Error('no audit')) },
        bus: { publish: async (_, message) => void received.push(message) },
        unavailable: new Set(),
        recordChanged: async () => {},
        problemsOf: async () => new Map(),
        hasFunctions: async () => false,
      })
      const actor = { type: 'system', id: 'sys_1', label: 'a test' } as const
      await assert.rejects(config.push({ id, projectId, slug, name: 'development' }, actor, FULL), /no audit/)
      assert.deepEqual(received, [])
      assert.equal((await development.server('GET', '/v1/config')).body.version, 0)
    })

    test('[CFG-21] the feature list contains every feature with its state and source, for both callers', async () => {
      const { development, developer } = await service.newProject()
      await development.server('PUT', '/v1/config', { ...FULL, share: { links: { enabled: false } } })

      const { body } = await development.server('GET', '/v1/admin/features')
      assert.equal(body.features.length, 19)
      const feature = (key: string) => body.features.find((entry: { key: string }) => entry.key === key)
      const saves = {
        key: 'saves',
        title: 'Cloud saves',
        configPath: 'features.saves',
        source: 'config',
        enabled: true,
      }
      assert.deepEqual(feature('saves'), saves)
      const states = ['voice', 'google', 'x', 'share.links', 'share.tags', 'functions', 'svcNews'].map(
        (key) => [key, feature(key).configPath, feature(key).source, feature(key).enabled],
      )
      assert.deepEqual(states, [
        ['voice', 'features.voice', 'default', false],
        ['google', 'auth.providers.google.enabled', 'config', true],
        ['x', 'auth.providers.x.enabled', 'default', false],
        ['share.links', 'share.links.enabled', 'config', false],
        ['share.tags', 'share.tags.enabled', 'default', false],
        ['functions', null, 'operation', false],
        ['svcNews', 'svcNews.optIn', 'default', true],
      ])
      assert.deepEqual((await developer.call('GET', `${development.path}/features`)).body, body)
    })

    test('[GEN-27] [CFG-22] allowedOrigins apply to the first request after the push', async () => {
      const { production } = await service.newProject()
      const from = async (origin: string) =>
        (await production.server('GET', '/v1/config', undefined, { origin })).status
      assert.equal(await from('https://other.example'), 200)
      await production.server('PUT', '/v1/config', { web: { allowedOrigins: ['https://*.example.com'] } })
      assert.equal(await from('https://other.example'), 403)
      assert.equal(await from('https://example.com'), 403)
      assert.equal(await from('https://app.example.com'), 200)
    })
  })

  describe(`features that the operator does not offer, on ${engine}`, () => {
    let service: Service
    before(
      async () =>
        void (service = await startService(engine, { settings: { SVC_UNAVAILABLE_FEATURES: 'voice' } })),
    )
    after(() => service.stop())

    test('[GEN-43] turning one on answers 403 feature_unavailable, also in a dry run, and nothing changes', async () => {
      const { development } = await service.newProject()
      const document = { features: { voice: true, realtimeChannels: true } }
      for (const url of ['/v1/config', '/v1/config?dryRun=true']) {
        const { status, body } = await development.server('PUT', url, document)
        assert.equal(status, 403)
        assert.equal(body.error.code, 'feature_unavailable')
        assert.deepEqual(body.error.details, { feature: 'voice', configPath: 'features.voice' })
      }
      assert.equal((await development.server('GET', '/v1/config')).body.version, 0)
      const off = await development.server('PUT', '/v1/config', { features: { voice: false } })
      assert.equal(off.status, 200)
    })

    test('[CFG-21] [GEN-42] the source in the list is the operator', async () => {
      const { development } = await service.newProject()
      const { body } = await development.server('GET', '/v1/admin/features')
      const voice = body.features.find(({ key }: { key: string }) => key === 'voice')
      assert.deepEqual([voice.source, voice.enabled], ['operator', false])
    })
  })
}

test('[CFG-22] a config pushed on one node applies on the other', async () => {
  const one = await startService('postgres')
  const other = await startService('postgres', { clusterOf: one })
  try {
    const { production } = await one.newProject()
    const onOther = other.withKey(production.secretKey)
    const from = async (origin: string) => (await onOther('GET', '/v1/config', undefined, { origin })).status
    assert.equal(await from('https://b.example'), 200)

    await production.server('PUT', '/v1/config', { web: { allowedOrigins: ['https://a.example'] } })
    assert.deepEqual((await onOther('GET', '/v1/config')).body.version, 1)
    let status = 0
    for (let tries = 0; status !== 403 && tries < 5_000; tries++) status = await from('https://b.example')
    assert.equal(status, 403)
    assert.equal(await from('https://a.example'), 200)
  } finally {
    await other.stop()
    await one.stop()
  }
})
