import { addressesOf } from '@svc/contract/common/endpoint'
import { PARTS } from '@svc/contract/common/endpoints'

import { titleOf } from './endpoint-section.ts'
import type { Outline } from './markdown.ts'

/** What the search of the docs reads: pages, and their sections as [number of the page, id, heading, text]. */
export type SearchIndex = {
  pages: { href: string; title: string; group: string }[]
  sections: [page: number, id: string, heading: string, text: string][]
}

/** Sections of the reference: what follows are mostly types. The guide is indexed whole. */
const REFERENCE_CHARACTERS_MAX = 400

export type IndexedPage = { href: string; group: string; outline: Outline }

/** One entry per heading, per explained name and per endpoint. */
export function searchIndexOf(documents: readonly IndexedPage[]): SearchIndex {
  const pages: SearchIndex['pages'] = []
  const sections: SearchIndex['sections'] = []

  for (const { href, group, outline } of documents) {
    const page = pages.push({ href, title: outline.title, group }) - 1
    const charactersMax = group === 'Guide' ? Infinity : REFERENCE_CHARACTERS_MAX
    for (const { id, heading, text } of outline.sections)
      sections.push([page, id, heading, text.replace(/\s+/g, ' ').slice(0, charactersMax)])
  }
  for (const { id, title, about, endpoints } of PARTS) {
    const page = pages.push({ href: `/docs/api/${id}`, title, group: 'API' }) - 1
    sections.push([page, '', '', about])
    for (const endpoint of endpoints) {
      const { name, summary, errors = [] } = endpoint
      const paths = addressesOf(endpoint).map(({ method, path }) => `${method} ${path}`)
      sections.push([page, name, titleOf(endpoint), [summary, ...paths, name, ...errors].join(' · ')])
    }
  }
  return { pages, sections }
}
