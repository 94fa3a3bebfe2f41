import { addressesOf } from '@svc/contract/common/endpoint'
import { PARTS } from '@svc/contract/common/endpoints'

import { titleOf } from '../api/endpoint-section.ts'
import type { Group } from '../contents.ts'
import type { Outline } from '../markdown.ts'
import { SYNONYMS } from './synonyms.ts'

/**
 * What `/docs/search.json` contains, for the search in the browser: pages, their sections as [number of the page, id, heading, text,
 * synonyms], and the groups for a search that finds nothing.
 */
export type SearchIndex = {
  pages: { href: string; title: string; group: string; kind: Group['kind'] }[]
  sections: [page: number, id: string, heading: string, text: string, synonyms?: string][]
  groups: { href: string; title: string }[]
}

/** Sections of the reference: what follows are mostly types. The guide is indexed whole. */
const REFERENCE_CHARACTERS_MAX = 400

export type IndexedPage = { href: string; group: string; kind: Group['kind']; outline: Outline }

/** One entry per heading, per explained name and per endpoint; every page has an entry without a heading. */
export function searchIndexOf(documents: readonly IndexedPage[], contents: readonly Group[]): SearchIndex {
  const pages: SearchIndex['pages'] = []
  const sections: SearchIndex['sections'] = []

  for (const { href, group, kind, outline } of documents) {
    const page = pages.push({ href, title: outline.title, group, kind }) - 1
    const charactersMax = kind === 'guide' ? Infinity : REFERENCE_CHARACTERS_MAX
    const add = (id: string, heading: string, text: string) => {
      const synonyms = SYNONYMS[id === '' ? href : `${href}#${id}`]
      sections.push(synonyms === undefined ? [page, id, heading, text] : [page, id, heading, text, synonyms])
    }
    if (!outline.sections.some(({ id }) => id === '')) add('', '', '')
    for (const { id, heading, text } of outline.sections)
      add(id, heading, text.replace(/\s+/g, ' ').slice(0, charactersMax))
  }
  for (const { id, title, about, endpoints } of PARTS) {
    const page = pages.push({ href: `/docs/api/${id}`, title, group: 'API', kind: 'api' }) - 1
    sections.push([page, '', '', about])
    for (const endpoint of endpoints) {
      const { name, summary, errors = [] } = endpoint
      const paths = addressesOf(endpoint).map(({ method, path }) => `${method} ${path}`)
      sections.push([page, name, titleOf(endpoint), [summary, ...paths, name, ...errors].join(' · ')])
    }
  }
  const groups = contents.map(({ id, title }) => ({ href: `/docs#${id}`, title }))
  return { pages, sections, groups }
}
