import { statement, type Transaction } from '../../engines/database/database.ts'
import type { PlayerKey } from '../../platform/player.ts'
import { removeAddresses } from './address-store.ts'
import { removeXChoice } from './x-profile-store.ts'

type IdentityKey = { environmentId: string; provider: string; subject: string }

/** What linking and unlinking need beside the player store. */
export const identityStore = {
  /** Who signs in, signs up or links with one identity comes one after the other. Locked before a player, never after. */
  lockIdentity: (transaction: Transaction, { environmentId, provider, subject }: IdentityKey) =>
    transaction.lock(`players:identity:${environmentId}:${provider}:${subject}`),
  /** The same lock as `change` of the player store. */
  lockPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.lock(`player:${environmentId}:${playerId}`),

  /** Whether the profile of X is shown: a player who links X again is asked again (SHR-13). */
  removeXChoice: (transaction: Transaction, environmentId: string, playerId: string) =>
    transaction.run(removeXChoice, { environmentId, playerId }),

  setProfile: (transaction: Transaction, identity: IdentityKey & { profile: string }) =>
    transaction.run(setProfile, identity),

  /** With its password, with every link that was mailed to it, and with the addresses it was signed in to from. */
  async removeEmail(transaction: Transaction, environmentId: string, playerId: string) {
    await transaction.run(clearEmail, { environmentId, playerId })
    await transaction.run(removeTokens, { environmentId, playerId })
    await transaction.run(removeAddresses, { environmentId, playerId })
  },
}

const setProfile = statement(
  (q, { environmentId, provider, subject, profile }: IdentityKey & { profile: string }) =>
    q
      .updateTable('players_identities')
      .set({ profile })
      .where('environmentId', '=', environmentId)
      .where('provider', '=', provider)
      .where('subject', '=', subject),
)
const clearEmail = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .updateTable('players')
    .set({ email: null, emailLinkedAt: null, emailVerifiedAt: null, passwordHash: null })
    .where('environmentId', '=', environmentId)
    .where('id', '=', playerId),
)
const removeTokens = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('players_tokens').where('environmentId', '=', environmentId).where('playerId', '=', playerId),
)
