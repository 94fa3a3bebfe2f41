import type { Kysely } from 'kysely'

import { type Database, statement, type Tables } from '../../engines/database/database.ts'

export type SearchStore = ReturnType<typeof createSearchStore>
export type FoundRow = Awaited<ReturnType<SearchStore['newest']>>[number]

/** What developers look through. Every list is read off an index, however many players there are. */
export const createSearchStore = (db: Database) => ({
  newest: (page: NewestPage) => db.all(listNewest, page),
  byName: (page: NamePage) => db.all(listByName, page),
  byId: (environmentId: string, id: string) => db.first(findById, { environmentId, id }),
  byEmail: (environmentId: string, email: string) => db.first(findByEmail, { environmentId, email }),

  async counts(environmentId: string, now: string) {
    const [all, withEmail, externalOnly, banned] = await Promise.all([
      db.first(countAll, { environmentId }),
      db.first(countWithEmail, { environmentId }),
      db.first(countExternalOnly, { environmentId }),
      db.first(countBanned, { environmentId, now }),
    ])
    const total = all?.players ?? 0
    return {
      total,
      guests: total - (withEmail?.players ?? 0) - (externalOnly?.players ?? 0),
      banned: banned?.players ?? 0,
    }
  },
})

type NewestPage = { environmentId: string; before: string; limit: number }
/** Names at or after `after` and before `end`, behind the place that a cursor names. */
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

export const listNewest = statement((q, { environmentId, before, limit }: NewestPage) =>
  found(q)
    .where('environmentId', '=', environmentId)
    .where('id', '<', before)
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
const findById = statement((q, { environmentId, id }: { environmentId: string; id: string }) =>
  found(q).where('environmentId', '=', environmentId).where('id', '=', id),
)
const findByEmail = statement((q, { environmentId, email }: { environmentId: string; email: string }) =>
  found(q).where('environmentId', '=', environmentId).where('email', '=', email),
)

const countAll = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players')
    .select((e) => e.fn.countAll<number>().as('players'))
    .where('environmentId', '=', environmentId),
)
const countWithEmail = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players')
    .select((e) => e.fn.countAll<number>().as('players'))
    .where('environmentId', '=', environmentId)
    .where('email', 'is not', null),
)
const countExternalOnly = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('players_identities as identity')
    .innerJoin('players as player', (join) =>
      join
        .onRef('player.environmentId', '=', 'identity.environmentId')
        .onRef('player.id', '=', 'identity.playerId'),
    )
    .select((e) => e.fn.count<number>('identity.playerId').distinct().as('players'))
    .where('identity.environmentId', '=', environmentId)
    .where('player.email', 'is', null),
)
const countBanned = statement((q, { environmentId, now }: { environmentId: string; now: string }) =>
  q
    .selectFrom('players')
    .select((e) => e.fn.countAll<number>().as('players'))
    .where('environmentId', '=', environmentId)
    .where('bannedUntil', '>', now),
)
