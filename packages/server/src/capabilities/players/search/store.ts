import { type Kysely, sql } from 'kysely'

import { type Database, statement, type Tables } from '../../../engines/database/database.ts'
import { DAY_MS, dayOf } from '../../../platform/clock.ts'
import { firstIdAt } from '../../../platform/random.ts'
import { keptSums } from '../sums-store.ts'

export type SearchStore = ReturnType<typeof createSearchStore>
export type FoundRow = Pick<
  Tables['players'],
  'id' | 'displayName' | 'searchName' | 'email' | 'createdAt' | 'lastSeenAt' | 'bannedUntil'
> & { identities: number | null }

/** The queries for developers. Every list is read from an index, so that its time does not depend on the number of players. */
export const createSearchStore = (db: Database) => ({
  newest: (page: NewestPage) => db.all(listNewest, page),
  /** Banned players only. */
  newestBanned: (page: NewestPage, now: string) => db.all(listNewestBanned, { ...page, now }),
  /** Players that are not guests. */
  async newestRegistered(page: NewestPage): Promise<FoundRow[]> {
    const [withEmail, linked] = await Promise.all([
      db.all(listNewestWithEmail, page),
      db.all(listNewestLinked, page),
    ])
    const ids = new Set(withEmail.map(({ id }) => id))
    return [...withEmail, ...linked.filter(({ id }) => !ids.has(id))]
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, page.limit)
  },
  byName: (page: NamePage) => db.all(listByName, page),
  lastSeen: (page: SeenPage) => db.all(listLastSeen, page),
  byIds: (environmentId: string, ids: readonly string[]): Promise<FoundRow[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : db.search((q) => found(q).where('environmentId', '=', environmentId).where('id', 'in', ids)),
  byId: (environmentId: string, id: string) => db.first(findById, { environmentId, id }),
  byEmail: (environmentId: string, email: string) => db.first(findByEmail, { environmentId, email }),

  firstCreatedAt: async (environmentId: string) =>
    (await db.first(findFirst, { environmentId }))?.createdAt ?? null,
  newestId: async (environmentId: string) => (await db.first(findNewest, { environmentId }))?.id ?? '',
  /** Players by the day of their creation; their ids sort by its time. */
  newSums: {
    ...keptSums(db, 'new'),
    async sum(environmentId: string, from: string, to: string) {
      const sums: { day: string; players: number }[] = []
      for (let atMs = Date.parse(from); atMs <= Date.parse(to); atMs += DAY_MS) {
        const ids = { fromId: firstIdAt('ply', atMs), endId: firstIdAt('ply', atMs + DAY_MS) }
        const [counted] = await db.scan(countBetween, { environmentId, ...ids })
        sums.push({ day: dayOf(atMs), players: counted?.players ?? 0 })
      }
      return sums
    },
  },

  banned: async (environmentId: string, now: string) =>
    (await db.scan(countBanned, { environmentId, now }))[0]?.players ?? 0,
})

/** With this suffix a text sorts after all texts with the same prefix, on both databases, because both compare bytes. */
export const LAST = '\u{10ffff}'

export type NewestPage = { environmentId: string; before: string; limit: number }
/** Players who were seen at `beforeAt` and have an id before `before`, and those who were seen earlier. */
type SeenPage = { environmentId: string; beforeAt: string; before: string; limit: number }
/** Names from `afterName` to before `end`, after the position of a cursor. */
type NamePage = { environmentId: string; afterName: string; afterId: string; end: string; limit: number }

const found = (q: Kysely<Tables>) =>
  q
    .selectFrom('players')
    .select(['id', 'displayName', 'searchName', 'email', 'createdAt', 'lastSeenAt', 'bannedUntil'])
    .select((e) =>
      e
        .selectFrom('players_identities as identity')
        .select((i) => i.fn.countAll<number>().as('count'))
        .whereRef('identity.environmentId', '=', 'players.environmentId')
        .whereRef('identity.playerId', '=', 'players.id')
        .as('identities'),
    )

const newest = (q: Kysely<Tables>, { environmentId, before, limit }: NewestPage) =>
  found(q)
    .where('environmentId', '=', environmentId)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)

export const listNewest = statement(newest)
export const listNewestBanned = statement((q, page: NewestPage & { now: string }) =>
  newest(q, page).where('bannedUntil', '>', page.now),
)
export const listNewestWithEmail = statement((q, page: NewestPage) =>
  newest(q, page).where('email', 'is not', null),
)
export const listNewestLinked = statement((q, { environmentId, before, limit }: NewestPage) =>
  found(q)
    .where('environmentId', '=', environmentId)
    .where('id', 'in', (e) =>
      e
        .selectFrom('players_identities as linked')
        .select('linked.playerId')
        .where('linked.environmentId', '=', environmentId)
        .where('linked.playerId', '<', before)
        .groupBy('linked.playerId')
        .orderBy('linked.playerId', 'desc')
        .limit(limit),
    )
    .orderBy('id', 'desc')
    .limit(limit),
)
export const listByName = statement((q, { environmentId, afterName, afterId, end, limit }: NamePage) =>
  found(q)
    .where('environmentId', '=', environmentId)
    .where((e) => e(e.refTuple('searchName', 'id'), '>', e.tuple(afterName, afterId)))
    .where('searchName', '<', end)
    .orderBy('searchName')
    .orderBy('id')
    .limit(limit),
)
export const listLastSeen = statement((q, { environmentId, beforeAt, before, limit }: SeenPage) =>
  found(q)
    .where('environmentId', '=', environmentId)
    .where((e) => e(e.refTuple('lastSeenAt', 'id'), '<', e.tuple(beforeAt, before)))
    .orderBy('lastSeenAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit),
)
const findById = statement((q, { environmentId, id }: { environmentId: string; id: string }) =>
  found(q).where((e) => e.and({ environmentId, id })),
)
const findByEmail = statement((q, { environmentId, email }: { environmentId: string; email: string }) =>
  found(q).where((e) => e.and({ environmentId, email })),
)

const findFirst = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players')
    .select('createdAt')
    .where('environmentId', '=', environmentId)
    .orderBy('id')
    .limit(sql.lit(1)),
)
const findNewest = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players')
    .select('id')
    .where('environmentId', '=', environmentId)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)
const countPlayers = (q: Kysely<Tables>, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players')
    .select((e) => e.fn.countAll<number>().as('players'))
    .where('environmentId', '=', environmentId)
/** From the index alone. */
const countBetween = statement((q, values: { environmentId: string; fromId: string; endId: string }) =>
  countPlayers(q, values).where('id', '>=', values.fromId).where('id', '<', values.endId),
)
const countBanned = statement((q, values: { environmentId: string; now: string }) =>
  countPlayers(q, values).where('bannedUntil', '>', values.now),
)
