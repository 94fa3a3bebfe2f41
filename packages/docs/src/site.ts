import { PARTS } from '@svc/contract/common/endpoints'

import { API_START_HEADINGS, apiPart, apiStart } from './api/api-pages.ts'
import { contentsOf, type Group } from './contents.ts'
import { type Assets, framed, type FramedPage } from './frame.ts'
import { homePage, notFoundPage } from './home.ts'
import { readOutline, renderDocument } from './markdown.ts'
import { sizesOf } from './pictures.ts'
import { type IndexedPage, searchIndexOf } from './search/search-index.ts'

/** The bytes of a file below a folder; undefined if there is none. The same buffer until the file changes. */
type Folder = (path: string) => Promise<Buffer | undefined>

export type SiteDeps = {
  /** The files of docs/. */
  docs: Folder
  pictures: Folder
  /** The folders with the style sheet and the scripts: built from the sources as they are now, or as they were for the last page. */
  built: { upToDate(): Promise<Folder>; latest(): Promise<Folder> }
  service: { baseUrl: string; version: string }
}

/** What a page is made of; the page is made again when one of them has changed. */
type Inputs = { readme: Buffer; assets: Buffer; source?: Buffer }

/** The pages of the docs. Each is rendered when it is first requested, and kept: there are as many as files and parts of the API. */
export function createSite({ docs, pictures, built, service: { baseUrl, version } }: SiteDeps) {
  const kept = new Map<string, { inputs: Inputs; body: Buffer }>()
  let index: { sources: (Buffer | undefined)[]; body: Buffer } | undefined

  async function inputs(folder = built.latest()): Promise<Inputs> {
    const [readme, assets] = await Promise.all([docs('guide/README.md'), (await folder)('docs.json')])
    if (!readme || !assets) throw new Error('the docs are not complete')
    return { readme, assets }
  }

  type Make = (contents: readonly Group[]) => FramedPage | Promise<FramedPage>
  async function keep(here: string, from: Inputs, make: Make): Promise<Buffer> {
    const known = kept.get(here)
    const { readme, assets, source } = from
    if (known?.inputs.readme === readme && known.inputs.assets === assets && known.inputs.source === source)
      return known.body
    const contents = contentsOf(String(readme))
    const options = { assets: JSON.parse(String(assets)) as Assets, contents, version }
    const body = Buffer.from(framed(await make(contents), options))
    kept.set(here, { inputs: from, body })
    return body
  }

  return {
    /** Only the first page checks whether a source has changed, which takes 10 ms. */
    home: async () =>
      keep('/docs', await inputs(built.upToDate()), (contents) => ({
        title: 'Documentation',
        here: '/docs',
        main: homePage(contents),
        lead: 'The guide, the API and the reference of svc, a backend for web games that you can run yourself.',
        isWide: true,
      })),

    /** For every address below /docs that does not exist; the same body for all of them. */
    notFound: async () =>
      keep('/docs/404', await inputs(), (contents) => ({
        title: 'Page not found',
        here: '',
        main: notFoundPage(contents),
        isWide: true,
      })),

    apiStart: async () =>
      keep('/docs/api', await inputs(), () => ({
        title: 'API reference',
        here: '/docs/api',
        main: apiStart(baseUrl, PARTS),
        headings: API_START_HEADINGS,
      })),

    /** Undefined if there is no such part. */
    async apiPart(id: string): Promise<Buffer | undefined> {
      const part = PARTS.find((one) => one.id === id)
      if (!part) return undefined
      const here = `/docs/api/${id}`
      return keep(here, await inputs(), () => ({
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
        const text = String(source)
        const sizes = await sizesOf(text, pictures)
        const { title, lead, headings, main } = renderDocument(text, `/docs/${file}`, sizes)
        return { title, here, main, lead, headings, markdown: `/docs/${file}` }
      })
    },

    async searchIndex(): Promise<Buffer> {
      const { readme } = await inputs()
      const contents = contentsOf(String(readme))
      const files = contents
        .filter(({ kind }) => kind !== 'api')
        .flatMap(({ title: group, kind, links }) => links.map(({ href }) => ({ href, group, kind })))
      const sources = await Promise.all(
        files.map(async ({ href }) => docs(`${href.slice('/docs/'.length)}.md`)),
      )
      const isCurrent =
        index?.sources.length === sources.length && sources.every((one, at) => one === index?.sources[at])
      if (index && isCurrent) return index.body
      const pages = files.flatMap(({ href, group, kind }, at): IndexedPage[] => {
        const source = sources[at]
        return source ? [{ href, group, kind, outline: readOutline(String(source)) }] : []
      })
      index = { sources, body: Buffer.from(JSON.stringify(searchIndexOf(pages, contents))) }
      return index.body
    },
  }
}
