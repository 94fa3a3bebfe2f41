import type { Coverage } from './font-coverage.ts'
import { isFullyDrawable } from './text.ts'

const DIGITS_MAX = 15
const DIGITS_BEFORE_EXPONENT_MAX = 6
/** Numbers from this one on, and numbers below the minimum, are written with an exponent. */
const WITHOUT_EXPONENT_MAX = 1e15
const WITHOUT_EXPONENT_MIN = 1e-6

/** A score in the number format of the language, with digits that one of the fonts has. */
export function scoreText(score: number, language: string, fonts: readonly Coverage[]): string {
  const text = formatted(score, language)
  return isFullyDrawable(text, fonts) ? text : formatted(score, 'en')
}

/** Languages that write 12,345. Others have the same format, but not all of their regions: `en-IN` writes 1,23,456. */
const WITH_COMMAS = new Set('en en-US en-GB en-CA en-AU ja ja-JP ko ko-KR zh zh-CN zh-TW zh-HK'.split(' '))
const BEFORE_GROUPS = /\B(?=(\d{3})+$)/g

function formatted(score: number, language: string) {
  const size = Math.abs(score)
  // Nearly all scores. Without `Intl`, for the reason in `graphemesOf`.
  if (Number.isInteger(score) && size < WITHOUT_EXPONENT_MAX && WITH_COMMAS.has(language))
    return String(score).replace(BEFORE_GROUPS, ',')
  const needsExponent = size >= WITHOUT_EXPONENT_MAX || (size > 0 && size < WITHOUT_EXPONENT_MIN)
  const text = numberFormat(language, needsExponent).format(score)
  // Narrow spaces between digits, as in French: few fonts have them.
  return text.replace(/[\u2009\u202f]/g, '\u00a0').replace(/[\u061c\u200e\u200f]/g, '')
}

function numberFormat(language: string, needsExponent: boolean) {
  const options = {
    notation: needsExponent ? 'scientific' : 'standard',
    maximumSignificantDigits: needsExponent ? DIGITS_BEFORE_EXPONENT_MAX : DIGITS_MAX,
    signDisplay: 'negative',
  } as const
  try {
    return new Intl.NumberFormat(language, options)
  } catch (error) {
    // Not a language tag.
    if (error instanceof RangeError) return new Intl.NumberFormat('en', options)
    throw error
  }
}

/** "Beat me", in the language if a font can draw it, otherwise in English. */
export function beatMe(language: string, fonts: readonly Coverage[]): string {
  const text = BEAT_ME.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? ENGLISH
  return isFullyDrawable(text, fonts) ? text : ENGLISH
}

const ENGLISH = 'Beat me'
/** The languages of all texts for players. */
const BEAT_ME = new Map([
  ['en', ENGLISH],
  ['ja', '超えてみて'],
  ['de', 'Schlag das'],
  ['es', 'Supérame'],
  ['pt', 'Me supere'],
  ['zh', '来挑战我'],
])
