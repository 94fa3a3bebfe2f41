import type { ConnectionRef } from '../../platform/actors/actor.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { Connection, Identity } from './connection.ts'
import { textFrame } from './websocket/frame.ts'

const LATEST_NAMES_MAX = 1_000

export type Connections = ReturnType<typeof createConnections>

/** The connections of this node. */
export function createConnections(nodeId: string) {
  const byRef = new Map<ConnectionRef, Connection>()
  const byPlayer = new Map<string, Set<Connection>>()
  const byEnvironment = new Map<string, Set<Connection>>()
  /** The latest renames: a rename during authentication is newer than the name that was looked up. */
  const latestNames = new Map<string, { displayName: string; number: number }>()
  let count = 0
  let renames = 0

  const index = (at: Map<string, Set<Connection>>, key: string, connection: Connection) =>
    void at.set(key, (at.get(key) ?? new Set()).add(connection))

  function unindex(at: Map<string, Set<Connection>>, key: string, connection: Connection) {
    const set = at.get(key)
    set?.delete(connection)
    if (set?.size === 0) at.delete(key)
  }

  return {
    nodeId,
    /** What was sent to clients, by all connections. */
    sent: { frames: 0 },
    newRef: (): ConnectionRef => `${nodeId}/${++count}`,
    frame: textFrame,
    find: (ref: ConnectionRef) => byRef.get(ref),
    all: () => byRef.values(),
    get size() {
      return byRef.size
    },
    environments: (): string[] => [...byEnvironment.keys()],
    countOf: (environmentId: string): number => byEnvironment.get(environmentId)?.size ?? 0,
    ofEnvironment: (environmentId: string): Connection[] => [...(byEnvironment.get(environmentId) ?? [])],
    ofPlayer: (environmentId: string, playerId: string): Connection[] => [
      ...(byPlayer.get(playerKey(environmentId, playerId)) ?? []),
    ],
    /** Ids of players with a connection here, at most `max`. */
    playersOf(environmentId: string, max: number): string[] {
      const ids = new Set<string>()
      for (const { identity } of byEnvironment.get(environmentId) ?? []) {
        if (ids.size >= max) break
        if (identity?.player) ids.add(identity.player.id)
      }
      return [...ids]
    },

    add: (connection: Connection) => void byRef.set(connection.ref, connection),

    identified(connection: Connection, identity: Identity) {
      connection.identity = identity
      const { environment, player } = identity
      index(byEnvironment, environment.id, connection)
      if (!player) return
      const key = playerKey(environment.id, player.id)
      index(byPlayer, key, connection)
      const latest = latestNames.get(key)
      if (latest && latest.number > identity.renamesBefore) identity.displayName = latest.displayName
    },

    get renames() {
      return renames
    },
    /** Returns the names of the actors in which the player's connections of this node are members. */
    rename(environmentId: string, playerId: string, displayName: string): string[] {
      const key = playerKey(environmentId, playerId)
      setBounded(latestNames, key, { displayName, number: ++renames }, LATEST_NAMES_MAX)
      const its = [...(byPlayer.get(key) ?? [])]
      for (const { identity } of its) if (identity) identity.displayName = displayName
      return its.flatMap(({ memberships }) => [...memberships.keys()])
    },

    remove(connection: Connection) {
      byRef.delete(connection.ref)
      if (!connection.identity) return
      const { environment, player } = connection.identity
      unindex(byEnvironment, environment.id, connection)
      if (player) unindex(byPlayer, playerKey(environment.id, player.id), connection)
    },
  }
}

const playerKey = (environmentId: string, playerId: string) => `${environmentId} ${playerId}`
