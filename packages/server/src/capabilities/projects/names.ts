import { type Random, randomText } from '../../platform/random.ts'
import { folded, readingsOf, withoutMarks, wordsOf } from './folding.ts'

const STAFF_WORDS = ['svc', 'official', 'support', 'staff', 'admin', 'moderator']

/** Host names below the apps domain that a visitor could mistake for the service itself. */
const SERVICE_ADDRESSES = [
  'www api app apps static assets cdn media docs developers status blog',
  'auth oauth sso login logout signin signup register account accounts',
  'dashboard console portal billing pay payment payments checkout invoice',
  'help helpdesk security abuse administrator root postmaster webmaster hostmaster',
  'mail email smtp imap pop pop3 mx ftp ssh vpn ns ns1 ns2 ns3 ns4',
  'localhost autoconfig autodiscover wpad',
].flatMap((line) => line.split(' '))

/** DEV-09: a name must not be mistaken for the service or its staff, whatever alphabet its letters come from. */
export function isReserved(name: string, brand: string): boolean {
  const characters = Array.from(name)
    .filter((character) => withoutMarks(character) !== '')
    .map(readingsOf)
  return [...STAFF_WORDS, brand].some((word) => contains(characters, squeezed(word)))
}

/**
 * Whether the characters can be read as a name with this word in it. Separators inside of the word do not count: `a d m i n` is
 * the word, too. A separator or an end of the name must be on both sides.
 */
function contains(characters: readonly string[][], word: string): boolean {
  if (word === '') return false
  const isBorder = (at: number) => characters[at]?.includes('') ?? true
  /** How many letters of the word the characters so far may end with. */
  let matched = new Set<number>()
  for (const [at, readings] of characters.entries()) {
    if (isBorder(at - 1)) matched.add(0)
    const next = new Set<number>()
    for (const length of matched)
      for (const letters of readings) if (word.startsWith(letters, length)) next.add(length + letters.length)
    if (next.has(word.length) && isBorder(at + 1)) return true
    matched = next
  }
  return false
}

/** DEV-11: 3 to 40 of a-z 0-9 -, never `--`, which marks development. Slugs that are too short or reserved get a suffix. */
export function slugFrom(name: string, brand: string, random: Random): string {
  const slug = withoutMarks(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/^-|-$/g, '')
  if (slug === '') return withSuffix('app', random)
  return slug.length < 3 || isReservedSlug(slug, brand) ? withSuffix(slug, random) : slug
}

const isReservedSlug = (slug: string, brand: string): boolean =>
  [...SERVICE_ADDRESSES, ...STAFF_WORDS, brand].some((reserved) => squeezed(reserved) === squeezed(slug))

/** Letters and digits only, look-alikes folded. */
const squeezed = (text: string): string => wordsOf(folded(text)).join('')

export const withSuffix = (slug: string, random: Random): string =>
  `${slug}-${randomText(random, 6).toLowerCase()}`
