import type { Queries } from '../../platform/actors/queries.ts'
import type { Connections } from './connections.ts'

type Rename = { environmentId: string; playerId: string; displayName: string }

/** The connections of all nodes together. */
export function createConnectionQueries(queries: Queries, connections: Connections) {
  const counts = queries.define('connections.count', (environmentId: string) =>
    connections.countOf(environmentId),
  )
  const countsOfMany = queries.define('connections.counts', (environmentIds: string[]): number[] =>
    environmentIds.map(connections.countOf),
  )
  const countsOfPlayer = queries.define(
    'connections.of-player',
    ({ environmentId, playerId }: { environmentId: string; playerId: string }) =>
      connections.ofPlayer(environmentId, playerId).length,
  )
  const onlineIds = queries.define(
    'connections.players',
    ({ environmentId, max }: { environmentId: string; max: number }): string[] =>
      connections.playersOf(environmentId, max),
  )
  const onlineAmong = queries.define(
    'connections.players-among',
    ({ environmentId, playerIds }: { environmentId: string; playerIds: string[] }): string[] =>
      playerIds.filter((playerId) => connections.ofPlayer(environmentId, playerId).length > 0),
  )
  const renames = queries.define(
    'connections.rename',
    ({ environmentId, playerId, displayName }: Rename): string[] =>
      connections.rename(environmentId, playerId, displayName),
  )

  return {
    async count(environmentId: string): Promise<number> {
      return (await counts(environmentId)).reduce((sum, count) => sum + count, 0)
    },

    async countOfPlayer(environmentId: string, playerId: string): Promise<number> {
      return (await countsOfPlayer({ environmentId, playerId })).reduce((sum, count) => sum + count, 0)
    },

    /** Ids of players with a connection; at most `max` of each node. */
    async players(environmentId: string, max: number): Promise<string[]> {
      return [...new Set((await onlineIds({ environmentId, max })).flat())]
    },

    /** Which of these players have a connection. */
    async playersAmong(environmentId: string, playerIds: string[]): Promise<Set<string>> {
      return new Set((await onlineAmong({ environmentId, playerIds })).flat())
    },

    /** One number for each environment, in their order. */
    async countMany(environmentIds: string[]): Promise<number[]> {
      const counts = await countsOfMany(environmentIds)
      return environmentIds.map((_, index) => counts.reduce((sum, each) => sum + (each[index] ?? 0), 0))
    },

    /** Renames a player on all its connections. Returns the names of the actors in which these are members. */
    async rename(environmentId: string, playerId: string, displayName: string): Promise<string[]> {
      return (await renames({ environmentId, playerId, displayName })).flat()
    },
  }
}
