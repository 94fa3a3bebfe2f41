import {
  columns,
  type Database,
  type PlayerRows,
  type Queries,
  statement,
  type Tables,
} from '../../engines/database/database.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Transaction } from './store.ts'

export type AgeRow = Tables['moderation_ages']
export type AgeStore = ReturnType<typeof createAgeStore>

/** What is known of the age of players. */
export const createAgeStore = (db: Database) => ({
  ...ages(db),
  in: ages,
  /** Takes the lock that deleting a player takes, too, so that nothing is written about a deleted player. */
  change: <T>(environmentId: string, playerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`player:${environmentId}:${playerId}`, work),
})

const ages = (queries: Queries) => ({
  find: (environmentId: string, playerId: string) => queries.first(findAge, { environmentId, playerId }),
  write: (age: AgeRow) => queries.run(writeAge, age),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeAge, { environmentId, playerId }),
})

const findAge = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('moderation_ages')
    .select(['declared', 'signalled', 'updatedAt'])
    .where((e) => e.and({ environmentId, playerId })),
)
/** Adds the age of the player of each row; null if it is not known. */
export const joinAge = <Row>(rows: PlayerRows<Row>) =>
  rows
    .leftJoin('moderation_ages', (join) =>
      join
        .onRef('moderation_ages.environmentId', '=', 'entry.environmentId')
        .onRef('moderation_ages.playerId', '=', 'entry.playerId'),
    )
    .select(['moderation_ages.declared', 'moderation_ages.signalled'])
const writeAge = statement((q, age: AgeRow) =>
  q
    .insertInto('moderation_ages')
    .values(columns(age, ['environmentId', 'playerId', 'declared', 'signalled', 'updatedAt']))
    .onConflict((conflict) =>
      conflict
        .columns(['environmentId', 'playerId'])
        .doUpdateSet(columns(age, ['declared', 'signalled', 'updatedAt'])),
    ),
)
const removeAge = deleteBy('moderation_ages', ['environmentId', 'playerId'])
