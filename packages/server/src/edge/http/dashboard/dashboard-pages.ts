import { ApiError } from '../../../platform/api-error.ts'
import type { PageResponse } from '../../../platform/http/responses.ts'
import type { Addresses } from '../callers/origins.ts'
import type { BuiltFolder } from '../files/built-folder.ts'
import type { Page } from '../pages.ts'
import { MAIL_FRAME } from './mail-frame.ts'
import { appHeaders, PAGE_HEADERS } from './page-headers.ts'

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
}
/** Every other path below `/dashboard` is a page of the app. */
const FILE = /^[\w.-]+\.(js|css|woff2|txt)$/

/** The app for developers, moderators and operators. The root of the service redirects to it. */
export function dashboardPages(page: Page, { upToDate, latest }: BuiltFolder, addresses: Addresses) {
  const headers = { ...appHeaders(addresses), 'Cache-Control': 'no-cache' }

  async function app(): Promise<PageResponse> {
    const body = await (await upToDate())('index.html')
    if (!body) throw new Error('the dashboard was not built')
    return { headers, body }
  }

  async function file(name: string): Promise<PageResponse> {
    const body = await (await latest())(name)
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (!body || !type) throw new ApiError('not_found')
    // The name of a file contains the hash of its contents.
    return {
      type,
      headers: { ...PAGE_HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' },
      body,
    }
  }

  page('/', async () => ({
    status: 302,
    headers: { Location: '/dashboard', 'Cache-Control': 'no-cache' },
    body: '',
  }))
  page('/dashboard', app)
  page('/dashboard/mail-frame', async () => MAIL_FRAME)
  page('/dashboard/*', async ({ params }) => {
    const path = params['*'] ?? ''
    return FILE.test(path) ? file(path) : app()
  })
}
