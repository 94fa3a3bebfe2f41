import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
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
    /** If the connection closed while it was being registered, it replaces nothing: the client may already have reconnected. */
    async replaceConnection(player: Player, ref: ConnectionRef, isStillConnected: () => boolean) {
      const before = await records.swap(nameOf(player), ref)
      if (before === ref) return
      if (isStillConnected())
        return before === undefined ? undefined : close(before, CLOSE_CODES.replaced, 'replaced')
      await records.remove(nameOf(player), ref)
      if (before !== undefined) await records.add(nameOf(player), before)
    },

    leave: (player: Player, ref: ConnectionRef) => records.remove(nameOf(player), ref),
  }
}
