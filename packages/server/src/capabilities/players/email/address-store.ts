import { createAddressRows } from '../../../engines/database/address-rows.ts'
import type { Database } from '../../../engines/database/database.ts'
import { deleteBy, selectBy } from '../../../engines/database/row-statements.ts'

/** The addresses from which players signed in. */
export const createAddressStore = (db: Database) =>
  createAddressRows(db, 'players_sign_in_addresses', ['environmentId', 'playerId'])

/** For the export, in which a hash would be meaningless. */
export const signInDays = selectBy(
  'players_sign_in_addresses',
  ['day'],
  ['environmentId', 'playerId'],
  ['day'],
)
export const removeAddresses = deleteBy('players_sign_in_addresses', ['environmentId', 'playerId'])
