import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { SessionStore, Transaction } from './store.ts'

const LIFETIME_MS = 90 * DAY_MS
/** If a player had more sessions, the oldest tokens answer `invalid_refresh_token`. */
const TRACES_MAX = 1_000

/** Exports and removes everything that sessions store about a player. */
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
   * A hash of each session id is kept as long as its refresh token would be valid, so that a client with the token gets the reason
   * why the session ended (SES-10). The hash does not identify the player.
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
