import { escapeHtml, htmlPage } from '../../platform/http/pages.ts'
import type { PageResponse } from '../../platform/http/responses.ts'

/** Pages of the service, where an app has no file. */

/** The body is a buffer, so that it is compressed once. */
function messagePage(status: number, title: string, text: string, more: Record<string, string> = {}) {
  const page = htmlPage({ title, main: `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>` })
  return { status, headers: { ...page.headers, ...more }, body: Buffer.from(page.body) }
}

export const NO_APP = messagePage(404, 'There is no app here', 'Check the URL, or deploy an app.')
export const OFF = messagePage(404, 'Hosting is off', 'This app is not served at the moment.')
export const SUSPENDED = messagePage(
  404,
  'This app was suspended',
  'The operator of this service has suspended it.',
)
export const NOTHING_DEPLOYED = messagePage(
  404,
  'Nothing is live yet',
  'Deploy a version and activate it: svc deploy',
)
export const NOT_FOUND = messagePage(404, 'Not found', 'There is no page at this URL.')
export const BAD_ADDRESS = messagePage(400, 'Bad address', 'This URL is not valid.')
export const NO_SUCH_METHOD = messagePage(405, 'Method not allowed', 'Apps accept only GET and HEAD.', {
  Allow: 'GET, HEAD',
})
/** Browsers request an icon for every page, and print a 404 as an error. */
export const NO_ICON: PageResponse = { status: 204, headers: { 'Cache-Control': 'no-cache' }, body: '' }

export const redirectTo = (location: string): PageResponse => ({
  status: 302,
  headers: { 'Cache-Control': 'no-cache', Location: location },
  body: '',
})
