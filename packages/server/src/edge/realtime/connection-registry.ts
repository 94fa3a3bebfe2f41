import { CLOSE_CODES } from '@svc/contract/realtime'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Cluster } from '../../platform/cluster.ts'
import type { Player } from '../../platform/player.ts'

type Needs = {
  records: Cluster['records']
  /** Wherever it is. */
  close(connection: ConnectionRef, code: number, reason: string): void
}

/** Which connection a player has, for all nodes to see: a newer one replaces the one before it (WSK-04). */
export function createConnectionRegistry({ records, close }: Needs) {
  const nameOf = ({ environmentId, id }: Player) => `connection:${environmentId}:${id}`

  return {
    /** One that is gone by the time it is written down replaces nobody: a client that comes back at once may have been faster. */
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
