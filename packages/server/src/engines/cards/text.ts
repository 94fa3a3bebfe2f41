import { type Coverage, covers } from './font-coverage.ts'

/** Longer graphemes are left out: they are stacks of combining marks by an attacker. The longest emoji have ten code points. */
const CODE_POINTS_PER_GRAPHEME_MAX = 12
/** More text is ignored, because `Intl.Segmenter` would take long. */
const UNITS_MAX = 2_000

const SPACES = /[\s\p{Zs}\p{Zl}\p{Zp}\p{Cc}]+/gu
/**
 * Format characters (including all that change the text direction), private characters and unpaired surrogates; joiners are kept.
 */
const INVISIBLE = /(?!\p{Join_Control})[\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]/gu
/** Joiners and variation selectors have no glyph, so a font need not contain them. */
const IGNORABLE = /\p{Join_Control}|\p{Variation_Selector}/u

/** Separators next to a text that was left out. */
const LONELY_SEPARATORS = /^[ ·•|–—-]+(?= )|(?<= )[ ·•|–—-]+$/g

/**
 * A line of a card: normalized (NFC), on one line, without control and bidi characters, without graphemes that no font has, at most
 * `graphemesMax` graphemes. Empty if nothing is left.
 */
export function lineOf(text: string | null, graphemesMax: number, fonts: readonly Coverage[]): string {
  if (text === null) return ''
  const normalized = text
    .slice(0, UNITS_MAX)
    .toWellFormed()
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
  const drawable = graphemesOf(normalized).filter((grapheme) => isDrawable(grapheme, fonts))
  const line = graphemesOf(drawable.join('').replace(/ {2,}/g, ' ').replace(LONELY_SEPARATORS, '').trim())
  if (line.length <= graphemesMax) return line.join('')
  return `${line
    .slice(0, graphemesMax - 1)
    .join('')
    .trimEnd()}…`
}

/** Whether fonts have the whole text. */
export const isFullyDrawable = (text: string, fonts: readonly Coverage[]): boolean =>
  graphemesOf(text).every((grapheme) => isDrawable(grapheme, fonts))

/** One font must have the whole grapheme: accents and joined emoji are drawn by one font. */
function isDrawable(grapheme: string, fonts: readonly Coverage[]): boolean {
  const codePoints = Array.from(grapheme)
  if (codePoints.length > CODE_POINTS_PER_GRAPHEME_MAX) return false
  const visible = codePoints.filter((character) => !IGNORABLE.test(character))
  if (visible.length === 0) return false
  return fonts.some((font) => visible.every((character) => covers(font, character.codePointAt(0) ?? 0)))
}

/** Characters before the first combining mark: each is a grapheme. */
const LATIN = /^[\x20-\x7e\xa0-\u02ff]*$/
let segmenter: Intl.Segmenter | undefined

/** Without `Intl` where it can be: its first use takes 20 ms of CPU time, a fifth of the first card. */
export function graphemesOf(text: string): string[] {
  if (LATIN.test(text)) return text.split('')
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Whether the first letter with a direction is of a right-to-left script. */
export const isRightToLeft = (text: string): boolean => {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return RIGHT_TO_LEFT.test(letter)
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
