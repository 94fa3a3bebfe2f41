import { PARTS } from '@svc/contract/common/endpoints'

import type { Folder } from '../files/folder.ts'
import { API_START_HEADINGS, apiPart, apiStart } from './api-pages.ts'
import { contentsOf, type Group } from './contents.ts'
import { type Assets, framed, type FramedPage } from './frame.ts'
import { homePage } from './home.ts'
import { readOutline, renderDocument } from './markdown.ts'
import { type IndexedPage, searchIndexOf } from './search-index.ts'

export type SiteDeps = {
  /** The files of docs/. */
  docs: Folder
  /** The folders with the style sheet and the scripts: built from the sources as they are now, or as they were for the last page. */
  built: { upToDate(): Promise<Folder>; latest(): Promise<Folder> }
  service: { baseUrl: string; version: string }
}

/** What a page is made of; the page is made again when one of them has changed. */
type Inputs = { readme: Buffer; assets: Buffer; source?: Buffer }

/** The pages of the docs. Each is rendered when it is first requested, and kept: there are as many as files and parts of the API. */
export function createSite({ docs, built, service: { baseUrl, version } }: SiteDeps) {
  const kept = new Map<string, { inputs: Inputs; body: Buffer }>()
  let index: { sources: Buffer[]; body: Buffer } | undefined

  async function inputs(folder = built.latest()): Promise<Inputs> {
    const [readme, assets] = await Promise.all([docs('guide/README.md'), (await folder)('docs.json')])
    if (!readme || !assets) throw new Error('the docs are not complete')
    return { readme, assets }
  }

  async function keep(here: string, from: Inputs, make: (contents: readonly Group[]) => Promise<FramedPage>) {
    const known = kept.get(here)
    const { readme, assets, source } = from
    if (known?.inputs.readme === readme && known.inputs.assets === assets && known.inputs.source === source)
      return known.body
    const contents = contentsOf(String(readme))
    const page = await make(contents)
    const options = { assets: JSON.parse(String(assets)) as Assets, contents, version }
    const body = Buffer.from(framed(page, options))
    kept.set(here, { inputs: from, body })
    return body
  }

  return {
    /** Only the first page looks for changed sources, which takes 10 ms. */
    home: async () =>
      keep('/docs', await inputs(built.upToDate()), async (contents) => ({
        title: 'Documentation',
        here: '/docs',
        main: homePage(contents),
        isWide: true,
      })),

    apiStart: async () =>
      keep('/docs/api', await inputs(), async () => ({
        title: 'The API of this service',
        here: '/docs/api',
        main: apiStart(baseUrl, PARTS),
        headings: API_START_HEADINGS,
      })),

    /** Undefined if there is no such part. */
    async apiPart(id: string): Promise<Buffer | undefined> {
      const part = PARTS.find((one) => one.id === id)
      if (!part) return undefined
      const here = `/docs/api/${id}`
      return keep(here, await inputs(), async () => ({
        title: part.title,
        here,
        main: apiPart(baseUrl, part),
        isWide: true,
      }))
    },

    /** A file of docs/, such as `guide/rooms.md`; undefined if there is none. */
    async document(file: string, here: string): Promise<Buffer | undefined> {
      const source = await docs(file)
      if (!source) return undefined
      return keep(here, { ...(await inputs()), source }, async () => {
        const { title, headings, main } = await renderDocument(String(source), `/docs/${file}`)
        return { title, here, main, headings, markdown: `/docs/${file}` }
      })
    },

    async searchIndex(): Promise<Buffer> {
      const { readme } = await inputs()
      const files = contentsOf(String(readme))
        .filter(({ id }) => id !== 'api')
        .flatMap(({ title, links }) => links.map(({ href }) => ({ href, group: title })))
      const sources = await Promise.all(
        files.map(async ({ href }) => docs(`${href.slice('/docs/'.length)}.md`)),
      )
      const found = sources.filter((source) => source !== undefined)
      if (
        index &&
        index.sources.length === found.length &&
        index.sources.every((one, at) => one === found[at])
      )
        return index.body
      const pages: IndexedPage[] = []
      for (const [at, { href, group }] of files.entries()) {
        const source = sources[at]
        if (source) pages.push({ href, group, outline: await readOutline(String(source)) })
      }
      index = { sources: found, body: Buffer.from(JSON.stringify(searchIndexOf(pages))) }
      return index.body
    },
  }
}
