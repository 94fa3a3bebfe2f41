import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Value } from 'typebox/value'

import { FEATURES, PROVIDERS } from '../common/features.ts'
import { fillDefaults } from './defaults.ts'
import { ConfigDocument } from './document.ts'
import { LongText } from './fields.ts'
import { checkConfig } from './rules.ts'

/** Each row of the specification: documents that are valid, at the edge where there is one, and places that are refused. */
type Refused = [place: string, document: unknown]

const places = (document: unknown) =>
  checkConfig(document, { environment: 'production' }).map(({ path, rule }) => `${path} ${rule}`)

function check(row: string, valid: unknown[], refused: Refused[]) {
  test(row, () => {
    for (const document of valid) {
      assert.deepEqual(places(document), [], JSON.stringify(document))
      assert.ok(Value.Check(ConfigDocument, document))
      assert.deepEqual(Object.keys(fillDefaults(document)), Object.keys(fillDefaults({})))
    }
    for (const [place, document] of refused)
      assert.deepEqual(places(document), [place], JSON.stringify(document))
  })
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const each = <T>(place: string, values: T[], make: (value: T) => unknown): Refused[] =>
  values.map((value) => [place, make(value)])

const stat = (fields: object) => ({ stats: [{ key: 'points', ...fields }] })
const mode = (fields: object) => ({ multiplayer: { modes: [{ key: 'duel', ...fields }] } })
const images = (fields: object) => ({ share: { images: fields } })
const tags = (fields: object) => ({ share: { tags: fields } })
const links = (fields: object) => ({ share: { links: fields } })
const webhook = (fields: object) => ({ integrity: { stats: { webhook: fields } } })
const rules = (...rules: object[]) => ({
  stats: [{ key: 'points' }, { key: 'wins' }],
  integrity: { stats: { rules } },
})
const stats = (count: number) => times(count, (index) => ({ key: `s${index}` }))
const allFeatures = (on: boolean) => Object.fromEntries(Object.keys(FEATURES).map((name) => [name, on]))

check(
  '[CFG-03] every section is optional, {} is valid, and only an object is a document',
  [{}, ...['features', 'multiplayer', 'auth', 'web', 'share', 'integrity'].map((name) => ({ [name]: {} }))],
  [
    ...each('$ type', [null, undefined, [], '{}', 1], (document) => document),
    ...each('$.stats type', [null, {}, 'points'], (value) => ({ stats: value })),
    ...each('$.features type', [null, [], true], (value) => ({ features: value })),
  ],
)

check(
  '[CFG-04] an unknown key anywhere is rejected with its path',
  [{ $schema: './svc.config.schema.json' }],
  [
    ['$.fetures unknown_key', { fetures: {} }],
    ['$.features.chat unknown_key', { features: { chat: true } }],
    ['$.features.toString unknown_key', { features: { toString: true } }],
    ['$.stats[0].Title unknown_key', stat({ Title: 'x' })],
    ['$.multiplayer.modes[0].p2p.relay unknown_key', mode({ p2p: { relay: true } })],
    ['$.share.video unknown_key', { share: { video: {} } }],
    ['$["a b"] unknown_key', { 'a b': 1 }],
    ['$.constructor unknown_key', { constructor: 1 }],
    ['$.__proto__ unknown_key', JSON.parse('{"__proto__":{"features":{}}}')],
  ],
)

test('[CFG-05] the CLI knows time zones on Node 20, too, which has no Temporal', () => {
  const original = Object.getOwnPropertyDescriptor(globalThis, 'Temporal')
  assert.ok(original && Reflect.deleteProperty(globalThis, 'Temporal'))
  try {
    assert.deepEqual(places({ resetTimeZone: 'Europe/Berlin' }), [])
    assert.deepEqual(places({ resetTimeZone: 'Mars/Olympus' }), ['$.resetTimeZone time_zone'])
  } finally {
    Object.defineProperty(globalThis, 'Temporal', original)
  }
})

check(
  '[CFG-05] $schema is ignored, version is only 1, resetTimeZone is a known IANA zone',
  [
    { $schema: '' },
    { version: 1 },
    ...['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'US/Pacific', 'CET'].map((zone) => ({
      resetTimeZone: zone,
    })),
  ],
  [
    ['$.$schema type', { $schema: 1 }],
    ...each('$.version choice', [0, 2, '1', null], (version) => ({ version })),
    ...each(
      '$.resetTimeZone time_zone',
      ['Mars/Olympus', '+01:00', '__proto__', 'PST', 'JST', 'BST', 'T00:00Z', 'Z'],
      (zone) => ({ resetTimeZone: zone }),
    ),
    ['$.resetTimeZone length', { resetTimeZone: '' }],
    ['$.resetTimeZone type', { resetTimeZone: 3 }],
  ],
)

check(
  '[CFG-06] a key is lowercase snake_case of at most 48 characters and unique in its section',
  [
    { stats: [{ key: 'a' }, { key: `a${'0_'.repeat(23)}z` }] },
    { stats: [{ key: 'duel' }], multiplayer: { modes: [{ key: 'duel' }] } },
  ],
  [
    ['$.stats[0].key required', { stats: [{}] }],
    ['$.stats[0].key type', { stats: [{ key: 1 }] }],
    ...each(
      '$.stats[0].key pattern',
      ['', 'A', '1a', '_a', 'a-b', 'a b', 'é', 'a\n', 'a'.repeat(49)],
      (key) => ({
        stats: [{ key }],
      }),
    ),
    ['$.stats[2].key duplicate', { stats: [{ key: 'a' }, { key: 'b' }, { key: 'a' }] }],
    ['$.multiplayer.modes[1].key duplicate', { multiplayer: { modes: [{ key: 'a' }, { key: 'a' }] } }],
  ],
)

const board = (leaderboard: object, more: object = {}) => ({ ...stat({ leaderboard }), ...more })
const verified = {
  features: { stats: true, statsVerification: true },
  ...webhook({ url: 'https://a.example/verify' }),
}
const boards = (count: number) => ({
  stats: times(count, (index) => ({ key: `s${index}`, leaderboard: {} })),
})

check(
  '[LDB-01] a leaderboard has one to four periods, an order, and verifiedOnly only with a webhook; there are at most 32',
  [
    board({}),
    board({ periods: ['monthly', 'weekly', 'daily', 'allTime'], order: 'asc', verifiedOnly: false }),
    board({ order: 'desc', verifiedOnly: true }, verified),
    boards(32),
  ],
  [
    ['$.stats[0].leaderboard type', board([])],
    ['$.stats[0].leaderboard.period unknown_key', board({ period: 'daily' })],
    ['$.stats[0].leaderboard.periods length', board({ periods: [] })],
    ['$.stats[0].leaderboard.periods[0] choice', board({ periods: ['hourly'] })],
    ['$.stats[0].leaderboard.periods[1] duplicate', board({ periods: ['daily', 'daily'] })],
    [
      '$.stats[0].leaderboard.periods too_many',
      board({ periods: ['monthly', 'weekly', 'daily', 'allTime', 'daily'] }),
    ],
    ['$.stats[0].leaderboard.order choice', board({ order: 'up' })],
    ['$.stats[0].leaderboard.verifiedOnly type', board({ verifiedOnly: 1 })],
    ['$.stats[0].leaderboard.verifiedOnly requires', board({ verifiedOnly: true })],
    [
      '$.stats[0].leaderboard.verifiedOnly requires',
      board({ verifiedOnly: true }, { features: verified.features }),
    ],
    [
      '$.stats[0].leaderboard.verifiedOnly requires',
      board({ verifiedOnly: true }, { integrity: verified.integrity }),
    ],
    ['$.stats[32].leaderboard too_many', boards(33)],
  ],
)

check(
  '[CFG-07] a text is a string of 1 to 120 characters, or a map of language code to such a string',
  [
    stat({ title: 'x' }),
    stat({ title: '😀'.repeat(120) }),
    ...['en', 'ja', 'pt-BR', 'zh-Hant', 'zh-Hant-TW', 'es-419', 'fil'].map((code) =>
      stat({ title: { [code]: 'x' } }),
    ),
  ],
  [
    ...each('$.stats[0].title length', ['', 'x'.repeat(121), '😀'.repeat(121), {}], (title) =>
      stat({ title }),
    ),
    ...each('$.stats[0].title type', [7, null, ['x'], true], (title) => stat({ title })),
    ['$.stats[0].title.en length', stat({ title: { en: '' } })],
    ['$.stats[0].title.en type', stat({ title: { en: 1 } })],
    ['$.stats[0].title["pt-BR"] length', stat({ title: { 'pt-BR': 'x'.repeat(121) } })],
    ['$.stats[0].title.english unknown_key', stat({ title: { english: 'x' } })],
    ['$.stats[0].title.EN unknown_key', stat({ title: { EN: 'x' } })],
    ['$.stats[0].title["pt-br"] unknown_key', stat({ title: { 'pt-br': 'x' } })],
    ['$.stats[0].title[""] unknown_key', stat({ title: { '': 'x' } })],
  ],
)

test('[CFG-07] a long text has up to 500 characters', () => {
  assert.ok(Value.Check(LongText, 'x'.repeat(500)))
  assert.ok(!Value.Check(LongText, 'x'.repeat(501)))
})

check(
  '[CFG-08] features are booleans; voice requires realtimeChannels, statsVerification requires stats',
  [{ features: allFeatures(true) }, { features: allFeatures(false) }],
  [
    ['$.features.saves type', { features: { saves: 'yes' } }],
    ['$.features.voice requires', { features: { voice: true } }],
    ['$.features.voice requires', { features: { voice: true, realtimeChannels: false } }],
    ['$.features.statsVerification requires', { features: { statsVerification: true } }],
  ],
)

check(
  '[CFG-09] up to 128 stats, with an aggregation and a largest value above 0',
  [
    { stats: stats(128) },
    ...['sum', 'max', 'min', 'latest'].map((aggregation) => stat({ aggregation })),
    stat({ maxPerSubmit: 0.001 }),
  ],
  [
    ['$.stats too_many', { stats: stats(129) }],
    ['$.stats[0] type', { stats: ['points'] }],
    ['$.stats[0].aggregation choice', stat({ aggregation: 'avg' })],
    ...each('$.stats[0].maxPerSubmit range', [0, -1], (maxPerSubmit) => stat({ maxPerSubmit })),
    ...each('$.stats[0].maxPerSubmit type', ['5', Infinity, null], (maxPerSubmit) => stat({ maxPerSubmit })),
  ],
)

check(
  '[CFG-10] up to 16 modes of 1 to 64 players, minPlayers never above maxPlayers',
  [
    { multiplayer: { modes: stats(16) } },
    mode({ minPlayers: 1, maxPlayers: 1 }),
    mode({ minPlayers: 64, maxPlayers: 64 }),
    mode({ minPlayers: 4 }),
    mode({ fillTimeoutSeconds: 0 }),
    mode({ fillTimeoutSeconds: 300 }),
    mode({ gatherSeconds: 0, backfillSeconds: 0 }),
    mode({ gatherSeconds: 60, backfillSeconds: 86_400 }),
    mode({ transport: 'server', p2p: { maxPlayers: 2, relayOnly: false }, minPlayers: 4 }),
  ],
  [
    ['$.multiplayer.modes too_many', { multiplayer: { modes: stats(17) } }],
    ['$.multiplayer.modes[0].minPlayers range', mode({ minPlayers: 0 })],
    ['$.multiplayer.modes[0].minPlayers type', mode({ minPlayers: 2.5 })],
    ['$.multiplayer.modes[0].maxPlayers range', mode({ maxPlayers: 65 })],
    ['$.multiplayer.modes[0].minPlayers players', mode({ minPlayers: 5 })],
    ['$.multiplayer.modes[0].minPlayers players', mode({ minPlayers: 64, maxPlayers: 63 })],
    ['$.multiplayer.modes[0].maxPlayers players', mode({ maxPlayers: 1 })],
    ...each('$.multiplayer.modes[0].fillTimeoutSeconds range', [-1, 301], (fillTimeoutSeconds) =>
      mode({ fillTimeoutSeconds }),
    ),
    ...each('$.multiplayer.modes[0].gatherSeconds range', [-1, 61], (gatherSeconds) =>
      mode({ gatherSeconds }),
    ),
    ...each('$.multiplayer.modes[0].backfillSeconds range', [-1, 86_401], (backfillSeconds) =>
      mode({ backfillSeconds }),
    ),
    ...each('$.multiplayer.modes[0].backfillSeconds type', [null, '0', 1.5], (backfillSeconds) =>
      mode({ backfillSeconds }),
    ),
    ['$.multiplayer.modes[0].transport choice', mode({ transport: 'udp' })],
    ...each('$.multiplayer.modes[0].p2p.maxPlayers range', [1, 9], (maxPlayers) =>
      mode({ p2p: { maxPlayers } }),
    ),
    ['$.multiplayer.modes[0].p2p.relayOnly type', mode({ p2p: { relayOnly: 1 } })],
  ],
)

check(
  '[CFG-11] in p2p modes minPlayers must not exceed p2p.maxPlayers',
  [
    mode({ transport: 'p2p', minPlayers: 8, maxPlayers: 64, p2p: { maxPlayers: 8 } }),
    mode({ transport: 'p2p', minPlayers: 4, maxPlayers: 8 }),
    mode({ transport: 'p2p', p2p: { maxPlayers: 2 } }),
  ],
  [
    ['$.multiplayer.modes[0].minPlayers players', mode({ transport: 'p2p', minPlayers: 5, maxPlayers: 8 })],
    [
      '$.multiplayer.modes[0].minPlayers players',
      mode({ transport: 'p2p', minPlayers: 3, p2p: { maxPlayers: 2 } }),
    ],
  ],
)

const room = (fields: object) => mode({ room: { class: 'Arena', ...fields } })

check(
  '[RWC-20] a mode may name the class that runs its rooms, with finishMinutes 0–240 and keepDays 1–30, not with p2p',
  [
    room({}),
    ...['a', '_', '$', 'Arena2_$', 'A'.repeat(64)].map((name) => room({ class: name })),
    ...[0, 30, 240].map((finishMinutes) => room({ finishMinutes })),
    ...[1, 30].map((keepDays) => room({ keepDays })),
    mode({ transport: 'server', room: { class: 'Arena' } }),
  ],
  [
    ['$.multiplayer.modes[0].room.class required', mode({ room: {} })],
    ['$.multiplayer.modes[0].room type', mode({ room: 'Arena' })],
    ['$.multiplayer.modes[0].room.tickRate unknown_key', room({ tickRate: 20 })],
    ...each('$.multiplayer.modes[0].room.class pattern', ['', '2d', 'a-b', 'a.b', 'A'.repeat(65)], (name) =>
      room({ class: name }),
    ),
    ...each('$.multiplayer.modes[0].room.finishMinutes range', [-1, 241], (finishMinutes) =>
      room({ finishMinutes }),
    ),
    ['$.multiplayer.modes[0].room.finishMinutes type', room({ finishMinutes: 0.5 })],
    ...each('$.multiplayer.modes[0].room.keepDays range', [0, 31], (keepDays) => room({ keepDays })),
    ['$.multiplayer.modes[0].room.keepDays type', room({ keepDays: null })],
    ['$.multiplayer.modes[0].room requires', mode({ transport: 'p2p', room: { class: 'Arena' } })],
  ],
)

const urls = (count: number) => times(count, (index) => `https://app${index}.example.com`)

check(
  '[CFG-12] up to 32 redirectUrls, providers that are switched, and no credentials in the file',
  [
    { auth: { redirectUrls: urls(32) } },
    { auth: { providers: Object.fromEntries(PROVIDERS.map((name) => [name, { enabled: true }])) } },
  ],
  [
    ['$.auth.redirectUrls too_many', { auth: { redirectUrls: urls(33) } }],
    ['$.auth.redirectUrls type', { auth: { redirectUrls: 'https://app.example.com' } }],
    ['$.auth.redirectUrls[0] type', { auth: { redirectUrls: [5] } }],
    ['$.auth.redirectUrls[0] length', { auth: { redirectUrls: [''] } }],
    ['$.auth.redirectUrls[0] length', { auth: { redirectUrls: [`https://a.example/${'a'.repeat(2048)}`] } }],
    ['$.auth.providers.github unknown_key', { auth: { providers: { github: { enabled: true } } } }],
    ['$.auth.providers.google type', { auth: { providers: { google: true } } }],
    ['$.auth.providers.x.clientSecret unknown_key', { auth: { providers: { x: { clientSecret: 's' } } } }],
  ],
)

check(
  '[CFG-13] up to 32 allowedOrigins',
  [{ web: { allowedOrigins: urls(32) } }],
  [
    ['$.web.allowedOrigins too_many', { web: { allowedOrigins: urls(33) } }],
    [
      '$.web.allowedOrigins[1] origin',
      { web: { allowedOrigins: ['https://a.example', 'https://b.example/'] } },
    ],
    ['$.web.allowedOrigins[0] type', { web: { allowedOrigins: [null] } }],
  ],
)

check(
  '[CFG-14] audience is general, mixed or kids',
  ['general', 'mixed', 'kids'].map((audience) => ({ audience })),
  each('$.audience choice', ['adults', ['kids'], null], (audience) => ({ audience })),
)

check(
  '[CFG-15] share tools, with their texts, colors, paths and handles',
  [
    images({ enabled: true, title: 'x'.repeat(60), background: 'art/card.png', font: 'art/font.ttf' }),
    images({ theme: { background: '#0F1115', accent: '#ffcc33', text: '#ffffff' } }),
    tags({
      enabled: true,
      title: 'x',
      description: { en: 'x' },
      imageAlt: 'x',
      image: 'a.png',
      site: '@stars',
    }),
    links({
      enabled: true,
      text: { ja: 'x'.repeat(200) },
      hashtags: times(5, (index) => `t${index}`),
      via: 'stars',
    }),
    { share: { tracking: { enabled: true }, inAppBrowser: { enabled: true } } },
  ],
  [
    ['$.share.images.enabled type', images({ enabled: 1 })],
    ['$.share.images.title length', images({ title: 'x'.repeat(61) })],
    ['$.share.images.theme.border unknown_key', images({ theme: { border: '#ffffff' } })],
    ...each('$.share.images.theme.text pattern', ['red', '#fff', '#fffffg', 'ffffff'], (text) =>
      images({ theme: { text } }),
    ),
    ...['title', 'description', 'imageAlt'].map((name): Refused => [
      `$.share.tags.${name} length`,
      tags({ [name]: 'x'.repeat(121) }),
    ]),
    ['$.share.tags.image url', tags({ image: 'http://cdn.example.com/card.png' })],
    ['$.share.links.text length', links({ text: 'x'.repeat(201) })],
    ['$.share.links.hashtags too_many', links({ hashtags: times(6, (index) => `t${index}`) })],
    ['$.share.tracking type', { share: { tracking: true } }],
  ],
)

check(
  '[CFG-16] handles, hashtags and deployment paths have their form',
  [
    ...['a', '@a', '@Star_Duel_12345', 'x'.repeat(15)].map((via) => links({ via })),
    ...['stars', '#stars', '星', 'été_2026', 'हिन्दी', 'x'.repeat(50)].map((hashtag) =>
      links({ hashtags: [hashtag] }),
    ),
    ...['card.png', 'art/card.png', '.well-known/x', 'a..b/c', 'ä b.png', 'x'.repeat(512)].map((background) =>
      images({ background }),
    ),
  ],
  [
    ...each('$.share.links.via pattern', ['', '@', 'a-b', '@@a', 'x'.repeat(16)], (via) => links({ via })),
    ...each('$.share.tags.site pattern', ['https://x.com/a', 'é'], (site) => tags({ site })),
    ...each('$.share.links.hashtags[0] pattern', ['', '#', '##a', 'a b', 'a-b', 'x'.repeat(51)], (hashtag) =>
      links({ hashtags: [hashtag] }),
    ),
    ...each(
      '$.share.images.background pattern',
      ['', '/card.png', '../card.png', 'a/../b', 'a/..', '..', './a', 'a//b', 'a/', 'a\\b', 'a\u0000'],
      (background) => images({ background }),
    ),
    ['$.share.images.font length', images({ font: 'x'.repeat(513) })],
  ],
)

check(
  '[CFG-17] integrity.stats has its limits, and its webhook is https',
  [
    ...[1, 600].map((maxSubmitsPerMinute) => ({ integrity: { stats: { maxSubmitsPerMinute } } })),
    ...[100, 5000].map((timeoutMs) => webhook({ timeoutMs })),
    ...['accept', 'reject'].map((onFailure) => webhook({ onFailure })),
    webhook({ url: 'https://api.example.com/verify' }),
  ],
  [
    ...each('$.integrity.stats.maxSubmitsPerMinute range', [0, 601], (maxSubmitsPerMinute) => ({
      integrity: { stats: { maxSubmitsPerMinute } },
    })),
    ...each('$.integrity.stats.webhook.timeoutMs range', [99, 5001], (timeoutMs) => webhook({ timeoutMs })),
    ['$.integrity.stats.webhook.onFailure choice', webhook({ onFailure: 'retry' })],
    ['$.integrity.stats.webhook.secret unknown_key', webhook({ secret: 'x' })],
    ['$.integrity.stats.webhook.url url', webhook({ url: 'http://localhost:3000' })],
  ],
)

check(
  '[CFG-18] up to 128 rules, each for a defined stat, once, its min not above its max; inactive without statsVerification',
  [
    rules({ stat: 'points', min: 0, max: 0 }, { stat: 'wins' }),
    {
      stats: stats(128),
      integrity: { stats: { rules: stats(128).map(({ key }) => ({ stat: key, min: -1.5 })) } },
    },
  ],
  [
    ['$.integrity.stats.rules[0].stat required', rules({})],
    ['$.integrity.stats.rules[0].stat undefined_stat', rules({ stat: 'losses' })],
    ['$.integrity.stats.rules[1].stat duplicate', rules({ stat: 'wins' }, { stat: 'wins' })],
    ['$.integrity.stats.rules[0].min range', rules({ stat: 'wins', min: 2, max: 1 })],
    ['$.integrity.stats.rules[0].min type', rules({ stat: 'wins', min: '0' })],
    [
      '$.integrity.stats.rules too_many',
      { stats: stats(128), integrity: { stats: { rules: stats(129).map(({ key }) => ({ stat: key })) } } },
    ],
  ],
)

check(
  '[CFG-19] svcNews.optIn is a boolean',
  [{ svcNews: {} }, { svcNews: { optIn: false } }, { svcNews: { optIn: true } }],
  [
    ['$.svcNews.optIn type', { svcNews: { optIn: 'no' } }],
    ['$.svcNews type', { svcNews: false }],
  ],
)
