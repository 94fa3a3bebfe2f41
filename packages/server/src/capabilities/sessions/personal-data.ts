import type { SessionStore, Transaction } from './store.ts'

/** Everything this part stores about a player: to be shown to the player, and to be removed. */
export const createPersonalData = (store: SessionStore) => ({
  async exportOf(environmentId: string, playerId: string) {
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

  removeOf: (transaction: Transaction, environmentId: string, playerId: string) =>
    store.in(transaction).removeAll(environmentId, playerId),
})
