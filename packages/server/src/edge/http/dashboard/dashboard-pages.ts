import { ApiError } from '../../../platform/api-error.ts'
import type { PageResponse } from '../../../platform/responses.ts'
import type { Folder } from '../files/folder.ts'
import type { Page } from '../pages.ts'
import type { CurrentFolder } from './dashboard-files.ts'

/** No inline script or style, nothing from another origin, and no text that becomes HTML or script. */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `font-src 'self'`,
  `img-src 'self' data:`,
  `connect-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ')

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
}
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
}
/** Every other path below `/dashboard` is a page of the app. */
const FILE = /^[\w.-]+\.(js|css|woff2|txt)$/

/** The app for developers, moderators and operators. The root of the service redirects to it. */
export function dashboardPages(page: Page, currentFolder: CurrentFolder) {
  /** Set when the page is requested, so that requests for its files do not check the sources. */
  let folder: Folder | undefined

  async function app(): Promise<PageResponse> {
    folder = await currentFolder()
    const body = await folder('index.html')
    if (!body) throw new Error('the dashboard was not built')
    return { headers: { ...HEADERS, 'Cache-Control': 'no-cache' }, body }
  }

  async function file(name: string): Promise<PageResponse> {
    folder ??= await currentFolder()
    const body = await folder(name)
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (!body || !type) throw new ApiError('not_found')
    // The name of a file contains the hash of its contents.
    return { type, headers: { ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' }, body }
  }

  page('/', async () => ({
    status: 302,
    headers: { Location: '/dashboard', 'Cache-Control': 'no-cache' },
    body: '',
  }))
  page('/dashboard', app)
  page('/dashboard/*', async ({ params }) => {
    const path = params['*'] ?? ''
    return FILE.test(path) ? file(path) : app()
  })
}
