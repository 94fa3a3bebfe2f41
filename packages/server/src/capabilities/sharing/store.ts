import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import { deleteBy, insertRow, selectBy, upsertRow } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Transaction }

export type LinkRow = Tables['sharing_links']
export type NewLink = Omit<LinkRow, 'cardKey' | 'cardBytes' | 'cardSha256'>
export type StoredCard = { key: string; bytes: number; sha256: string }
export type LinkStore = ReturnType<typeof createLinkStore>

type One = { environmentId: string; id: string }

const PAGE_ROWS = 500

/** Share links. */
export const createLinkStore = (db: Database) => ({
  find: (environmentId: string, id: string) => db.first(findLink, { environmentId, id }),
  insert: (link: NewLink) => db.run(insertLink, { ...NOT_DRAWN, ...link }),
  /** Serializes the creation of tracked links, so that their limit cannot be exceeded. */
  changeTracked: <T>(
    environmentId: string,
    work: (links: TrackedLinks, transaction: Transaction) => Promise<T>,
  ) =>
    db.exclusively(`sharing:tracked:${environmentId}`, (transaction) =>
      work(trackedIn(transaction, environmentId), transaction),
    ),

  /** Keeps an existing card; returns the card that the link has afterwards, undefined if the link was deleted. */
  setCard: (one: One, card: StoredCard) =>
    db.transaction(async (transaction) => {
      const { key: cardKey, bytes: cardBytes, sha256: cardSha256 } = card
      await transaction.run(setCard, { ...one, cardKey, cardBytes, cardSha256 })
      const link = await transaction.first(findLink, one)
      if (link?.cardKey === cardKey) await transaction.run(cancelRemoval, { blobKey: cardKey })
      return link
    }),
  /** For a card whose bytes are lost. */
  removeCard: (one: One, cardKey: string) => db.run(clearCard, { ...one, cardKey }),

  /** For a card that must not be shown any more: its picture is removed, and the link is drawn again. */
  replaceCard: (one: One, cardKey: string, now: string) =>
    db.transaction(async (transaction) => {
      await transaction.run(clearCard, { ...one, cardKey })
      await transaction.run(planRemoval, { blobKey: cardKey, removeAfter: now })
    }),

  listOfPlayer: (environmentId: string, playerId: string) =>
    db.all(listOfPlayer, { environmentId, playerId }),
  /** Also plans the removal of the pictures. */
  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string, now: string) {
    await transaction.run(planRemovalsOfPlayer, { environmentId, playerId, now })
    await transaction.run(removeOfPlayer, { environmentId, playerId })
  },
  /** The ids are in order. */
  setOpened: (environmentId: string, day: string, ids: readonly string[]) =>
    setOpened(db, { environmentId, day }, ids),
  /** Removes links that were not opened since this day; returns how many, at most `PAGE_ROWS`. */
  removeUnvisited: (day: string, now: string) =>
    db.transaction(async (transaction) => {
      const links = await transaction.all(listUnvisited, { day })
      await removeWithCards(transaction, links, now)
      return links.length
    }),
})

type TrackedLinks = ReturnType<typeof trackedIn>

const trackedIn = (queries: Queries, environmentId: string) => ({
  count: async () => (await queries.first(countTracked, { environmentId }))?.count ?? 0,
  insert: (link: NewLink) => queries.run(insertLink, { ...NOT_DRAWN, ...link }),
})

async function removeWithCards(
  transaction: Transaction,
  links: readonly (One & { cardKey: string | null })[],
  now: string,
) {
  for (const { environmentId, id, cardKey } of links) {
    if (cardKey !== null) await transaction.run(planRemoval, { blobKey: cardKey, removeAfter: now })
    await transaction.run(removeLink, { environmentId, id })
  }
}

const NOT_DRAWN = { cardKey: null, cardBytes: null, cardSha256: null }

const linkColumns = [
  'environmentId',
  'id',
  'kind',
  'playerId',
  'label',
  'score',
  'displayName',
  'createdAt',
  'lastVisitOn',
  'cardKey',
  'cardBytes',
  'cardSha256',
  'look',
] as const

const findLink = selectBy('sharing_links', linkColumns, ['environmentId', 'id'])
const insertLink = insertRow('sharing_links', linkColumns)
const countTracked = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('sharing_links')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('environmentId', '=', environmentId)
    .where('kind', '=', sql.lit('tracked')),
)
type NewCard = { cardKey: string; cardBytes: number; cardSha256: string }
const setCard = statement((q, { environmentId, id, cardKey, cardBytes, cardSha256 }: One & NewCard) =>
  q
    .updateTable('sharing_links')
    .set({ cardKey, cardBytes, cardSha256 })
    .where((e) => e.and({ environmentId, id, cardKey: null })),
)
const clearCard = statement((q, { environmentId, id, cardKey }: One & { cardKey: string }) =>
  q
    .updateTable('sharing_links')
    .set({ cardKey: sql.lit(null), cardBytes: sql.lit(null), cardSha256: sql.lit(null) })
    .where((e) => e.and({ environmentId, id, cardKey })),
)
const listOfPlayer = selectBy(
  'sharing_links',
  ['id', 'kind', 'score', 'displayName', 'createdAt', 'lastVisitOn', 'cardKey'],
  ['environmentId', 'playerId'],
  ['createdAt', 'id'],
)
/** In one statement: a player may have created thousands of links. */
const planRemovalsOfPlayer = statement((q, { environmentId, playerId, now }: PlayerKey & { now: string }) =>
  q
    .insertInto('sharing_removals')
    .columns(['blobKey', 'removeAfter'])
    .expression((e) =>
      e
        .selectFrom('sharing_links')
        .select(['cardKey as blobKey', sql<string>`cast(${now} as text)`.as('removeAfter')])
        .where((e) => e.and({ environmentId, playerId }))
        .where('cardKey', 'is not', null)
        .$narrowType<{ blobKey: string }>(),
    )
    .onConflict((conflict) =>
      conflict.column('blobKey').doUpdateSet((e) => ({ removeAfter: e.ref('excluded.removeAfter') })),
    ),
)
const removeOfPlayer = deleteBy('sharing_links', ['environmentId', 'playerId'])
const listUnvisited = statement((q, { day }: { day: string }) =>
  q
    .selectFrom('sharing_links')
    .select(['environmentId', 'id', 'cardKey'])
    .where('lastVisitOn', '<', day)
    .orderBy('lastVisitOn')
    .limit(sql.lit(PAGE_ROWS)),
)
/** A day in the future is replaced, too: the clock was ahead. */
const setOpened = listStatement((q, { environmentId, day }: { environmentId: string; day: string }, ids) =>
  q
    .updateTable('sharing_links')
    .set({ lastVisitOn: day })
    .where('environmentId', '=', environmentId)
    .where('id', 'in', ids)
    .where('lastVisitOn', '<>', day),
)
const removeLink = deleteBy('sharing_links', ['environmentId', 'id'])

export const planRemoval = upsertRow('sharing_removals', ['blobKey', 'removeAfter'], ['blobKey'])
export const cancelRemoval = deleteBy('sharing_removals', ['blobKey'])
