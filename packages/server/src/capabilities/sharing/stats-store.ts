import type { ExpressionBuilder, Kysely } from 'kysely'

import { type Database, statement, type Tables } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { insertNew } from '../../engines/database/row-statements.ts'

export type StatStore = ReturnType<typeof createStatStore>

type Range = { environmentId: string; from: string; to: string }
type OfLink = Range & { shareId: string }
type Sum = Omit<Tables['sharing_sums'], 'environmentId' | 'keptAt'>
type Page = { limit: number }

/** The sums of visits. */
export const createStatStore = (db: Database) => ({
  sums: {
    kept: (environmentId: string, from: string, to: string, now: string) =>
      db.all(listSums, { environmentId, from, to, now }),
    sum: (environmentId: string, from: string, to: string) => db.scan(sumDays, { environmentId, from, to }),
    keep: (environmentId: string, sums: readonly Sum[], keptAt: string) =>
      db.pipelined((queries) =>
        Promise.all(sums.map((sum) => queries.run(insertSum, { environmentId, ...sum, keptAt }))),
      ),
  },
  forgetSumsAfter: (now: string) => db.run(removeSumsKeptAfter, { now }),
  daysOf: (range: OfLink) => db.all(sumDaysOf, range),
  /** Most visited first; `label` and `kind` are null for a link that was deleted. */
  async links(range: Range & Page) {
    const visited = await db.scan(sumLinks, range)
    const ids = visited.map(({ shareId }) => shareId)
    const links = await findLinks(db, { environmentId: range.environmentId }, ids)
    const byId = new Map(links.map((link) => [link.shareId, link]))
    return visited.map((sum) => ({ label: null, kind: null, ...byId.get(sum.shareId), ...sum }))
  },
  find: async (environmentId: string, id: string) => (await findLinks(db, { environmentId }, [id]))[0],
  /** Newest first. */
  tracked: (environmentId: string, limit: number) => db.all(listTracked, { environmentId, limit }),
})

const inRange = (q: Kysely<Tables>, { environmentId, from, to }: Range) =>
  q
    .selectFrom('sharing_days')
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)
const sums = (e: ExpressionBuilder<Tables, 'sharing_days'>) => [
  e.fn.sum<number>('visits').as('visits'),
  e.fn.sum<number>('newPlayers').as('newPlayers'),
  e.fn.sum<number>('plays').as('plays'),
]

const sumDays = statement((q, range: Range) =>
  inRange(q, range)
    .select((e) => ['day', e.fn.countAll<number>().as('links')])
    .select(sums)
    .groupBy('day'),
)
const sumColumns = ['day', 'links', 'visits', 'newPlayers', 'plays'] as const
const listSums = statement((q, { environmentId, from, to, now }: Range & { now: string }) =>
  q
    .selectFrom('sharing_sums')
    .select(sumColumns)
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where((e) => e.or([e('keptAt', 'is', null), e('keptAt', '<=', now)])),
)
const insertSum = insertNew(
  'sharing_sums',
  ['environmentId', ...sumColumns, 'keptAt'],
  ['environmentId', 'day'],
)
const removeSumsKeptAfter = statement((q, { now }: { now: string }) =>
  q.deleteFrom('sharing_sums').where('keptAt', '>', now),
)
const sumDaysOf = statement((q, range: OfLink) =>
  inRange(q, range).select(['day', 'visits', 'newPlayers', 'plays']).where('shareId', '=', range.shareId),
)
const sumLinks = statement((q, range: Range & Page) =>
  inRange(q, range)
    .select('shareId')
    .select(sums)
    .groupBy('shareId')
    .orderBy('visits', 'desc')
    .orderBy('plays', 'desc')
    .orderBy('shareId')
    .limit(range.limit),
)
const findLinks = listStatement((q, { environmentId }: { environmentId: string }, ids) =>
  q
    .selectFrom('sharing_links')
    .select(['id as shareId', 'label', 'kind'])
    .where('environmentId', '=', environmentId)
    .where('id', 'in', ids),
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
