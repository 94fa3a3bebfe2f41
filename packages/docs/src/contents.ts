import { PARTS } from '@svc/contract/common/endpoints'

export type Link = { href: string; title: string; about: string }
export type Group = { id: string; title: string; links: readonly Link[] }

/** A row of the table in docs/guide/README.md, which has the pages of the guide in reading order. */
const GUIDE_ROW = /^\| \[(.+)\]\((.+)\.md\) \| (.+) \|$/gm

const REFERENCE: readonly Link[] = [
  { href: '/docs/sdk', title: 'The SDK', about: 'the client for browsers and Node, at a glance' },
  { href: '/docs/sdk-browser', title: '@svc/sdk', about: 'every name and type for pages and games' },
  { href: '/docs/sdk-ui', title: '@svc/sdk/ui', about: 'the sign-in dialog' },
  { href: '/docs/sdk-server', title: '@svc/sdk/server', about: 'the client for your own server' },
  { href: '/docs/sdk-developer', title: '@svc/sdk/developer', about: 'the client for tools of developers' },
  { href: '/docs/frames', title: 'WebSocket frames', about: 'rooms and channels without the SDK' },
  { href: '/docs/errors', title: 'Errors', about: 'every code with its status' },
  { href: '/docs/settings', title: 'Settings', about: 'environment variables of the server' },
  { href: '/docs/metrics', title: 'Metrics and alerts', about: 'what the service reports to Prometheus' },
  { href: '/docs/cli', title: 'Commands', about: 'every command of svc with its options' },
]

/** All pages in reading order, in three groups. */
export function contentsOf(guideReadme: string): readonly Group[] {
  const guide = [...guideReadme.matchAll(GUIDE_ROW)].map(([, title = '', name = '', about = '']) => ({
    href: `/docs/guide/${name}`,
    title,
    about,
  }))
  const api = PARTS.map(({ id, title, about }) => ({ href: `/docs/api/${id}`, title, about }))
  return [
    { id: 'guide', title: 'Guide', links: guide },
    {
      id: 'api',
      title: 'API',
      links: [{ href: '/docs/api', title: 'Start here', about: 'callers, responses, all endpoints' }, ...api],
    },
    { id: 'reference', title: 'Reference', links: REFERENCE },
  ]
}

const RENDERED = /^\/docs\/(?:guide\/)?([A-Za-z-]+)\.md$/
const SERVED =
  /^\/(?:docs(?:\/(?:api|guide))?|docs\/svc\.config\.schema\.json|docs\/operations\/(?:grafana\.json|alerts\.yml)|docs\/pictures\/[\w-]+\.png)$/
/** Where the HTML of a file is not at the name of the file. */
const ELSEWHERE: Record<string, string> = {
  '/docs/guide/README.md': '/docs/guide',
  '/docs/endpoints.md': '/docs/api',
}

/** The address of a link in a file of docs/; undefined if it leads to a file that the service does not serve. */
export function addressOf(href: string, file: string): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href
  const { pathname, hash } = new URL(href, `http://localhost${file}`)
  const elsewhere = ELSEWHERE[pathname]
  if (elsewhere !== undefined) return elsewhere
  if (RENDERED.test(pathname)) return pathname.replace(/\.md$/, hash)
  return SERVED.test(pathname) ? pathname : undefined
}
