import type { Database, Transaction } from '../../engines/database/database.ts'
import { deleteBy, selectBy } from '../../engines/database/row-statements.ts'
import { removeAddresses, signInDays } from './email/address-store.ts'
import { findXChoice, removeXChoice } from './identities/x-profile-store.ts'

export type PersonalDataStore = ReturnType<typeof createPersonalDataStore>

/** The rows of a player that only its export and its deletion read. */
export const createPersonalDataStore = (db: Database) => ({
  mailLinks: (environmentId: string, playerId: string) => db.all(listMailLinks, { environmentId, playerId }),
  days: (environmentId: string, playerId: string) => db.all(listDays, { environmentId, playerId }),
  /** Undefined without a choice. */
  xProfileChoice: (environmentId: string, playerId: string) =>
    db.first(findXChoice, { environmentId, playerId }),
  signInDays: (environmentId: string, playerId: string) => db.all(signInDays, { environmentId, playerId }),
  /** Every address to which mails were sent for this player. */
  async addresses(transaction: Transaction, environmentId: string, playerId: string): Promise<string[]> {
    const links = await transaction.all(listMailLinks, { environmentId, playerId })
    return links.map(({ email }) => email)
  },
  async remove(transaction: Transaction, environmentId: string, playerId: string) {
    await transaction.run(removeMailLinks, { environmentId, playerId })
    await transaction.run(removeDays, { environmentId, playerId })
    await transaction.run(removeAddresses, { environmentId, playerId })
    await transaction.run(removeXChoice, { environmentId, playerId })
  },
})

const listMailLinks = selectBy(
  'players_tokens',
  ['kind', 'email', 'expiresAt'],
  ['environmentId', 'playerId'],
  ['expiresAt'],
)
const listDays = selectBy('players_days', ['day'], ['environmentId', 'playerId'], ['day'])
const removeMailLinks = deleteBy('players_tokens', ['environmentId', 'playerId'])
const removeDays = deleteBy('players_days', ['environmentId', 'playerId'])
