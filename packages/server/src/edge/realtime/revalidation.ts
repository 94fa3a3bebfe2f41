import { ApiError } from '../../platform/api-error.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { Player } from '../../platform/player.ts'

type RevalidationDeps = {
  findKey(key: string): Awaitable<object | undefined>
  isDeleted(environmentId: string, playerId: string): boolean
  /** A database lookup: throws `player_banned`, or `invalid_token` if the player was deleted. */
  requireMayWrite(player: Player): Promise<unknown>
  /** Throws `session_revoked`. */
  requireLiveSession(player: Player): Promise<unknown>
  /** Those of these players who are neither banned nor deleted. */
  mayWriteAmong(environmentId: string, playerIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Those of these sessions that have not ended. */
  liveAmong(environmentId: string, sessionIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Removes a player from its room and its queues. */
  leaveRoom(environmentId: string, playerId: string, reason: 'banned' | 'left'): Promise<void>
  /** Removes a player from rooms, queues and channels. */
  leaveEverything(environmentId: string, playerId: string): Promise<void>
}

/** Checks whether an accepted connection may stay, and otherwise removes the player from rooms and channels. */
export function createRevalidation(deps: RevalidationDeps) {
  const { findKey, isDeleted, requireMayWrite, requireLiveSession, leaveRoom, leaveEverything } = deps
  const { mayWriteAmong, liveAmong } = deps

  return {
    /** Throws the error with which the connection must be closed. */
    async requireStillAllowed(key: string, player: Player | null) {
      if (!(await findKey(key))) throw new ApiError('invalid_key')
      if (!player) return
      if (isDeleted(player.environmentId, player.id)) throw new ApiError('session_revoked')
      await requireMayWrite(player)
      await requireLiveSession(player)
    },

    /** Those of these players of one environment who may not stay. Two statements for a hundred players. */
    async notAllowedAmong(environmentId: string, players: readonly Player[]): Promise<Set<Player>> {
      const [mayWrite, live] = await Promise.all([
        mayWriteAmong(
          environmentId,
          players.map(({ id }) => id),
        ),
        liveAmong(
          environmentId,
          players.map(({ sessionId }) => sessionId),
        ),
      ])
      return new Set(
        players.filter(
          ({ id, sessionId }) => isDeleted(environmentId, id) || !mayWrite.has(id) || !live.has(sessionId),
        ),
      )
    },

    /** A player whose connection closes keeps its seat for a while; a banned or deleted player must not. */
    async leaveAfter(refusal: ApiError | undefined, environmentId: string, playerId: string) {
      if (refusal?.code === 'player_banned') await leaveRoom(environmentId, playerId, 'banned')
      else if (refusal && isDeleted(environmentId, playerId)) await leaveEverything(environmentId, playerId)
    },
  }
}
