import type { PlayerView, SessionView } from '@svc/contract/players'

import type { Queries, Transaction } from './store.ts'

/** One use of a refresh token, for which new tokens are issued. */
export type RefreshUse = { sessionId: string; generation: number }

/** The sessions of players, as this capability uses them. */
export type PlayerSessions = {
  open(queries: Queries, environmentId: string, playerId: string): Promise<RefreshUse>
  issueTokens(environmentId: string, player: PlayerView, use: RefreshUse): Promise<SessionView>
  isLive(transaction: Transaction, environmentId: string, sessionId: string): Promise<boolean>
  /** The id of the session of this refresh token; throws if it is not one of the player. */
  requireOwn(environmentId: string, playerId: string, refreshToken: string): Promise<string>
  /** Returns how many sessions ended. */
  revokeAll(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    options: { reason: 'password_reset' } | { reason: 'unlink'; exceptId: string },
  ): Promise<number>
  /** Closes the connections of the player, on every node. */
  disconnect(environmentId: string, playerId: string, sessions: { except: string | null }): Promise<void>
}
