import type { Actors } from '../../platform/actors/actors.ts'
import type { Caller } from './room-connection.ts'
import { roomActorName } from './room-protocol.ts'

type Deps = {
  ask: Actors['ask']
  /** The room in which the player may have a seat. */
  findRoom(environmentId: string, playerId: string): Promise<string | undefined>
}

/**
 * Finds the match of a player who has just lost the connection, perhaps while the match started: then the player knows nothing of the seat
 * and searches again. A seat in any other room is released when the player gets another one (ROM-08).
 */
export function createReturning({ ask, findRoom }: Deps) {
  return async function findMatch(
    { connection, player: { environmentId, id: playerId } }: Caller,
    modeKey: string,
    pool: string | null,
  ): Promise<string | undefined> {
    const roomId = await findRoom(environmentId, playerId)
    if (roomId === undefined) return undefined
    const room = roomActorName(environmentId, roomId)
    const mayReturn = await ask(room, { type: 'hasSeat', playerId, by: connection.ref })
    const info = mayReturn === true ? await ask(room, { type: 'describe' }) : undefined
    return info?.mode === modeKey && info.match?.pool === pool ? roomId : undefined
  }
}
