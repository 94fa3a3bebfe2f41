import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const SOURCE = join(import.meta.dirname, 'unicode/confusables.txt.gz')
const LINES_MAX = 110

/** `0430 ;	0061 ;	MA`: U+0430 looks like U+0061. */
const ROW = /^([\dA-F]+) ;\t([\dA-F ]+) ;/gm

/** Generates the module with all characters that look like ASCII letters and digits, from the Unicode list (UTS #39). */
export function lookAlikesModule(): string {
  const text = gunzipSync(readFileSync(SOURCE)).toString('utf8')
  const version = /^# Version: ([\d.]+)/m.exec(text)?.[1]
  const sources = new Map<string, number[]>()
  const add = (target: string, source: number) =>
    sources.set(target, [...(sources.get(target) ?? []), source])

  for (const [, source = '', target = ''] of text.matchAll(ROW)) {
    const letters = target.split(' ').map(fromHex).map(plain).join('')
    if (/^[A-Za-z0-9]+$/.test(letters)) add(letters, fromHex(source))
  }
  for (const [character, source] of ORNAMENTS) add(character, source)

  const lines = [...sources]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([target, points]) => wrapped(target, points))
  return `/*
 * Written by \`npm run generate\` from scripts/unicode/confusables.txt.gz; do not edit.
 * From confusables.txt of Unicode ${version}, © 2025 Unicode, Inc., under the Unicode licence (scripts/unicode/LICENSE).
 */

/** Each line: ASCII letters or digits, a colon, the code points in hexadecimal that look like them. */
export const LOOK_ALIKES = \`
${lines.join('\n')}
\`
`
}

/** Letters in a box, a circle or a flag: the Unicode list does not contain them, because they are not intended for names. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]
/** Small capitals; the list maps м and ᴍ to ʍ. */
const SMALL_CAPITALS = 'aᴀ bʙ cᴄ dᴅ eᴇ fꜰ gɢ hʜ iɪ jᴊ kᴋ lʟ mᴍ mʍ nɴ oᴏ pᴘ qꞯ rʀ sꜱ tᴛ uᴜ vᴠ wᴡ yʏ zᴢ'

const ORNAMENTS: [string, number][] = [
  ...ALPHABETS.flatMap((first) =>
    Array.from('abcdefghijklmnopqrstuvwxyz', (character, n): [string, number] => [character, first + n]),
  ),
  ...SMALL_CAPITALS.split(' ').map((pair): [string, number] => [pair.charAt(0), pair.charCodeAt(1)]),
]

const plainOrnaments = new Map(ORNAMENTS.map(([character, source]) => [source, character]))

/** The Cyrillic в looks like a small capital B, so it maps to a letter too. */
const plain = (point: number): string =>
  plainOrnaments.get(point) ?? String.fromCodePoint(point).normalize('NFKD').replace(/\p{M}/gu, '')

const fromHex = (digits: string) => Number.parseInt(digits, 16)

function wrapped(target: string, points: readonly number[]): string[] {
  const lines = [`${target}:`]
  for (const point of new Set(points)) {
    const text = point.toString(16)
    if (`${lines.at(-1)} ${text}`.length > LINES_MAX) lines.push(`${target}:`)
    lines.push(`${lines.pop()} ${text}`)
  }
  return lines
}
