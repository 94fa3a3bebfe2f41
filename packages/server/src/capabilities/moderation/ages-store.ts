import type { Database, PlayerRows, Queries, Tables } from '../../engines/database/database.ts'
import { changePlayer } from '../../engines/database/player-changes.ts'
import { deleteBy, selectBy, upsertRow } from '../../engines/database/row-statements.ts'

export type AgeRow = Tables['moderation_ages']
export type AgeStore = ReturnType<typeof createAgeStore>

/** What is known of the age of players. */
export const createAgeStore = (db: Database) => ({
  ...ages(db),
  in: ages,
  /** Takes the lock that deleting a player takes, too, so that nothing is written about a deleted player. */
  change: changePlayer(db),
})

const ages = (queries: Queries) => ({
  find: (environmentId: string, playerId: string) => queries.first(findAge, { environmentId, playerId }),
  write: (age: AgeRow) => queries.run(writeAge, age),
  removeForPlayer: (environmentId: string, playerId: string) =>
    queries.run(removeAge, { environmentId, playerId }),
})

const findAge = selectBy(
  'moderation_ages',
  ['declared', 'signalled', 'updatedAt'],
  ['environmentId', 'playerId'],
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
const writeAge = upsertRow(
  'moderation_ages',
  ['environmentId', 'playerId', 'declared', 'signalled', 'updatedAt'],
  ['environmentId', 'playerId'],
)
const removeAge = deleteBy('moderation_ages', ['environmentId', 'playerId'])
