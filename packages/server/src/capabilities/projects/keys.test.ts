import assert from 'node:assert/strict'
import { test } from 'node:test'

import { systemRandom } from '../../platform/random.ts'
import type { Answer } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { isKeyText, newKeyText } from './key-text.ts'

test('[GEN-39] a key ends in a checksum, so typing errors are detected without the database', () => {
  const key = newKeyText(systemRandom, 'secret', 'production')
  assert.match(key, /^sk_prod_[A-Za-z0-9]{32}$/)
  assert.ok(isKeyText(key))
  assert.ok(!isKeyText(key.replace('prod', 'dev')))
  assert.ok(!isKeyText(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`))
})

suite('keys', {}, ({ service }) => {
  test('[DEV-13] characters that change the text direction are removed from the label of a key', async () => {
    const { developer, production } = await service.newProject()
    const label = async (text: string) =>
      (await developer.call('POST', `${production.path}/keys`, { type: 'secret', label: text })).body.key
        .label
    assert.equal(await label('C\u202eI\u2066'), 'CI')
    assert.equal(await label('\u202e'), null)
  })

  test('[DSH-13] keys show who created them, and their label can be changed', async () => {
    const project = await service.newProject()
    const { developer, development } = project
    const keys = async () => (await developer.call('GET', `${development.path}/keys`)).body.keys
    const by = { type: 'developer', id: developer.id, label: developer.email }
    const [first] = await keys()
    assert.deepEqual([first.createdBy, first.label], [by, null])
    const path = `/v1/projects/${project.id}/keys/${first.id}`

    const { body } = await developer.call('PATCH', path, { label: '  CI\u202e ' })
    assert.equal(body.key.label, 'CI')
    assert.equal((await keys())[0].label, 'CI')
    await developer.call('PATCH', path, { label: 'CI' })
    assert.equal((await developer.call('PATCH', path, { label: '' })).body.key.label, null)
    const { entries } = (await developer.call('GET', `/v1/projects/${project.id}/audit`)).body
    assert.deepEqual(
      entries
        .slice(0, 3)
        .map(({ action, details }: { action: string; details: object }) => [action, details]),
      [
        ['key.relabel', { before: 'CI', after: null }],
        ['key.relabel', { before: null, after: 'CI' }],
        ['project.create', { name: project.name, slug: project.slug }],
      ],
      'the same label is not a change',
    )

    assert.equal((await developer.call('PATCH', path, { label: 'x'.repeat(60) })).status, 200)
    assert.equal((await developer.call('PATCH', path, { label: 'x'.repeat(61) })).status, 400)
    const other = await service.newProject()
    for (const [call, id] of [
      [developer.call, other.keys[0]?.id],
      [developer.call, 'key_nothing'],
    ] as const)
      assert.equal(
        (await call('PATCH', `/v1/projects/${project.id}/keys/${id}`, { label: 'x' })).body.error.code,
        'key_not_found',
      )
    await developer.call('DELETE', path)
    assert.equal((await developer.call('PATCH', path, { label: 'x' })).body.error.code, 'key_not_found')
  })

  test('[DEV-13] a new key works together with the old one, is shown once, and a revocation applies immediately', async () => {
    const project = await service.newProject()
    const { call } = project.developer
    const { body } = await call('POST', `${project.production.path}/keys`, { type: 'secret', label: 'CI' })
    assert.equal(body.key.label, 'CI')
    assert.equal(body.key.last4, body.plaintext.slice(-4))

    const withNew = service.withKey(body.plaintext)
    assert.equal((await withNew('GET', '/v1/config')).status, 200)
    assert.equal((await project.production.server('GET', '/v1/config')).status, 200)

    assert.deepEqual((await call('DELETE', `/v1/projects/${project.id}/keys/${body.key.id}`)).body, {
      deleted: true,
    })
    assert.equal((await withNew('GET', '/v1/config')).body.error.code, 'invalid_key')
    assert.equal((await project.production.server('GET', '/v1/config')).status, 200)
    assert.equal(
      (await call('DELETE', `/v1/projects/${project.id}/keys/${body.key.id}`)).body.error.code,
      'key_not_found',
    )
  })

  test('[DEV-13] [DSH-13] a publishable key is shown in the list again, a secret key never', async () => {
    const project = await service.newProject()
    const { call } = project.developer
    const { path, publishableKey } = project.production
    const { body: publishable } = await call('POST', `${path}/keys`, { type: 'publishable' })
    const { body: secret } = await call('POST', `${path}/keys`, { type: 'secret' })

    const listed = await call('GET', `${path}/keys`)
    const shown = listed.body.keys.map(({ plaintext }: { plaintext: string | null }) => plaintext)
    assert.deepEqual(new Set(shown), new Set([publishable.plaintext, publishableKey, null]))
    assert.equal(publishable.key.plaintext, publishable.plaintext)
    assert.equal(secret.key.plaintext, null)
    const overview = await call('GET', `${path}/overview`)
    assert.ok(JSON.stringify(overview.body.keys).includes(publishableKey))
    for (const { body } of [listed, overview]) {
      assert.ok(!JSON.stringify(body).includes(secret.plaintext))
      assert.ok(!JSON.stringify(body).includes('sk_'))
    }
  })

  test("[GEN-23] a key of another developer's project cannot be revoked and answers like an unknown one", async () => {
    const theirs = await service.newProject()
    const mine = await service.newProject()
    const answer = await mine.developer.call('DELETE', `/v1/projects/${mine.id}/keys/${theirs.keys[0]?.id}`)
    const unknown = await mine.developer.call('DELETE', `/v1/projects/${mine.id}/keys/key_unknown`)
    assert.deepEqual([answer.status, answer.body], [unknown.status, unknown.body])
    assert.equal((await theirs.development.server('GET', '/v1/config')).status, 200)
  })

  test('[DEV-13] an environment has at most 50 live keys, also with concurrent creation', async () => {
    const project = await service.newProject()
    const { path } = project.development
    /** They wait for each other; on a busy machine the last ones are told to try again. */
    async function make(): Promise<Answer> {
      const answer = await project.developer.call('POST', `${path}/keys`, { type: 'publishable' })
      return answer.status === 503 ? make() : answer
    }
    const answers = await Promise.all(Array.from({ length: 50 }, make))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.deepEqual(
      refused.map(({ body }) => body.error.code),
      ['too_many_keys', 'too_many_keys'],
    )
    assert.equal((await project.developer.call('GET', `${path}/keys`)).body.keys.length, 50)
  })

  test('a key shows when it was last used', async () => {
    const project = await service.newProject()
    await project.development.server('GET', '/v1/config')
    await service.everyMinute()
    const { body } = await project.developer.call('GET', `${project.development.path}/keys`)
    const lastUsed = body.keys.map(({ type, lastUsedAt }: { type: string; lastUsedAt: string | null }) => [
      type,
      lastUsedAt,
    ])
    assert.deepEqual(lastUsed, [
      ['publishable', null],
      ['secret', service.clock.now().toISOString()],
    ])
  })

  test('[GEN-34] [GEN-35] [GEN-33] no key, an unknown key and a key of the wrong kind have different errors', async () => {
    const project = await service.newProject()
    const code = async (headers: Record<string, string>) =>
      (await service.call('GET', '/v1/config', undefined, headers)).body.error?.code
    assert.equal(await code({}), 'key_required')
    assert.equal(await code({ 'x-svc-key': '' }), 'key_required')
    assert.equal(await code({ 'x-svc-key': 'sk_dev_nonsense' }), 'invalid_key')
    assert.equal(
      await code({ 'x-svc-key': newKeyText(systemRandom, 'secret', 'development') }),
      'invalid_key',
    )
    assert.equal(await code({ 'x-svc-key': project.development.publishableKey }), 'secret_key_required')

    const developerSide = `${project.development.path}/config`
    assert.equal((await service.call('GET', developerSide)).body.error.code, 'unauthorized')
    assert.equal(
      (await project.development.server('GET', developerSide)).body.error.code,
      'developer_session_required',
    )
    assert.equal((await service.withToken('kds_wrong')('GET', developerSide)).body.error.code, 'unauthorized')
  })

  test('[GEN-24] the key of one environment never reaches the other', async () => {
    const project = await service.newProject()
    await project.development.server('PUT', '/v1/config', { features: { saves: true } })
    assert.equal((await project.development.server('GET', '/v1/config')).body.version, 1)
    assert.equal((await project.production.server('GET', '/v1/config')).body.version, 0)
  })

  test('[GEN-47] a secret key sent from a browser is accepted with a warning, and recorded in the audit log once a day', async () => {
    const project = await service.newProject()
    const fromPage = () =>
      project.production.server('GET', '/v1/config', undefined, { origin: 'https://game.example' })
    const answers = [await fromPage(), await fromPage()]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.match(answers[0]?.headers['warning'] ?? '', /secret key/)

    const { body } = await project.developer.call('GET', `/v1/projects/${project.id}/audit`)
    const received = body.entries.filter(({ action }: { action: string }) => action === 'key.used_in_browser')
    assert.equal(received.length, 1)
    assert.deepEqual(received[0].details, { origin: 'https://game.example' })
  })
})
