import { ApiError } from '../../../platform/api-error.ts'
import { lazy } from '../../../platform/lazy.ts'
import type { Folder } from '../files/folder.ts'
import type { Page } from '../pages.ts'

const NAME = /^[A-Za-z-]+\.md$/
const MARKDOWN = 'text/markdown; charset=utf-8'
const REVALIDATED = { 'Cache-Control': 'no-cache' }

/** The API page and the files of docs/, unchanged; `/llms.txt` lists them. */
export function docsPages(page: Page, docs: Folder, service: { baseUrl: string; version: string }) {
  const file = (path: string, type: string) => async () => {
    const body = await docs(path)
    if (!body) throw new ApiError('not_found')
    return { type, headers: REVALIDATED, body }
  }
  const markdown = (folder: string, name = '') => {
    if (!NAME.test(name)) throw new ApiError('not_found')
    return file(`${folder}${name}`, MARKDOWN)()
  }
  const api = lazy(async () => (await import('./api-page.ts')).apiPage(service))
  const openapi = lazy(async () => JSON.stringify((await import('@svc/contract/openapi')).openApi(service)))

  page('/docs', async () => api())
  page('/openapi.json', async () => ({
    type: 'application/json; charset=utf-8',
    headers: REVALIDATED,
    body: await openapi(),
  }))
  page('/llms.txt', file('llms.txt', 'text/plain; charset=utf-8'))
  page(
    '/docs/svc.config.schema.json',
    file('svc.config.schema.json', 'application/schema+json; charset=utf-8'),
  )
  page('/docs/:name', async ({ params }) => markdown('', params['name']))
  page('/docs/guide/:name', async ({ params }) => markdown('guide/', params['name']))
}
