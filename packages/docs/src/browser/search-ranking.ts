import MiniSearch from 'minisearch'

import type { SearchIndex } from '../search-index.ts'

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
const FILLERS = new Set('a an and are can do does for how i in is it my of on or the to what with'.split(' '))

/** The guide explains, so it comes before tables of names. */
const GUIDE_FACTOR = 1.4

/** `quickMatch` is found by itself, by `quick` and by `match`. */
function termsOf(word: string): string[] {
  const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
  const all = parts.length > 1 ? [word, ...parts] : parts
  return all.map((part) => part.toLowerCase())
}

/** Sections that fit a question, best first: all words count, headings more than text. */
export function createSearch({ pages, sections }: SearchIndex): (question: string) => Found[] {
  const search = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    processTerm: termsOf,
    searchOptions: {
      boost: { heading: 3, title: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      processTerm: (word) => (FILLERS.has(word.toLowerCase()) ? null : word.toLowerCase()),
    },
  })
  search.addAll(
    sections.map(([page, , heading, text], id) => ({ id, heading, title: pages[page]?.title ?? '', text })),
  )

  const groupOf = (id: number) => pages[sections[id]?.[0] ?? 0]?.group

  return (question) => {
    const found = search.search(question)
    const wanted = new Set(found.flatMap(({ queryTerms }) => queryTerms))
    return found
      .map(({ id, score, queryTerms, terms }) => ({
        id: id as number,
        score:
          score *
          (queryTerms.length / wanted.size) ** 2 *
          (groupOf(id as number) === 'Guide' ? GUIDE_FACTOR : 1),
        terms,
      }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, FOUND_MAX)
      .map(({ id, terms }) => {
        const [page = 0, anchor = '', heading = '', text = ''] = sections[id] ?? []
        const { href, title, group } = pages[page] ?? { href: '', title: '', group: '' }
        return { href: anchor === '' ? href : `${href}#${anchor}`, title, heading, group, text, terms }
      })
  }
}
