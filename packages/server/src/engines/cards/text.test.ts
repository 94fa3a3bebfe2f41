import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import * as fc from 'fast-check'

import { cjkFont } from '../../testing/card-pictures.ts'
import { runs } from '../../testing/runs.ts'
import { type Coverage, coverageOf } from './font-coverage.ts'
import { interCoverage, subsetsFor } from './inter.ts'
import { beatMe, scoreText } from './score-text.ts'
import { graphemesOf, isRightToLeft, lineOf } from './text.ts'

const INTER = [interCoverage]
const EVERYTHING: Coverage[] = [[[0, 0x10ffff]]]
const WITH_CJK = [coverageOf(cjkFont) ?? [], interCoverage]

describe('text of cards', () => {
  test('[SHR-09] text is normalized to NFC and written on one line', () => {
    assert.equal(lineOf('Zoe\u0308', 24, INTER), 'Zo\u00eb')
    assert.equal(lineOf('  Star\r\n\t  Duel\u2028\u3000! ', 60, INTER), 'Star Duel !')
    assert.equal(lineOf(null, 60, INTER), '')
  })

  test('[SHR-09] control, bidi, private and broken characters are left out', () => {
    const hostile = 'a\u0000b\u001b[31mc\u202ed\u2066e\u200ff\u061cg\ufeffh\ue000i\ud800j\ufffdk\u00adl'
    assert.equal(lineOf(hostile, 60, EVERYTHING), 'a b [31mcdefghijkl')
  })

  test('[SHR-09] a text is cut by grapheme, at its limit and one past it', () => {
    const family = '👨‍👩‍👧'
    assert.equal(lineOf(family.repeat(24), 24, EVERYTHING), family.repeat(24))
    assert.equal(lineOf(family.repeat(25), 24, EVERYTHING), `${family.repeat(23)}…`)
    assert.equal(lineOf('x'.repeat(60), 60, INTER), 'x'.repeat(60))
    assert.equal(lineOf('x'.repeat(61), 60, INTER), `${'x'.repeat(59)}…`)
  })

  test('[SHR-09] graphemes that no font has are left out, with the spaces and separators around them', () => {
    assert.equal(lineOf('A 漢字 🚀 B', 60, INTER), 'A B')
    assert.equal(lineOf('Star Duel · スターデュエル', 60, INTER), 'Star Duel')
    assert.equal(lineOf('Star Duel · スターデュエル', 60, WITH_CJK), 'Star Duel · スターデュエル')
    assert.equal(lineOf('漢字', 60, INTER), '')
    assert.equal(lineOf('e\u0489', 60, INTER), '')
    assert.equal(lineOf('Jean-Luc', 60, INTER), 'Jean-Luc')
  })

  test('[SHR-09] a grapheme of many combining marks is left out, and a huge text is cut before it is read', () => {
    assert.equal(lineOf(`a${'\u0301'.repeat(11)}b`, 60, EVERYTHING), `á${'\u0301'.repeat(10)}b`)
    assert.equal(lineOf(`a${'\u0301'.repeat(40)}b`, 60, EVERYTHING), 'b')
    assert.equal(lineOf('x'.repeat(10_000_000), 24, INTER).length, 24)
  })

  test('graphemes are those of Intl.Segmenter, with which most texts are not read', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const code = fc.oneof(fc.integer({ min: 0, max: 0x36f }), fc.integer({ min: 0, max: 0xffff }))
    const latin = fc.integer({ min: 0x20, max: 0x2ff })
    fc.assert(
      fc.property(fc.oneof(fc.array(latin), fc.array(code)), (codes) => {
        const text = String.fromCharCode(...codes)
        const expected = Array.from(segmenter.segment(text), ({ segment }) => segment)
        assert.deepEqual(graphemesOf(text), expected)
      }),
      { numRuns: runs(2_000, 100_000) },
    )
  })

  test('the built-in font is read only as far as a text needs it', () => {
    assert.deepEqual(subsetsFor(''), ['latin'])
    assert.deepEqual(subsetsFor('Zoë 12,345…'), ['latin'])
    assert.deepEqual(subsetsFor('Łukasz'), ['latin', 'latin-ext'])
    assert.deepEqual(subsetsFor('Nguyễn'), ['latin', 'vietnamese'])
    assert.deepEqual(subsetsFor('漢'), ['latin'])
  })

  test('the direction of a line is that of its first letter', () => {
    assert.ok(isRightToLeft('12 مرحبا abc'))
    assert.ok(isRightToLeft('שלום'))
    assert.ok(!isRightToLeft('Zoë مرحبا'))
    assert.ok(!isRightToLeft('12,345'))
  })
})

describe('scores of cards', () => {
  const score = (value: number, language = 'en') => scoreText(value, language, INTER)

  test('[SHR-09] a score is written as the language writes numbers', () => {
    assert.equal(score(1_234_567.5), '1,234,567.5')
    assert.equal(score(1_234_567.5, 'de'), '1.234.567,5')
    assert.equal(score(1_234_567, 'fr'), '1\u00a0234\u00a0567')
    assert.equal(score(-5), '-5')
    assert.equal(score(-0), '0')
    assert.equal(score(0.1 + 0.2), '0.3')
  })

  test('[SHR-09] whole scores are written as Intl.NumberFormat writes them', () => {
    const languages = 'en en-US en-GB en-CA en-AU en-IN ja ja-JP ko ko-KR zh zh-CN zh-TW zh-HK de es'.split(
      ' ',
    )
    const formats = new Map(languages.map((language) => [language, new Intl.NumberFormat(language)]))
    const whole = fc.integer({ min: -(10 ** 15 - 1), max: 10 ** 15 - 1 })
    fc.assert(
      fc.property(fc.constantFrom(...languages), fc.oneof(fc.integer(), whole), (language, value) => {
        assert.equal(score(value, language), formats.get(language)?.format(value))
      }),
      { numRuns: runs(2_000, 100_000) },
    )
  })

  test('[SHR-09] a score has at most 15 digits, then an exponent', () => {
    assert.equal(score(999_999_999_999_999), '999,999,999,999,999')
    assert.equal(score(1e15), '1E15')
    assert.equal(score(Number.MAX_VALUE), '1.79769E308')
    assert.equal(score(0.000_001), '0.000001')
    assert.equal(score(9e-7), '9E-7')
    assert.equal(score(-Number.MIN_VALUE), '-5E-324')
  })

  test('[SHR-09] digits that no font has are written as in English; a language that does not exist, too', () => {
    assert.equal(score(12_345, 'fa'), '12,345')
    assert.equal(scoreText(12_345, 'ar-EG', EVERYTHING), '١٢٬٣٤٥')
    for (const language of ['', 'x', '../../etc', 'en-US-'.repeat(100), '😀'])
      assert.equal(score(12_345, language), '12,345')
  })

  test('[SHR-09] "Beat me" has the languages of all texts, in English if no font has its letters', () => {
    assert.equal(beatMe('de-AT', INTER), 'Schlag das')
    assert.equal(beatMe('PT-br', INTER), 'Me supere')
    assert.equal(beatMe('ja', WITH_CJK), '超えてみて')
    assert.equal(beatMe('zh-Hant', WITH_CJK), '来挑战我')
    assert.equal(beatMe('ja', INTER), 'Beat me')
    assert.equal(beatMe('tlh', INTER), 'Beat me')
  })
})
