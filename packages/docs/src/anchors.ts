/** The id of a heading. Forges derive it in the same way, so a link to it works there as well. */
export const anchorOf = (heading: string): string => idOf(heading.toLowerCase())

/** The id of a name in a table, whose case stays. */
export const idOf = (name: string): string => name.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')

/** Headings that are on another page now, by page and former id: links to them lead there. */
export const MOVED: Record<string, Record<string, string>> = {
  '/docs/guide/growing': {
    pgbouncer: '/docs/guide/load-balancers#pgbouncer',
    haproxy: '/docs/guide/load-balancers#haproxy',
    caddy: '/docs/guide/load-balancers#caddy',
    standbys: '/docs/guide/standbys',
    'postgresql-with-a-standby': '/docs/guide/standbys#postgresql-with-a-standby',
    'redis-with-sentinel': '/docs/guide/standbys#redis-with-sentinel',
    'what-was-tried': '/docs/guide/standbys#what-was-tried',
    sizes: '/docs/guide/sizes',
    'how-many-sockets-a-node-holds': '/docs/guide/sizes#how-many-sockets-a-node-holds',
    'ten-million-players-a-day': '/docs/guide/sizes#ten-million-players-a-day',
  },
  '/docs/guide/privacy': {
    children: '/docs/guide/children',
    'coppa-and-gdpr-article-8': '/docs/guide/children#coppa-and-gdpr-article-8',
    'text-for-your-privacy-policy': '/docs/guide/privacy-policy',
  },
  '/docs/guide/rooms-with-code': {
    'in-typescript': '/docs/guide/room-class#in-typescript',
    'what-a-class-can-use': '/docs/guide/room-class#what-a-class-can-use',
    'turn-based-games': '/docs/guide/turn-based',
    'deploys-and-hot-reload': '/docs/guide/room-class#deploys-and-hot-reload',
    'play-and-look-inside': '/docs/guide/room-class#play-and-look-inside',
    'tests-and-replays': '/docs/guide/room-tests',
    'limits-and-errors': '/docs/guide/room-class#limits-and-errors',
    'what-it-costs': '/docs/guide/room-class#what-it-costs',
    'what-it-cannot-do': '/docs/guide/room-class#what-rooms-with-code-cannot-do',
  },
}
