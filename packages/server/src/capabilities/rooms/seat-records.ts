import type { ConnectionRef } from '../../platform/actors/actor.ts'
import type { Actors } from '../../platform/actors/actors.ts'
import type { Cluster } from '../../platform/ports/cluster.ts'
import { roomActorName } from './room-protocol.ts'

type Deps = {
  records: Cluster['records']
  ask: Actors['ask']
}

/**
 * Records for all nodes in which room a player has a seat, and by which connection. A hint only; the room is authoritative. Each
 * new seat releases the previously recorded one, so a player ends with one seat even under races.
 */
export function createSeatRecords({ records, ask }: Deps) {
  const nameOf = (environmentId: string, playerId: string) => `seat:${environmentId}:${playerId}`
  const valueOf = (roomId: string, ref: ConnectionRef) => `${roomId} ${ref}`

  return {
    async find(environmentId: string, playerId: string): Promise<string | undefined> {
      return (await records.get(nameOf(environmentId, playerId)))?.split(' ')[0]
    },

    async seatTaken(environmentId: string, playerId: string, roomId: string, ref: ConnectionRef) {
      const before = await records.swap(nameOf(environmentId, playerId), valueOf(roomId, ref))
      const [formerRoomId, formerRef] = before?.split(' ') ?? []
      if (formerRoomId === undefined || formerRef === undefined || formerRoomId === roomId) return
      const former = roomActorName(environmentId, formerRoomId)
      await ask(former, { type: 'removePlayer', playerId, reason: 'replaced', ref: formerRef })
    },

    seatFreed: (environmentId: string, playerId: string, roomId: string, ref: ConnectionRef) =>
      records.remove(nameOf(environmentId, playerId), valueOf(roomId, ref)),
  }
}
