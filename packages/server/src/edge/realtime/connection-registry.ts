import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import { type ConnectionRef, nodeOf, numberOf } from '../../platform/actors/connection-ref.ts'
import type { Player } from '../../platform/player.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'

type Deps = {
  records: Cluster['records']
  /** Closes the connection, on any node. */
  close(connection: ConnectionRef, code: number, reason: string): void
}

/** The connection of each player, shared by all nodes: a newer connection replaces the previous one (WSK-04). */
export function createConnectionRegistry({ records, close }: Deps) {
  const nameOf = ({ environmentId, id }: Player) => `connection:${environmentId}:${id}`

  return {
    /**
     * If the connection closed while it was being registered, it replaces nothing: the client may already have reconnected. Nor does a
     * connection that was opened before the registered one: its client has given it up, and its first frame arrived late.
     */
    async replaceConnection(player: Player, ref: ConnectionRef, isStillConnected: () => boolean) {
      const before = await records.swap(nameOf(player), ref)
      if (before === ref) return
      const isLate = before !== undefined && isOlder(ref, before)
      if (!isLate && isStillConnected())
        return before === undefined ? undefined : close(before, CLOSE_CODES.replaced, 'replaced')
      await records.remove(nameOf(player), ref)
      if (before !== undefined) await records.add(nameOf(player), before)
      if (isLate) close(ref, CLOSE_CODES.replaced, 'replaced')
    },

    leave: (player: Player, ref: ConnectionRef) => records.remove(nameOf(player), ref),
  }
}

/** Whether this connection was opened before the other one. Not known if they are on different nodes. */
const isOlder = (ref: ConnectionRef, other: ConnectionRef): boolean =>
  nodeOf(ref) === nodeOf(other) && numberOf(ref) < numberOf(other)
