import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fillDefaults, localized } from './defaults.ts'
import { ConfigDocument } from './document.ts'
import { switchedAt, SWITCHES } from './switches.ts'

test('[CFG-03] [CFG-08] [CFG-14] [CFG-15] {} turns everything off', () => {
  const config = fillDefaults({})
  assert.ok(Object.values(config.features).every((on) => on === false))
  assert.ok(Object.values(config.auth.providers).every(({ enabled }) => !enabled))
  assert.ok(Object.values(config.share).every(({ enabled }) => !enabled))
  assert.equal(config.audience, 'general')
  assert.deepEqual(config.web.allowedOrigins, [])
})

test('the defaults in the schema for editors are those that are filled in', () => {
  const config = fillDefaults({
    stats: [{ key: 'points', leaderboard: {} }],
    multiplayer: { modes: [{ key: 'duel', room: { class: 'Arena' } }] },
  })
  const notFilled = new Set(['$.version', '$.stats'])
  const received = defaultsIn(ConfigDocument, config, '$').filter(({ path }) => !notFilled.has(path))
  assert.ok(received.length >= 35)
  for (const { path, byDefault, filled } of received) assert.deepEqual(filled, byDefault, path)
})

type Shape = { default?: unknown; properties?: Record<string, Shape>; items?: Shape }
type Told = { path: string; byDefault: unknown; filled: unknown }

function defaultsIn(schema: object, filled: unknown, path: string): Told[] {
  const { default: byDefault, properties = {}, items } = schema as Shape
  const field = (name: string) => (filled as Record<string, unknown> | undefined)?.[name]
  return [
    ...(byDefault === undefined ? [] : [{ path, byDefault, filled }]),
    ...Object.entries(properties).flatMap(([name, shape]) =>
      defaultsIn(shape, field(name), `${path}.${name}`),
    ),
    ...(items && Array.isArray(filled) && filled.length > 0
      ? defaultsIn(items, filled[0], `${path}[0]`)
      : []),
  ]
}

test('[CFG-10] without modes there is the mode default for 2 to 8 players; once one is defined, only those', () => {
  const [builtIn, ...others] = fillDefaults({ multiplayer: { modes: [] } }).multiplayer.modes
  assert.deepEqual(others, [])
  assert.equal(builtIn?.key, 'default')
  assert.deepEqual([builtIn?.minPlayers, builtIn?.maxPlayers, builtIn?.fillTimeoutSeconds], [2, 8, 15])

  const defined = fillDefaults({ multiplayer: { modes: [{ key: 'duel' }] } }).multiplayer.modes
  assert.deepEqual(
    defined.map(({ key }) => key),
    ['duel'],
  )
})

test('[CFG-11] in p2p modes maxPlayers is capped to p2p.maxPlayers', () => {
  const maxPlayersOf = (mode: object) =>
    fillDefaults({ multiplayer: { modes: [{ key: 'duel', ...mode }] } }).multiplayer.modes[0]?.maxPlayers
  assert.equal(maxPlayersOf({ transport: 'p2p', maxPlayers: 64, p2p: { maxPlayers: 8 } }), 8)
  assert.equal(maxPlayersOf({ transport: 'p2p', maxPlayers: 64 }), 4)
  assert.equal(maxPlayersOf({ transport: 'p2p', maxPlayers: 3 }), 3)
  assert.equal(maxPlayersOf({ maxPlayers: 64, p2p: { maxPlayers: 8 } }), 64)
})

test('[RWC-20] rooms keep their version for 30 minutes after a deploy, unless the mode says otherwise', () => {
  const roomOf = (mode: object) =>
    fillDefaults({ multiplayer: { modes: [{ key: 'duel', ...mode }] } }).multiplayer.modes[0]?.room
  assert.equal(roomOf({}), undefined)
  assert.deepEqual(roomOf({ room: { class: 'Arena' } }), { class: 'Arena', finishMinutes: 30 })
  const own = { class: 'Arena', finishMinutes: 0, keepDays: 3 }
  assert.deepEqual(roomOf({ room: own }), own)
})

test('[CFG-16] handles lose their @ and hashtags their #', () => {
  const { share } = fillDefaults({
    share: { tags: { site: '@stars' }, links: { via: 'stars', hashtags: ['#duel', 'win'] } },
  })
  assert.equal(share.tags.site, 'stars')
  assert.equal(share.links.via, 'stars')
  assert.deepEqual(share.links.hashtags, ['duel', 'win'])
})

test('[CFG-19] [NWS-02] svcNews.optIn is on by default, off per app, and never on for kids', () => {
  assert.equal(fillDefaults({}).svcNews.optIn, true)
  assert.equal(fillDefaults({ svcNews: { optIn: false } }).svcNews.optIn, false)
  assert.equal(fillDefaults({ audience: 'mixed' }).svcNews.optIn, true)
  assert.equal(fillDefaults({ audience: 'kids', svcNews: { optIn: true } }).svcNews.optIn, false)
})

test('[CFG-07] a text is looked up by exact code, then base language, then en, then the first', () => {
  const text = { ja: 'ja', en: 'en', pt: 'pt', 'pt-BR': 'pt-BR' }
  assert.equal(localized(text, 'pt-BR'), 'pt-BR')
  assert.equal(localized(text, 'pt-PT'), 'pt')
  assert.equal(localized(text, 'fr'), 'en')
  assert.equal(localized({ ja: 'ja', de: 'de' }, 'fr'), 'ja')
  assert.equal(localized({ ja: 'ja' }, 'constructor'), 'ja')
  assert.equal(localized('one for all', 'fr'), 'one for all')
})

test('[CFG-21] [GEN-41] 19 switches, each at the path the specification writes', () => {
  assert.equal(SWITCHES.length, 8 + 4 + 5 + 2)
  const config = fillDefaults({})
  const states = Object.fromEntries(SWITCHES.map((feature) => [feature.key, switchedAt(config, feature)]))
  const { functions, svcNews, ...others } = states
  assert.equal(functions, undefined)
  assert.equal(svcNews, true)
  assert.ok(Object.values(others).every((on) => on === false))

  const paths = SWITCHES.map(({ configPath }) => configPath)
  for (const path of [
    'features.saves',
    'auth.providers.google.enabled',
    'share.links.enabled',
    'svcNews.optIn',
  ]) {
    assert.ok(paths.includes(path), path)
  }
})
