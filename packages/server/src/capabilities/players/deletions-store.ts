import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { deleteBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type Deletion = Tables['players_deletions']
export type DeletionStore = ReturnType<typeof createDeletionStore>

/** The players that were deleted recently. */
export const createDeletionStore = (db: Database) => ({
  insert: (transaction: Transaction, deletion: Deletion) => transaction.run(insertDeletion, deletion),
  after: (deletedAt: string) => db.all(listAfter, { deletedAt }),
  upTo: (deletedAt: string, limit: number) => db.all(listUpTo, { deletedAt, limit }),
  forget: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeDeletion, { environmentId, playerId }),
})

const deletionColumns = ['environmentId', 'playerId', 'deletedAt'] as const

const insertDeletion = upsertRow(
  'players_deletions',
  ['environmentId', 'playerId', 'deletedAt'],
  ['environmentId', 'playerId'],
)
const listAfter = statement((q, { deletedAt }: { deletedAt: string }) =>
  q
    .selectFrom('players_deletions')
    .select(deletionColumns)
    .where('deletedAt', '>', deletedAt)
    .orderBy('deletedAt'),
)
const listUpTo = statement((q, { deletedAt, limit }: { deletedAt: string; limit: number }) =>
  q
    .selectFrom('players_deletions')
    .select(deletionColumns)
    .where('deletedAt', '<=', deletedAt)
    .orderBy('deletedAt')
    .limit(limit),
)
const removeDeletion = deleteBy('players_deletions', ['environmentId', 'playerId'])
