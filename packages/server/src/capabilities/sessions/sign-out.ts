import type { Actor } from '@svc/contract/common/schemas'
import type { PlayerSession } from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { RefreshChains } from './refresh-chains.ts'
import type { SessionStore, Transaction } from './store.ts'

type SignOutDeps = {
  clock: Clock
  audit: Audit<Transaction>
  chains: Pick<RefreshChains, 'revokeAll' | 'disconnect'>
  playerExists(transaction: Transaction, environmentId: string, playerId: string): Promise<boolean>
}

export type SignOut = ReturnType<typeof createSignOut>

const SHOWN_MAX = 20

/** Lists and ends the sessions of a player, for developers. */
export function createSignOut(store: SessionStore, { clock, audit, chains, playerExists }: SignOutDeps) {
  return {
    /** Active sessions, newest first. */
    async list(environmentId: string, playerId: string): Promise<PlayerSession[]> {
      const now = timestamp(clock)
      const sessions = await store.listOf(environmentId, playerId)
      return sessions
        .filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now)
        .slice(-SHOWN_MAX)
        .reverse()
        .map(({ id, createdAt, rotatedAt, expiresAt }) => ({
          id,
          createdAt,
          lastUsedAt: rotatedAt,
          expiresAt,
        }))
    },

    async signOut(environment: Environment, actor: Actor, playerId: string) {
      const { id: environmentId } = environment
      const revokedSessions = await store.changePlayer(environmentId, playerId, async (transaction) => {
        if (!(await playerExists(transaction, environmentId, playerId)))
          throw new ApiError('player_not_found')
        const revoked = await chains.revokeAll(transaction, environmentId, playerId, { reason: 'logout' })
        await audit.record(
          transaction,
          changeIn(environment, actor, 'player.sign_out', playerId, { revokedSessions: revoked }),
        )
        return revoked
      })
      // After the transaction: a client that reconnects now must find its session ended.
      await chains.disconnect(environmentId, playerId, { except: null })
      return { revokedSessions }
    },
  }
}
