import type { Part } from '@svc/contract/platform'

import type { Database } from '../engines/database/database.ts'
import type { Cluster } from '../platform/ports/cluster.ts'

/** Whether PostgreSQL has the connections that the nodes open. Otherwise the last node works with few, or does not start. */
export async function databaseConnections({
  db,
  cluster,
}: {
  db: Pick<Database, 'connectionCounts'>
  cluster: Pick<Cluster, 'nodes'>
}): Promise<Part> {
  const counts = await db.connectionCounts?.()
  if (!counts) return { state: 'off', says: 'SQLite needs none' }
  const { perNode, missing, allowed } = counts
  const nodes = cluster.nodes().length
  const needed = nodes * perNode
  const whose = `${nodes} ${nodes === 1 ? 'node opens' : 'nodes open'} ${needed}`
  if (allowed !== undefined && needed > allowed)
    return {
      state: 'warning',
      says: `${whose} connections, PostgreSQL allows ${allowed}: raise max_connections by ${needed - allowed} or more and restart PostgreSQL, or raise the limit of the role or the database`,
    }
  if (missing > 0)
    return {
      state: 'warning',
      says: `this node has ${perNode - missing} of its ${perNode} connections, PostgreSQL refuses more: other programs use them, so raise max_connections`,
    }
  return { state: 'ok', says: allowed === undefined ? whose : `${whose} of ${allowed}` }
}
