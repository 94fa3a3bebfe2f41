import { LIMITS } from '@svc/contract/common/limits'
import type { NetworkConditions } from '@svc/contract/playground'

import type { Queries } from '../../platform/actors/queries.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Timer, Timers } from '../../platform/time/timers.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { simulateNetwork, type SimulatedNetwork } from './simulated-network.ts'

type Deps = {
  connections: Connections
  queries: Queries
  timers: Timers
  clock: Clock
  random: Random
}
type Question = { environmentId: string; playerId: string; conditions: NetworkConditions }
type Simulated = { environmentId: string; playerId: string; conditions: NetworkConditions; expiry: Timer }

/** Players with a simulated network, on each node; a further one ends the oldest. */
const PLAYERS_MAX = 1_000

const isNothing = ({ latencyMs, lossPercent, paused }: NetworkConditions) =>
  latencyMs === 0 && lossPercent === 0 && !paused

/**
 * Which players have a simulated network. Every node knows all of them, because the next connection of a player may be to any; a node
 * that starts later does not.
 */
export function createSimulatedNetworks({ connections, queries, timers, clock, random }: Deps) {
  const players = new Map<string, Simulated>()
  const networks = new WeakMap<Connection, SimulatedNetwork>()
  const network = { timers, random, nowMs: () => clock.elapsedMs() }

  function begin(connection: Connection, conditions: NetworkConditions) {
    const existing = networks.get(connection)
    if (existing) existing.change(conditions)
    else networks.set(connection, simulateNetwork(connection, conditions, network))
  }

  function end({ environmentId, playerId, expiry }: Simulated) {
    expiry.cancel()
    players.delete(playerKey(environmentId, playerId))
    for (const connection of connections.ofPlayer(environmentId, playerId)) {
      networks.get(connection)?.end()
      networks.delete(connection)
    }
  }

  /** Returns how many connections of the player this node has. */
  function setHere({ environmentId, playerId, conditions }: Question): number {
    const key = playerKey(environmentId, playerId)
    const its = connections.ofPlayer(environmentId, playerId)
    const before = players.get(key)
    if (isNothing(conditions)) {
      if (before) end(before)
      return its.length
    }
    before?.expiry.cancel()
    players.delete(key)
    const [oldest] = players.values()
    if (oldest && players.size >= PLAYERS_MAX) end(oldest)
    const simulated: Simulated = {
      environmentId,
      playerId,
      conditions,
      expiry: timers.after(LIMITS.simulatedNetworkTtlMs, () => end(simulated)),
    }
    players.set(key, simulated)
    for (const connection of its) begin(connection, conditions)
    return its.length
  }

  const setOnAllNodes = queries.define('connections.simulate-network', setHere)

  return {
    /** A player has connected. */
    connected(connection: Connection, environmentId: string, playerId: string) {
      if (players.size === 0) return
      const simulated = players.get(playerKey(environmentId, playerId))
      if (simulated) begin(connection, simulated.conditions)
    },

    /** Returns how many open connections the player has. */
    async set(environmentId: string, playerId: string, conditions: NetworkConditions): Promise<number> {
      const counts = await setOnAllNodes({ environmentId, playerId, conditions })
      return counts.reduce((sum, count) => sum + count, 0)
    },
  }
}

const playerKey = (environmentId: string, playerId: string) => `${environmentId} ${playerId}`
