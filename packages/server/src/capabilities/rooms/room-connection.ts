import type { ActorName } from '../../platform/actors/actor.ts'
import type { LocalConnection } from '../../platform/actors/members.ts'
import type { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'

/** What rooms know of a connection of this node. */
export type RoomConnection = LocalConnection & {
  localAddress: string
  clientAddress: string
  identity: { player: Player | null; displayName: string | null } | undefined
  tell(event: object): void
  warn(refusal: ApiError, about: { request: string }): void
}

/** Who sends a frame. */
export type Caller = {
  connection: RoomConnection
  environment: Pick<Environment, 'name'>
  player: Player
  displayName: string | null
}

export const joiningPlayerOf = ({ connection, player, displayName }: Caller) => ({
  ref: connection.ref,
  player: { id: player.id, displayName },
})

export const roomOf = (connection: RoomConnection) => actorNameIn(connection, 'room:')
export const queueOf = (connection: RoomConnection) => actorNameIn(connection, 'queue:')

function actorNameIn({ memberships: memberships }: RoomConnection, kind: string): ActorName | undefined {
  for (const name of memberships.keys()) if (name.startsWith(kind)) return name
  return undefined
}
