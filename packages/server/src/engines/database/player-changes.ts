import type { Database, Transaction } from './database.ts'

/** The name of the lock that every change of a player takes. */
export const playerLock = (environmentId: string, playerId: string) => `player:${environmentId}:${playerId}`

/**
 * Runs changes of one player one after the other, on all nodes: sign-in, ban, link, deletion and every write that must not happen
 * after the deletion take the same lock.
 */
export const changePlayer =
  (db: Database) =>
  <T>(environmentId: string, playerId: string, work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    db.exclusively(playerLock(environmentId, playerId), work)
