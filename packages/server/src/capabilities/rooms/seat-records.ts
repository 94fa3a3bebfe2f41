import type { ActorName, ConnectionRef } from '../../platform/actors/actor.ts'
import type { Cluster } from '../../platform/cluster.ts'
import { type RoomMessage, roomActorName } from './room-protocol.ts'

type Needs = {
  records: Cluster['records']
  ask(room: ActorName, message: RoomMessage): unknown
}

export type SeatRecords = ReturnType<typeof createSeatRecords>

/**
 * In which room a player has a seat, and by which connection, for all nodes to see. Only a hint: the room itself knows. Because every
 * new seat gives up the one that stood here before, a player ends up with one, whatever happens at the same time.
 */
export function createSeatRecords({ records, ask }: Needs) {
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
      await ask(former, { do: 'expel', playerId, reason: 'replaced', ref: formerRef })
    },

    seatFreed: (environmentId: string, playerId: string, roomId: string, ref: ConnectionRef) =>
      records.remove(nameOf(environmentId, playerId), valueOf(roomId, ref)),
  }
}
