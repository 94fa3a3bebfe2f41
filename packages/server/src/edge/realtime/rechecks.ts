import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS } from '../../platform/clock.ts'
import type { Player } from '../../platform/player.ts'
import type { Timers } from '../../platform/time/timers.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { closeCodeOf, closeFor, isTemporary } from './protocol.ts'

export type Disconnection = {
  environmentId: string
  playerId: string
  sessions: { id: string } | { except: string | null }
  code: number
  reason: string
  /** Details of the ban, if the player is disconnected because of one. */
  ban?: Record<string, unknown>
}

type RecheckDeps = {
  connections: Connections
  clock: Clock
  timers: Timers
  /** Throws the error with which the connection must be closed. */
  requireStillAllowed(key: string, player: Player | null): Promise<void>
  /** Those of these players of one environment who may not stay. The number of statements does not depend on that of players. */
  notAllowedAmong(environmentId: string, players: readonly Player[]): Promise<ReadonlySet<Player>>
  refreshFeatures(environmentId: string): Promise<void>
  asApiError(error: unknown): ApiError
}

/**
 * Revocations say which connections to check. Of all connections, those of the last minute are checked each minute: an access token of a
 * session that has ended still opens one. All are checked every tenth time.
 */
const NEW_CHECKED_EVERY_MS = MINUTE_MS
const ALL_CHECKED_EVERY = 10
const PLAYERS_PER_CHECK = 100

/** Closes connections that are no longer allowed: after a message, after a revocation, and from time to time by a look at all. */
export function createRechecks(deps: RecheckDeps) {
  const { connections, clock, timers, requireStillAllowed, notAllowedAmong, refreshFeatures } = deps
  /** Counts what may have ended connections: one that was being authenticated meanwhile must be checked again. */
  let changes = 0
  let rounds = 0
  let round: Promise<void> | undefined

  timers.every(NEW_CHECKED_EVERY_MS, () => {
    const isFull = ++rounds % ALL_CHECKED_EVERY === 0
    // A slow database delays the next round, and gets no second one beside it.
    round ??= (isFull ? checkAll() : checkNew()).finally(() => (round = undefined))
  })

  /** What cannot be looked up now does not spare the others for ten minutes. */
  const attempt = (lookup: Promise<unknown>) => lookup.catch((error: unknown) => void deps.asApiError(error))

  async function checkAll() {
    for (const environmentId of connections.environments()) await attempt(refreshFeatures(environmentId))
    await attempt(recheckKeys())
    await checkPlayers(connections.all())
  }

  const checkNew = () => {
    const afterMs = clock.elapsedMs() - NEW_CHECKED_EVERY_MS
    return checkPlayers([...connections.all()].filter(({ openedAtMs }) => openedAtMs >= afterMs))
  }

  async function checkPlayers(some: Iterable<Connection>) {
    const byEnvironment = Map.groupBy(some, ({ identity }) => identity?.player?.environmentId)
    for (const [environmentId, its] of byEnvironment)
      for (let from = 0; environmentId !== undefined && from < its.length; from += PLAYERS_PER_CHECK)
        await attempt(checkGroup(environmentId, its.slice(from, from + PLAYERS_PER_CHECK)))
  }

  async function checkGroup(environmentId: string, group: readonly Connection[]) {
    const players = group.flatMap(({ identity }) => identity?.player ?? [])
    const refused = await notAllowedAmong(environmentId, players)
    for (const connection of group)
      if (connection.identity?.player && refused.has(connection.identity.player)) await refusalOf(connection)
  }

  /** Closes the connection if it is no longer allowed, and returns why. Throws when the lookup fails. */
  async function refusalOf(connection: Connection): Promise<ApiError | undefined> {
    const { identity } = connection
    if (!identity) return undefined
    try {
      await requireStillAllowed(identity.key, identity.player)
      return undefined
    } catch (error) {
      const refusal = definiteRefusal(error)
      closeFor(connection, refusal)
      return refusal
    }
  }

  /** After a key was revoked: closes the connections that use it. One lookup per key. */
  async function recheckKeys() {
    changes++
    const byKey = Map.groupBy(connections.all(), ({ identity }) => identity?.key)
    for (const [key, itsOwn] of byKey) {
      if (key === undefined) continue
      await requireStillAllowed(key, null).catch((error: unknown) => {
        const { code } = definiteRefusal(error)
        itsOwn.forEach((connection) => connection.close(closeCodeOf(code), code))
      })
    }
  }

  return {
    get changes(): number {
      return changes
    },
    recheckKeys,

    /** After a revocation: closes the player's connections that are no longer allowed. Returns the first reason. */
    async recheckPlayer(environmentId: string, playerId: string): Promise<ApiError | undefined> {
      changes++
      const its = connections.ofPlayer(environmentId, playerId)
      const refusals = await Promise.all(its.map(refusalOf))
      return refusals.find((refusal) => refusal !== undefined)
    },

    disconnectHere({ environmentId, playerId, sessions, code, reason, ban }: Disconnection) {
      changes++
      for (const connection of connections.ofPlayer(environmentId, playerId)) {
        const sessionId = connection.identity?.player?.sessionId
        const isMeant = 'id' in sessions ? sessions.id === sessionId : sessions.except !== sessionId
        if (!isMeant) continue
        if (ban) closeFor(connection, new ApiError('player_banned', ban))
        else connection.close(code, reason)
      }
    },
  }
}

function definiteRefusal(error: unknown): ApiError {
  if (!(error instanceof ApiError) || isTemporary(error)) throw error
  return error
}
