import { createAddressRows } from '../../engines/database/address-rows.ts'
import type { Database } from '../../engines/database/database.ts'

/** The addresses from which developers signed in. */
export const createAddressStore = (db: Database) =>
  createAddressRows(db, 'developers_sign_in_addresses', ['developerId'])
