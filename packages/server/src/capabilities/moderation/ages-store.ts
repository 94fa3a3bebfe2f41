import {
  columns,
  type Database,
  type Queries,
  statement,
  type Tables,
} from '../../engines/database/database.ts'
import { listStatement } from '../../engines/database/list-statement.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Transaction } from './store.ts'

export type AgeRow = Tables['moderation_ages']
export type AgeStore = ReturnType<typeof createAgeStore>

export const createAgeStore = (db: Database) => ({
  ...ages(db),
  in: ages,
  /** Takes the lock that deleting a player takes, too, so that nothing is written about a deleted player. */
  change: <T>(environmentId: string, playerId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`player:${environmentId}:${playerId}`, work),
})

const ages = (queries: Queries) => ({
  find: (environmentId: string, playerId: string) => queries.first(findAge, { environmentId, playerId }),
  list: (environmentId: string, playerIds: readonly string[]) =>
    listAges(queries, { environmentId }, playerIds),
  write: (age: AgeRow) => queries.run(writeAge, age),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeAge, { environmentId, playerId }),
})

const findAge = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('moderation_ages')
    .select(['declared', 'signalled', 'updatedAt'])
    .where('environmentId', '=', environmentId)
    .where('playerId', '=', playerId),
)
const listAges = listStatement((q, { environmentId }: { environmentId: string }, ids) =>
  q
    .selectFrom('moderation_ages')
    .select(['playerId', 'declared', 'signalled'])
    .where('environmentId', '=', environmentId)
    .where('playerId', 'in', ids),
)
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
const removeAge = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('moderation_ages').where('environmentId', '=', environmentId).where('playerId', '=', playerId),
)
