import { createAddressRows } from '../../engines/database/address-rows.ts'
import { type Database, statement } from '../../engines/database/database.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../platform/player.ts'

/** The addresses from which players signed in. */
export const createAddressStore = (db: Database) =>
  createAddressRows(db, 'players_sign_in_addresses', ['environmentId', 'playerId'])

/** For the export, in which a hash would be meaningless. */
export const signInDays = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('players_sign_in_addresses')
    .select('day')
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('day'),
)
export const removeAddresses = deleteBy('players_sign_in_addresses', ['environmentId', 'playerId'])
