import type { SiteDeps } from '@svc/docs/site'

import { ApiError } from '../../../platform/api-error.ts'
import type { PageResponse } from '../../../platform/http/responses.ts'
import { lazy } from '../../../platform/memory/lazy.ts'
import { PAGE_HEADERS } from '../dashboard/page-headers.ts'
import type { Folder } from '../files/folder.ts'
import type { Page, PageRequest } from '../pages.ts'

const NAME = /^[A-Za-z-]+(\.md)?$/
const PICTURE = /^[\w-]+\.png$/
const MARKDOWN = 'text/markdown; charset=utf-8'
const REVALIDATED = { 'Cache-Control': 'no-cache' }

export type DocsFolders = {
  docs: Folder
  /** Pictures of the guide; not kept in memory. */
  pictures: Folder
  built: SiteDeps['built']
}

/** The guide, the API and the reference as HTML, the files of docs/ as they are; `/llms.txt` lists them. */
export function docsPages(
  page: Page,
  { docs, pictures, built }: DocsFolders,
  service: { baseUrl: string; version: string },
) {
  // Nothing of it is loaded before somebody reads the docs.
  const site = lazy(async () =>
    (await import('@svc/docs/site')).createSite({ docs, pictures, built, service }),
  )
  const openapi = lazy(async () =>
    JSON.stringify((await import('@svc/contract/common/openapi')).openApi(service)),
  )

  /** A browser gets a page with the contents and the search for an address that does not exist; any other client the error as JSON. */
  const docsPage = (path: string, answer: (request: PageRequest) => Promise<PageResponse>) =>
    page(path, async (request) => {
      try {
        return await answer(request)
      } catch (error) {
        const isNotFound = error instanceof ApiError && error.code === 'not_found'
        if (!isNotFound || !request.acceptsHtml) throw error
        const body = await (await site()).notFound()
        return { status: 404, headers: { ...PAGE_HEADERS, 'Cache-Control': 'no-store' }, body }
      }
    })

  const file =
    (path: string, type: string, folder = docs) =>
    async () => {
      const body = await folder(path)
      if (!body) throw new ApiError('not_found')
      return { type, headers: REVALIDATED, body }
    }
  /** With `.md` the file as it is, without it the same as a page. */
  const document = async (folder: string, name = ''): Promise<PageResponse> => {
    const [, extension] = NAME.exec(name) ?? [name, null]
    if (extension === null) throw new ApiError('not_found')
    if (extension !== undefined) return file(`${folder}${name}`, MARKDOWN)()
    return html(await (await site()).document(`${folder}${name}.md`, `/docs/${folder}${name}`))
  }

  page('/docs', async () => html(await (await site()).home()))
  page('/docs/api', async () => html(await (await site()).apiStart()))
  docsPage('/docs/api/:part', async ({ params }) => html(await (await site()).apiPart(params['part'] ?? '')))
  page('/docs/guide', async () => html(await (await site()).document('guide/README.md', '/docs/guide')))
  page('/docs/search.json', async () => ({
    type: 'application/json; charset=utf-8',
    headers: REVALIDATED,
    body: await (await site()).searchIndex(),
  }))
  docsPage('/docs/pictures/:name', async ({ params }) => {
    const { name = '' } = params
    if (!PICTURE.test(name)) throw new ApiError('not_found')
    return file(name, 'image/png', pictures)()
  })
  page('/openapi.json', async () => ({
    type: 'application/json; charset=utf-8',
    headers: REVALIDATED,
    body: await openapi(),
  }))
  page('/llms.txt', file('llms.txt', 'text/plain; charset=utf-8'))
  page('/llms-full.txt', file('llms-full.txt', 'text/plain; charset=utf-8'))
  page(
    '/docs/svc.config.schema.json',
    file('svc.config.schema.json', 'application/schema+json; charset=utf-8'),
  )
  page('/docs/operations/grafana.json', file('operations/grafana.json', 'application/json; charset=utf-8'))
  page('/docs/operations/alerts.yml', file('operations/alerts.yml', 'text/yaml; charset=utf-8'))
  docsPage('/docs/:name', async ({ params }) => document('', params['name']))
  docsPage('/docs/guide/:name', async ({ params }) => document('guide/', params['name']))
  docsPage('/docs/*', async () => html(undefined))
}

function html(body: Buffer | undefined): PageResponse {
  if (!body) throw new ApiError('not_found')
  return { headers: { ...PAGE_HEADERS, ...REVALIDATED }, body }
}
