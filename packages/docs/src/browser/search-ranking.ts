import MiniSearch from 'minisearch'

import type { SearchIndex } from '../search/search-index.ts'

export type Found = {
  href: string
  /** The page, and the heading in it. */
  title: string
  heading: string
  group: string
  text: string
  /** The words of the text that were searched for. */
  terms: string[]
}

const FOUND_MAX = 12
/** Words of a question that do not describe its subject. */
const FILLERS = new Set(
  'a an and are can do does for how i in is it my of on or the to what where which with without your'.split(
    ' ',
  ),
)

/** The guide explains, so it comes before tables of names. */
const GUIDE_FACTOR = 1.8
/** A question with a path asks for an endpoint. */
const PATH = /\/v\d\//
const PATH_FACTOR = 3

/** `quickMatch` is found by itself, by `quick` and by `match`. */
function termsOf(word: string): string[] {
  const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
  const all = parts.length > 1 ? [word, ...parts] : parts
  return all.map((part) => part.toLowerCase())
}

type Indexed = { id: number; heading: string; title: string; text: string; synonyms: string }

/** A question without fillers and signs, to compare it with a phrase. */
const plain = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !FILLERS.has(word)).join(' ')

/** Sections that fit a question, best first: all words count, headings and synonyms more than text. */
export function createSearch({ pages, sections }: SearchIndex): (question: string) => Found[] {
  const search: MiniSearch<Indexed> = new MiniSearch<Indexed>({
    fields: ['heading', 'title', 'synonyms', 'text'],
    processTerm: termsOf,
    searchOptions: {
      boost: { heading: 3, title: 2, synonyms: 3 },
      prefix: (term) => term.length > 2,
      // `unity` is not a misspelled `units`: only a word that occurs nowhere is compared with similar ones.
      fuzzy: (term) => (term.length > 4 && !occurs(term) ? 0.2 : false),
      processTerm: (word) => (FILLERS.has(word.toLowerCase()) ? null : word.toLowerCase()),
    },
  })
  search.addAll(
    sections.map(([page, , heading, text, synonyms = ''], id) => {
      return { id, heading, title: pages[page]?.title ?? '', text, synonyms }
    }),
  )
  const occurs = (term: string): boolean =>
    search.search(term, { prefix: term.length > 2, fuzzy: false, processTerm: (word) => word }).length > 0

  const pageOf = (id: number) => pages[sections[id]?.[0] ?? 0]
  const phrases = new Map(
    sections.flatMap(([, , , , synonyms = ''], id) =>
      synonyms.split(',').map((phrase): [string, number] => [plain(phrase), id]),
    ),
  )
  phrases.delete('')

  return (question) => {
    const found = search.search(question)
    const wanted = new Set(found.flatMap(({ queryTerms }) => queryTerms))
    const meant = phrases.get(plain(question))
    const factors = { guide: GUIDE_FACTOR, api: PATH.test(question) ? PATH_FACTOR : 1, reference: 1 }
    return found
      .map(({ id, score, queryTerms, terms }) => ({
        id: id as number,
        score:
          score * (queryTerms.length / wanted.size) ** 2 * factors[pageOf(id as number)?.kind ?? 'reference'],
        terms,
      }))
      .toSorted((a, b) => Number(b.id === meant) - Number(a.id === meant) || b.score - a.score)
      .slice(0, FOUND_MAX)
      .map(({ id, terms }) => {
        const [page = 0, anchor = '', heading = '', text = ''] = sections[id] ?? []
        const { href, title, group } = pages[page] ?? { href: '', title: '', group: '' }
        return { href: anchor === '' ? href : `${href}#${anchor}`, title, heading, group, text, terms }
      })
  }
}
