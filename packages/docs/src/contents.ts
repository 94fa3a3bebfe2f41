import { PARTS } from '@svc/contract/common/endpoints'

import { anchorOf } from './anchors.ts'

export type Link = { href: string; title: string; about: string }
/** `kind`: the guide explains, the API and the reference list. */
export type Group = { id: string; title: string; kind: 'guide' | 'api' | 'reference'; links: readonly Link[] }

/** A heading of docs/guide/README.md, which has the groups of the guide in reading order, or a row of its tables: one page. */
const GUIDE_LINE = /^(?:## (.+)|\| \[(.+)\]\((.+)\.md\) \| (.+) \|)$/gm

const REFERENCE: readonly Link[] = [
  { href: '/docs/sdk', title: 'The SDK', about: 'the client for browsers and Node, at a glance' },
  { href: '/docs/sdk-browser', title: '@svc/sdk', about: 'every name and type for pages and games' },
  { href: '/docs/sdk-ui', title: '@svc/sdk/ui', about: 'the sign-in dialog' },
  { href: '/docs/sdk-server', title: '@svc/sdk/server', about: 'the client for your own server' },
  { href: '/docs/sdk-developer', title: '@svc/sdk/developer', about: 'the client for developer tools' },
  { href: '/docs/sdk-room', title: '@svc/sdk/room', about: 'the class of a room with code' },
  { href: '/docs/sdk-room-test', title: '@svc/sdk/room/test', about: 'unit tests of such a class' },
  { href: '/docs/frames', title: 'WebSocket frames', about: 'rooms and channels without the SDK' },
  { href: '/docs/errors', title: 'Errors', about: 'every code with its status' },
  { href: '/docs/agent-tools', title: 'Tools of agents', about: 'every tool, and which need an approval' },
  { href: '/docs/settings', title: 'Settings', about: 'environment variables of the server' },
  { href: '/docs/metrics', title: 'Metrics and alerts', about: 'what the service reports to Prometheus' },
  { href: '/docs/cli', title: 'Commands', about: 'every command of svc with its options' },
]

/** All pages in reading order: the groups of the guide, the API, the reference. */
export function contentsOf(guideReadme: string): readonly Group[] {
  const api = PARTS.map(({ id, title, about }) => ({ href: `/docs/api/${id}`, title, about }))
  return [
    ...guideGroups(guideReadme),
    {
      id: 'api',
      title: 'API',
      kind: 'api',
      links: [
        { href: '/docs/api', title: 'Start here', about: 'authentication, errors, all endpoints' },
        ...api,
      ],
    },
    { id: 'reference', title: 'Reference', kind: 'reference', links: REFERENCE },
  ]
}

/** A heading without rows, such as one above a paragraph of links, is no group. */
function guideGroups(readme: string): Group[] {
  const groups: (Group & { links: Link[] })[] = []
  for (const [, heading, title = '', name = '', about = ''] of readme.matchAll(GUIDE_LINE)) {
    if (heading !== undefined)
      groups.push({ id: anchorOf(heading), title: heading, kind: 'guide', links: [] })
    else groups.at(-1)?.links.push({ href: `/docs/guide/${name}`, title, about })
  }
  return groups.filter(({ links }) => links.length > 0)
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
