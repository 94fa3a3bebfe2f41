import { type Database, statement } from '../../engines/database/database.ts'

export type StatStore = ReturnType<typeof createStatStore>

type Range = { environmentId: string; from: string; to: string }
type OfLink = Range & { shareId: string }
type Page = { limit: number }

/** The sums of visits. */
export const createStatStore = (db: Database) => ({
  days: (range: Range) => db.all(sumDays, range),
  daysOf: (range: OfLink) => db.all(sumDaysOf, range),
  /** Most visited first. */
  links: (range: Range & Page) => db.all(sumLinks, range),
  linksOf: (range: OfLink) => db.all(sumLinksOf, range),
  find: (environmentId: string, id: string) => db.first(findLink, { environmentId, id }),
  /** Newest first. */
  tracked: (environmentId: string, limit: number) => db.all(listTracked, { environmentId, limit }),
})

const sumDays = statement((q, { environmentId, from, to }: Range) =>
  q
    .selectFrom('sharing_days')
    .select((e) => [
      'day',
      e.fn.sum<number>('visits').as('visits'),
      e.fn.sum<number>('newPlayers').as('newPlayers'),
      e.fn.sum<number>('plays').as('plays'),
    ])
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('day'),
)
const sumDaysOf = statement((q, { environmentId, shareId, from, to }: OfLink) =>
  q
    .selectFrom('sharing_days')
    .select(['day', 'visits', 'newPlayers', 'plays'])
    .where('environmentId', '=', environmentId)
    .where('shareId', '=', shareId)
    .where('day', '>=', from)
    .where('day', '<=', to),
)
/** `label` and `kind` are null for a link that was deleted. */
const linkSums = (q: Parameters<typeof sumDays.build>[0]) =>
  q
    .selectFrom('sharing_days as d')
    .leftJoin('sharing_links as l', (join) =>
      join.onRef('l.environmentId', '=', 'd.environmentId').onRef('l.id', '=', 'd.shareId'),
    )
    .select((e) => [
      'd.shareId',
      'l.label',
      'l.kind',
      e.fn.sum<number>('d.visits').as('visits'),
      e.fn.sum<number>('d.newPlayers').as('newPlayers'),
      e.fn.sum<number>('d.plays').as('plays'),
    ])
    .groupBy(['d.shareId', 'l.label', 'l.kind'])

const sumLinks = statement((q, { environmentId, from, to, limit }: Range & Page) =>
  linkSums(q)
    .where('d.environmentId', '=', environmentId)
    .where('d.day', '>=', from)
    .where('d.day', '<=', to)
    .orderBy('visits', 'desc')
    .orderBy('plays', 'desc')
    .orderBy('d.shareId')
    .limit(limit),
)
const sumLinksOf = statement((q, { environmentId, shareId, from, to }: OfLink) =>
  linkSums(q)
    .where('d.environmentId', '=', environmentId)
    .where('d.shareId', '=', shareId)
    .where('d.day', '>=', from)
    .where('d.day', '<=', to),
)
const findLink = statement((q, { environmentId, id }: { environmentId: string; id: string }) =>
  q
    .selectFrom('sharing_links')
    .select(['id as shareId', 'label', 'kind'])
    .where('environmentId', '=', environmentId)
    .where('id', '=', id),
)
const listTracked = statement((q, { environmentId, limit }: { environmentId: string; limit: number }) =>
  q
    .selectFrom('sharing_links')
    .select(['id as shareId', 'label', 'kind'])
    .where('environmentId', '=', environmentId)
    .where('kind', '=', 'tracked')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
)
