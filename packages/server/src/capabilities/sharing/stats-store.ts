import { type ExpressionBuilder, type Kysely, sql } from 'kysely'

import { type Database, statement, type Tables } from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { insertNew } from '../../engines/database/row-statements.ts'
import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'

export type StatStore = ReturnType<typeof createStatStore>

type Range = { environmentId: string; from: string; to: string }
type OfLink = Range & { shareId: string }
/** Days whose visitors may not be in the sums yet. */
type Unsummed = { unsummed: readonly string[] }
type Sum = Omit<Tables['sharing_sums'], 'environmentId' | 'keptAt'>
type Page = { limit: number }

/** Visitors are added to the sums an hour after their day; if that fails, another day is left to repeat it. */
const UNSUMMED_DAYS_MAX = 3

/**
 * The sums of visits. Each is read in one statement from the sums of days that are over and from the visitors that are not in them yet,
 * so that it is the same before and after a visitor is added to them. `visitors` is how many were counted for it.
 */
export const createStatStore = (db: Database, clock: Clock) => ({
  sums: {
    kept: (environmentId: string, from: string, to: string, now: string) =>
      db.all(listSums, { environmentId, from, to, now }),
    sum: (environmentId: string, from: string, to: string) =>
      db.scan(sumDays, { environmentId, from, to, ...unsummedAt(clock) }),
    keep: (environmentId: string, sums: readonly Sum[], keptAt: string) =>
      db.pipelined((queries) =>
        Promise.all(sums.map((sum) => queries.run(insertSum, { environmentId, ...sum, keptAt }))),
      ),
  },
  forgetSumsAfter: (now: string) => db.run(removeSumsKeptAfter, { now }),
  daysOf: (range: OfLink) => db.scan(sumDaysOf, { ...range, ...unsummedAt(clock) }),
  /** Most visited first; `label` and `kind` are null for a link that was deleted. */
  async links(range: Range & Page) {
    const visited = await db.scan(sumLinks, { ...range, ...unsummedAt(clock) })
    const ids = visited.map(({ shareId }) => shareId)
    const links = await findLinks(db, { environmentId: range.environmentId }, ids)
    const byId = new Map(links.map((link) => [link.shareId, link]))
    return visited.map((sum) => ({ label: null, kind: null, ...byId.get(sum.shareId), ...sum }))
  },
  find: async (environmentId: string, id: string) => (await findLinks(db, { environmentId }, [id]))[0],
  /** Newest first. */
  tracked: (environmentId: string, limit: number) => db.all(listTracked, { environmentId, limit }),
})

const unsummedAt = (clock: Clock): Unsummed => ({
  unsummed: Array.from({ length: UNSUMMED_DAYS_MAX }, (_, at) => timestamp(clock, -at * DAY_MS).slice(0, 10)),
})

const summedDays = (q: Kysely<Tables>, { environmentId, from, to }: Range) =>
  q
    .selectFrom('sharing_days')
    .select(['shareId', 'day', 'visits', 'newPlayers', 'plays'])
    .select(sql<number>`0`.as('visitors'))
    .where('environmentId', '=', environmentId)
    .where('day', '>=', from)
    .where('day', '<=', to)

/** The days are named, because the index begins with the day: a range of days would read the visitors of all environments. */
const unsummedVisitors = (q: Kysely<Tables>, { environmentId, from, to, unsummed }: Range & Unsummed) =>
  q
    .selectFrom('sharing_visitors')
    .select(['shareId', 'day'])
    .select((e) => [
      e.fn.countAll<number>().filterWhere('kind', '=', 'visit').as('visits'),
      e.fn.sum<number>('newPlayers').as('newPlayers'),
      e.fn.countAll<number>().filterWhere('kind', '=', 'play').as('plays'),
      e.fn.countAll<number>().as('visitors'),
    ])
    .where('environmentId', '=', environmentId)
    .where(
      'day',
      'in',
      Array.from({ length: UNSUMMED_DAYS_MAX }, (_, at) => unsummed[at] as string),
    )
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('newPlayers', 'is not', null)
    .groupBy(['shareId', 'day'])
const inRange = (q: Kysely<Tables>, range: Range & Unsummed) =>
  q.selectFrom(summedDays(q, range).unionAll(unsummedVisitors(q, range)).as('days'))
const sums = (e: ExpressionBuilder<{ days: Sums }, 'days'>) => [
  e.fn.sum<number>('visits').as('visits'),
  e.fn.sum<number>('newPlayers').as('newPlayers'),
  e.fn.sum<number>('plays').as('plays'),
  e.fn.sum<number>('visitors').as('visitors'),
]
type Sums = Record<'visits' | 'newPlayers' | 'plays' | 'visitors', number>

const sumDays = statement((q, range: Range & Unsummed) =>
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
    .select(sql<number>`0`.as('visitors'))
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
const sumDaysOf = statement((q, range: OfLink & Unsummed) =>
  q
    .selectFrom(
      summedDays(q, range)
        .where('shareId', '=', range.shareId)
        .unionAll(unsummedVisitors(q, range).where('shareId', '=', range.shareId))
        .as('days'),
    )
    .select('day')
    .select(sums)
    .groupBy('day'),
)
const sumLinks = statement((q, range: Range & Unsummed & Page) =>
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
