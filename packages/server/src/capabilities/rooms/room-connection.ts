import type { LocalConnection } from '../../platform/actors/members.ts'
import type { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { isQueue } from './queue-protocol.ts'
import { isRoom } from './room-protocol.ts'

/** The part of a connection that rooms use. */
export type RoomConnection = LocalConnection & {
  localAddress: string
  clientAddress: string
  identity: { player: Player | null; displayName: string | null } | undefined
  sendEvent(event: object): void
  warn(refusal: ApiError, about: { request: string }): void
}

/** The sender of a frame. */
export type Caller = {
  connection: RoomConnection
  environment: Pick<Environment, 'name'>
  player: Player
  displayName: string | null
  /** The sender waits for a reply to this id. */
  rid: string | number | undefined
}

export const joiningPlayerOf = ({ connection, player, displayName }: Caller) => ({
  ref: connection.ref,
  player: { id: player.id, displayName },
})

export const roomOf = (connection: RoomConnection) => membershipOf(connection, isRoom)
export const queueOf = (connection: RoomConnection) => membershipOf(connection, isQueue)

function membershipOf<Name extends string>(
  { memberships }: RoomConnection,
  isMeant: (name: string) => name is Name,
): Name | undefined {
  for (const name of memberships.keys()) if (isMeant(name)) return name
  return undefined
}
