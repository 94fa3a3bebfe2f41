import {
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../../engines/database/database.ts'
import { changePlayer } from '../../../engines/database/player-changes.ts'
import { deleteBy, selectBy, upsertRow } from '../../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../../platform/player.ts'

export type XProfileStore = ReturnType<typeof createXProfileStore>
type Choice = Tables['players_x_profiles']

/** The X profiles of players, and who shows them. */
export const createXProfileStore = (db: Database) => ({
  /** Undefined if the player has not linked X. */
  find: (environmentId: string, playerId: string) => db.first(findProfile, { environmentId, playerId }),
  /** Serializes linking, unlinking and the choice of one player. */
  change: changePlayer(db),
  findIn: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.first(findProfile, { environmentId, playerId }),
  setVisible: (transaction: Transaction, choice: Choice) => transaction.run(setVisible, choice),
  /** Those of these players who show their profile. */
  visible: (environmentId: string, playerIds: readonly string[]) =>
    db.search((q) =>
      q
        .selectFrom('players_x_profiles as choice')
        .innerJoin('players_identities as identity', (join) =>
          join
            .onRef('identity.environmentId', '=', 'choice.environmentId')
            .onRef('identity.playerId', '=', 'choice.playerId')
            .on('identity.provider', '=', 'x'),
        )
        .select(['choice.playerId', 'identity.profile'])
        .where('choice.environmentId', '=', environmentId)
        .where('choice.playerId', 'in', playerIds)
        .where('choice.visible', '=', 1),
    ),
})

/** For unlinking and deletion. */
export const removeXChoice = deleteBy('players_x_profiles', ['environmentId', 'playerId'])

const findProfile = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('players_identities as identity')
    .leftJoin('players_x_profiles as choice', (join) =>
      join
        .onRef('choice.environmentId', '=', 'identity.environmentId')
        .onRef('choice.playerId', '=', 'identity.playerId'),
    )
    .select(['identity.profile', 'choice.visible'])
    .where('identity.environmentId', '=', environmentId)
    .where('identity.playerId', '=', playerId)
    .where('identity.provider', '=', 'x'),
)
export const findXChoice = selectBy('players_x_profiles', ['visible'], ['environmentId', 'playerId'])
const setVisible = upsertRow(
  'players_x_profiles',
  ['environmentId', 'playerId', 'visible'],
  ['environmentId', 'playerId'],
)
