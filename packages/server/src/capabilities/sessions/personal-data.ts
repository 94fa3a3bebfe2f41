import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { SessionStore, Transaction } from './store.ts'

const LIFETIME_MS = 90 * DAY_MS
/** Who has signed in more often is told `invalid_refresh_token` by the oldest. */
const TRACES_MAX = 1_000

/** Everything this part stores about a player: to be shown to the player, and to be removed. */
export const createPersonalData = (store: SessionStore, clock: Clock) => ({
  async exportForPlayer(environmentId: string, playerId: string) {
    const sessions = await store.listOf(environmentId, playerId)
    const transferCode = await store.transferCodeOf(environmentId, playerId)
    return {
      sessions: sessions.map(({ id, createdAt, rotatedAt, expiresAt, revokedAt, revokedReason }) => ({
        id,
        createdAt,
        lastUsedAt: rotatedAt,
        expiresAt,
        revokedAt,
        revokedReason,
      })),
      transferCode: transferCode ?? null,
    }
  },

  /**
   * Of each session a hash of its id stays for as long as its refresh token could be used, so that a client that still has the token is told
   * why it ended (SES-10). Nothing leads from the hash to the player.
   */
  async removeForPlayer(transaction: Transaction, environmentId: string, playerId: string) {
    const sessions = store.in(transaction)
    const [now, latest] = [timestamp(clock), timestamp(clock, LIFETIME_MS)]
    for (const { id, expiresAt } of (await sessions.listOf(environmentId, playerId)).slice(-TRACES_MAX)) {
      if (expiresAt <= now) continue
      const until = expiresAt < latest ? expiresAt : latest
      await sessions.insertDeleted({ environmentId, idHash: sha256(id), expiresAt: until })
    }
    await sessions.removeAll(environmentId, playerId)
  },
})
