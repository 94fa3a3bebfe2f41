import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import fc from 'fast-check'
import { Value } from 'typebox/value'

import { anyCharacter } from '../../../server/src/testing/any-character.ts'
import { FEATURES } from '../common/features.ts'
import { ConfigDocument } from './document.ts'
import { checkConfig } from './rules.ts'
import { validParts } from './shape.ts'

const problemsOf = (document: unknown) => checkConfig(document, { environment: 'production' })
const places = (document: unknown) => problemsOf(document).map(({ path, rule }) => `${path} ${rule}`)
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))

test('[CFG-02] all errors are reported together, each with its JSON path and a message', () => {
  const document = {
    features: { voise: true, voice: true },
    stats: [{ key: 'points' }, { key: 'points' }, { title: 3 }],
    multiplayer: { modes: [{ key: 'duel', minPlayers: 5, maxPlayers: 4 }] },
    audiance: 'kids',
  }
  assert.deepEqual(
    problemsOf(document).map(({ path, message, rule }) => [rule, path, message]),
    [
      ['unknown_key', '$.features.voise', 'unknown feature "voise"; did you mean "voice"?'],
      ['required', '$.stats[2].key', 'is required'],
      ['type', '$.stats[2].title', 'must be a text, or one text per language code, not 3'],
      ['unknown_key', '$.audiance', 'unknown key "audiance"; did you mean "audience"?'],
      ['requires', '$.features.voice', 'requires features.realtimeChannels'],
      ['duplicate', '$.stats[1].key', '"points" is a duplicate'],
      ['players', '$.multiplayer.modes[0].minPlayers', '5 must not exceed maxPlayers 4'],
    ],
  )
})

test('[CFG-04] an unknown feature name that resembles none is reported with the list of known names', () => {
  const [problem] = problemsOf({ features: { leaderboards: true } })
  const known = Object.keys(FEATURES).join(', ')
  assert.equal(problem?.message, `unknown feature "leaderboards"; known here: ${known}`)
})

test('the example of the guide is valid, in production too', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/config.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n([^`]+)```/.exec(guide) ?? []
  assert.deepEqual(problemsOf(JSON.parse(example)), [])
})

/** Names of the document, and names that every object has. */
const NAMES =
  `$schema version resetTimeZone audience features stats multiplayer modes auth web share integrity svcNews key title
  rules stat webhook url redirectUrls en allowedOrigins providers google enabled images tags links hashtags theme image p2p
  minPlayers maxPlayers transport min max saves voice optIn __proto__ constructor toString hasOwnProperty`.split(
    /\s+/,
  )
const VALUES = [
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  1.5,
  1e308,
  '',
  'p2p',
  'points',
  'https://a.example/*',
  '😀',
  '\u0000',
]

const { anyJson } = fc.letrec((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...VALUES),
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    fc.double(),
    fc.array(tie('anyJson'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('anyJson'), { maxKeys: 8 }),
  ),
}))

test('no value makes the rules throw, and every problem has a path, a message and a rule', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })
  fc.assert(
    fc.property(fc.oneof(anyJson, anything), (document) => {
      for (const { path, message, rule } of problemsOf(document)) {
        assert.ok(path.startsWith('$') && message.length > 0 && rule.length > 0)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('a document is rejected exactly when a validator of the schema for editors rejects it', () => {
  fc.assert(
    fc.property(anyJson, (document) => {
      let fits = true
      validParts(ConfigDocument, document, '$', () => (fits = false))
      assert.equal(fits, Value.Check(ConfigDocument, document))
    }),
    { numRuns: 3_000 },
  )
})

test('a huge document is answered with a bounded list', () => {
  const manyKeys = Object.fromEntries(times(50_000, (index) => [`k${index}`, index]))
  const document = {
    ...manyKeys,
    features: manyKeys,
    share: manyKeys,
    stats: times(50_000, () => ({ key: 'A', titel: manyKeys })),
    auth: { redirectUrls: times(50_000, () => 'a'.repeat(10)) },
    web: { allowedOrigins: [`https://${'a.'.repeat(1_000)}`, `https://${'*.'.repeat(500)}x`] },
  }
  assert.equal(problemsOf(document).length, 500)
})

test('deep nesting and long texts are rejected without reading them to the end', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
  const long = 'a/'.repeat(500_000)
  assert.deepEqual(places({ stats: deep }), ['$.stats[0] type'])
  assert.deepEqual(places({ audience: deep, features: { saves: deep } }), [
    '$.audience choice',
    '$.features.saves type',
  ])
  assert.deepEqual(places({ share: { images: { font: long } }, stats: [{ key: long }] }), [
    '$.share.images.font length',
    '$.stats[0].key pattern',
  ])
  const received = problemsOf({
    [long]: 1,
    stats: [{ key: 'a' }],
    integrity: { stats: { rules: [{ stat: long }] } },
  })
  assert.ok(received.every(({ path, message }) => path.length + message.length < 400))
})
