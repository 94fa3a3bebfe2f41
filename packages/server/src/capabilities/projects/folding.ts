import { lazy } from '../../platform/memory/lazy.ts'
import { LOOK_ALIKES } from './look-alikes.ts'

/** Some thousand entries, loaded only for the name of a new project. */
const lookAlikes = lazy(() => {
  const table = new Map<string, string>()
  for (const line of LOOK_ALIKES.trim().split('\n')) {
    const [letters = '', points = ''] = line.split(': ')
    for (const point of points.split(' '))
      table.set(String.fromCodePoint(Number.parseInt(point, 16)), letters)
  }
  return table
})

const DIGITS: Record<string, string> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't' }
const SIGNS: Record<string, string> = { '!': 'i', '|': 'l', '@': 'a', $: 's' }

/**
 * The text with one spelling for characters that look alike: letters of all alphabets and styles become lower-case Latin letters
 * without accents, digits become the letters that they resemble, and i and l are the same. Invisible characters are removed.
 */
export function folded(text: string): string {
  const table = lookAlikes()
  const replaced = (once: string) =>
    Array.from(once, (character) => table.get(character) ?? character).join('')
  // Twice: some letters look like Latin ones only in upper case, others only in lower case.
  return replaced(replaced(withoutMarks(text)).toLowerCase())
    .replace(/[013457]/g, (digit) => DIGITS[digit] ?? digit)
    .replaceAll('i', 'l')
}

/**
 * What one character of a name may be read as: letters, or a separator (`''`). `|` is both: `adm|n` has a letter in place of it,
 * `Admin|` ends before it.
 */
export function readingsOf(character: string): string[] {
  if (!SEPARATORS.test(character)) return [folded(character)]
  const letters = [folded(character), folded(SIGNS[character] ?? '')]
  return ['', ...letters.filter((text) => wordsOf(text).join('') === text && text !== '')]
}

/** Everything but letters and digits, and letters that look like apostrophes, dashes, dots and bars. */
const SEPARATORS = /[^\p{L}\p{N}]|[\p{Lm}\u01c0-\u01c3\ua4f8-\ua4fd\ua78f]/u

/** Letters in their base form, without accents and invisible characters. */
export const withoutMarks = (text: string): string =>
  text.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')

/** Everything but letters and digits separates words. */
export const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
