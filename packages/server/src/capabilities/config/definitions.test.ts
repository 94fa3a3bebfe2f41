import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const PATH = '/v1/gamedata/definitions'

/** Every section, so that the test would find private parts. */
const FULL = {
  resetTimeZone: 'Europe/Berlin',
  audience: 'mixed',
  features: { emailLogin: true, stats: true, statsVerification: true },
  stats: [
    {
      key: 'points',
      title: { en: 'Points', 'pt-BR': 'Pontos', ja: '得点' },
      aggregation: 'max',
      maxPerSubmit: 10,
    },
    { key: 'games' },
  ],
  multiplayer: {
    modes: [
      {
        key: 'duel',
        title: 'Duel',
        minPlayers: 2,
        maxPlayers: 2,
        transport: 'p2p',
        fillTimeoutSeconds: 0,
        gatherSeconds: 5,
      },
    ],
  },
  auth: {
    redirectUrls: ['https://private.example/back'],
    providers: { google: { enabled: true }, x: { enabled: false } },
  },
  web: { allowedOrigins: ['https://private.example'] },
  share: { links: { enabled: true, text: 'private text' } },
  integrity: {
    stats: {
      rules: [{ stat: 'points', min: 0, max: 987_654 }],
      webhook: { url: 'https://private.example/verify' },
    },
  },
  svcNews: { optIn: false },
}

suite('the definitions', {}, ({ service }) => {
  async function newGame(config?: object) {
    const { development, production } = await service.newProject()
    const push = (document: object) => development.server('PUT', '/v1/config', document)
    if (config) assert.equal((await push(config)).status, 200)
    const read = (headers: Record<string, string> = {}) =>
      development.public('GET', PATH, undefined, { origin: 'https://private.example', ...headers })
    return { development, production, push, read }
  }

  test('[STA-17] [CFG-09] definitions contain the public part of the config, with unchanged texts', async () => {
    const { read } = await newGame(FULL)
    assert.deepEqual((await read()).body, {
      configVersion: 1,
      resetTimeZone: 'Europe/Berlin',
      audience: 'mixed',
      features: {
        emailLogin: true,
        saves: false,
        stats: true,
        multiplayer: false,
        realtimeChannels: false,
        voice: false,
        hosting: false,
        statsVerification: true,
      },
      stats: [
        {
          key: 'points',
          title: { en: 'Points', 'pt-BR': 'Pontos', ja: '得点' },
          aggregation: 'max',
          maxPerSubmit: 10,
          source: 'player',
          leaderboard: null,
        },
        {
          key: 'games',
          title: null,
          aggregation: 'sum',
          maxPerSubmit: null,
          source: 'player',
          leaderboard: null,
        },
      ],
      modes: [
        {
          key: 'duel',
          title: 'Duel',
          minPlayers: 2,
          maxPlayers: 2,
          fillTimeoutSeconds: 0,
          gatherSeconds: 5,
          backfillSeconds: null,
          transport: 'p2p',
          p2p: { maxPlayers: 4, relayOnly: true },
        },
      ],
      auth: { email: true, providers: ['google'] },
      share: { images: false, tags: false, links: true, tracking: false, inAppBrowser: false },
      svcNews: { optIn: false },
    })
  })

  test('[STA-17] definitions never contain integrity rules, redirect URLs, origins or texts of posts', async () => {
    const { read } = await newGame(FULL)
    const { body } = await read()
    assert.doesNotMatch(JSON.stringify(body), /private|987654|webhook|rules|redirect|origin/i)
  })

  test('[STA-17] before the first push they are those of version 0', async () => {
    const { read } = await newGame()
    const { body } = await read()
    assert.deepEqual([body.configVersion, body.stats, body.resetTimeZone], [0, [], 'UTC'])
    assert.deepEqual(
      body.modes.map(({ key, maxPlayers }: { key: string; maxPlayers: number }) => [key, maxPlayers]),
      [['default', 8]],
    )
  })

  test('[STA-17] definitions have an ETag: a client that has it gets 304 without a body, until a push changes them', async () => {
    const { read, push } = await newGame({ stats: [{ key: 'points' }] })
    const first = await read()
    const { etag = '' } = first.headers
    assert.match(etag, /^"1-[0-9a-f]{16}"$/)
    assert.equal((await read()).headers['etag'], etag)

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, body, headers } = await read({ 'if-none-match': known })
      assert.deepEqual([status, body, headers['etag']], [304, '', etag])
      assert.equal(headers['access-control-allow-origin'], '*')
    }
    for (const known of ['"other"', etag.slice(1, -1), ''])
      assert.equal((await read({ 'if-none-match': known })).status, 200)
    assert.match(String(first.headers['vary']), /X-Svc-Key/)

    await push({ stats: [{ key: 'games' }] })
    const { status, body, headers } = await read({ 'if-none-match': etag })
    assert.deepEqual([status, body.configVersion], [200, 2])
    assert.notEqual(headers['etag'], etag)
  })

  test('[GEN-37] definitions require a publishable key; a secret key, accepted elsewhere, is rejected', async () => {
    const { development } = await newGame()
    const { status, body } = await development.server('GET', PATH)
    assert.deepEqual([status, body.error.code], [403, 'publishable_key_required'])
    assert.equal((await service.call('GET', PATH)).body.error.code, 'key_required')
    assert.equal((await development.server('POST', '/v1/auth/guest', {})).status, 200)
  })

  test('definitions are those of the environment of the key', async () => {
    const { production, read } = await newGame({ stats: [{ key: 'points' }] })
    assert.equal((await read()).body.stats.length, 1)
    assert.equal((await production.public('GET', PATH)).body.stats.length, 0)
  })
})

test('features that the operator does not offer are off in the definitions, with another ETag', async (t) => {
  const service = await startService('sqlite')
  t.after(service.removeData)
  const { development } = await service.newProject()
  await development.server('PUT', '/v1/config', { features: { stats: true } })
  const offered = await development.public('GET', PATH)
  assert.equal(offered.body.features.stats, true)
  await service.close()

  const again = await startService('sqlite', {
    clusterOf: { ...service, postgres: undefined },
    settings: { SVC_UNAVAILABLE_FEATURES: 'stats' },
  })
  const later = await again.withKey(development.publishableKey)('GET', PATH, undefined, {
    'if-none-match': offered.headers['etag'] ?? '',
  })
  assert.deepEqual([later.status, later.body.features.stats], [200, false])
  await again.stop()
})
