import type { Queries } from '../../platform/actors/queries.ts'
import type { Connections } from './connections.ts'

type Rename = { environmentId: string; playerId: string; displayName: string }

/** The connections of all nodes together. */
export function createConnectionQueries(queries: Queries, connections: Connections) {
  const counts = queries.define(
    'connections.count',
    (environmentId: string) => connections.ofEnvironment(environmentId).length,
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

    /** Renames a player on all its connections. Returns the names of the actors in which these are members. */
    async rename(environmentId: string, playerId: string, displayName: string): Promise<string[]> {
      return (await renames({ environmentId, playerId, displayName })).flat()
    },
  }
}
