import { statement, type Transaction } from '../../../engines/database/database.ts'
import { playerLock } from '../../../engines/database/player-changes.ts'
import { deleteBy, updateBy } from '../../../engines/database/row-statements.ts'
import type { PlayerKey } from '../../../platform/player.ts'
import { removeAddresses } from '../email/address-store.ts'
import { removeXChoice } from './x-profile-store.ts'

type IdentityKey = { environmentId: string; provider: string; subject: string }

/** The queries of linking and unlinking. */
export const identityStore = {
  /** Serializes sign-in, sign-up and link with one identity. Lock it before a player, never after. */
  lockIdentity: (transaction: Transaction, { environmentId, provider, subject }: IdentityKey) =>
    transaction.lock(`players:identity:${environmentId}:${provider}:${subject}`),
  lockPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.lock(playerLock(environmentId, playerId)),

  /** Removes the choice to show the X profile: a player who links X again must choose again (SHR-13). */
  removeXChoice: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeXChoice, { environmentId, playerId }),

  setProfile: (transaction: Transaction, identity: IdentityKey & { profile: string }) =>
    transaction.run(setProfile, identity),

  /** Also removes the password, all mailed links, and the addresses of sign-ins. */
  async removeEmail(transaction: Transaction, environmentId: string, playerId: string) {
    await transaction.run(clearEmail, { environmentId, playerId })
    await transaction.run(removeTokens, { environmentId, playerId })
    await transaction.run(removeAddresses, { environmentId, playerId })
  },
}

const setProfile = updateBy('players_identities', ['profile'], ['environmentId', 'provider', 'subject'])
const clearEmail = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .updateTable('players')
    .set({ email: null, emailLinkedAt: null, emailVerifiedAt: null, passwordHash: null })
    .where((e) => e.and({ environmentId, id: playerId })),
)
const removeTokens = deleteBy('players_tokens', ['environmentId', 'playerId'])
