import { sql } from 'kysely'

import { type Database, statement, type Tables } from '../../engines/database/database.ts'
import { deleteBy, insertNew, selectBy, updateBy } from '../../engines/database/row-statements.ts'
import { cancelRemoval, planRemoval } from './store.ts'

export type CardRow = Tables['sharing_cards']
export type CardStore = ReturnType<typeof createCardStore>

type One = { environmentId: string; inputHash: string }

const PAGE_ROWS = 500

/** The default cards of apps, and the blobs to remove. */
export const createCardStore = (db: Database) => ({
  find: (environmentId: string, inputHash: string) => db.first(findCard, { environmentId, inputHash }),
  setUsed: (one: One, usedOn: string) => db.run(setUsed, { ...one, usedOn }),
  /** Keeps an existing card; returns the card that is stored afterwards. */
  insert: (card: CardRow) =>
    db.transaction(async (transaction) => {
      await transaction.run(insertCard, card)
      const stored = await transaction.first(findCard, card)
      if (stored?.blobKey === card.blobKey) await transaction.run(cancelRemoval, { blobKey: card.blobKey })
      return stored ?? card
    }),
  /** For a card whose bytes are lost. */
  remove: (one: One) => db.run(removeCard, one),

  /** Call before a blob is written, so that it is removed later if the process crashes in between. */
  planRemoval: (blobKey: string, removeAfter: string) => db.run(planRemoval, { blobKey, removeAfter }),
  /** Removes cards not used since this day; returns how many, at most `PAGE_ROWS`. */
  removeUnused: (day: string, now: string) =>
    db.transaction(async (transaction) => {
      const cards = await transaction.all(listUnused, { day })
      for (const { environmentId, inputHash, blobKey } of cards) {
        await transaction.run(planRemoval, { blobKey, removeAfter: now })
        await transaction.run(removeCard, { environmentId, inputHash })
      }
      return cards.length
    }),

  dueRemovals: async (now: string) => (await db.all(listDue, { now })).map(({ blobKey }) => blobKey),
  /** Whether a link or a card still has this blob. */
  isUsed: async (environmentId: string, name: string, blobKey: string) =>
    (await db.first(findLinkOf, { environmentId, id: name, cardKey: blobKey })) !== undefined ||
    (await db.first(findCardOf, { environmentId, inputHash: name, blobKey })) !== undefined,
  forgetRemoval: (blobKey: string) => db.run(cancelRemoval, { blobKey }),
})

const cardColumns = ['environmentId', 'inputHash', 'blobKey', 'bytes', 'sha256', 'usedOn'] as const

const findCard = selectBy('sharing_cards', cardColumns, ['environmentId', 'inputHash'])
const insertCard = insertNew('sharing_cards', cardColumns, ['environmentId', 'inputHash'])
const setUsed = updateBy('sharing_cards', ['usedOn'], ['environmentId', 'inputHash'])
const removeCard = deleteBy('sharing_cards', ['environmentId', 'inputHash'])
const listUnused = statement((q, { day }: { day: string }) =>
  q
    .selectFrom('sharing_cards')
    .select(['environmentId', 'inputHash', 'blobKey'])
    .where('usedOn', '<', day)
    .limit(sql.lit(PAGE_ROWS)),
)

const listDue = statement((q, { now }: { now: string }) =>
  q
    .selectFrom('sharing_removals')
    .select('blobKey')
    .where('removeAfter', '<=', now)
    .orderBy('removeAfter')
    .limit(sql.lit(PAGE_ROWS)),
)
const findLinkOf = selectBy('sharing_links', ['id'], ['environmentId', 'id', 'cardKey'])
const findCardOf = selectBy('sharing_cards', ['inputHash'], ['environmentId', 'inputHash', 'blobKey'])
