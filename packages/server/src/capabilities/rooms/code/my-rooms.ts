import type { Queries } from '../../../platform/actors/queries.ts'
import { RawJson, rawList, rawObject } from '../../../platform/http/raw-json.ts'
import type { Modes } from '../modes.ts'
import type { RoomActor } from '../room-actor.ts'
import { CodeRoom } from './code-room.ts'
import type { KeptRooms } from './kept-rooms.ts'

type MyRoomsDeps = {
  kept: Pick<KeptRooms, 'roomsOf' | 'hasExpired'>
  modes: Pick<Modes, 'keepsRooms'>
  queries: Queries
  roomsHere(environmentId: string): RoomActor[]
  displayNamesOf(
    environmentId: string,
    playerIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>>
}

type Asked = { environmentId: string; ids: readonly string[] }
type OpenRoom = { id: string; metadata: string; connected: string[] }

export type MyRooms = ReturnType<typeof createMyRooms>

/** The kept rooms in which a player has a seat, open and stored. */
export function createMyRooms({ kept, modes, queries, roomsHere, displayNamesOf }: MyRoomsDeps) {
  const openRooms = queries.define('rooms.openAmong', ({ environmentId, ids }: Asked): OpenRoom[] =>
    roomsHere(environmentId).flatMap(({ current }) =>
      current instanceof CodeRoom && ids.includes(current.info.id)
        ? {
            id: current.info.id,
            metadata: current.info.metadata,
            connected: [...current.room.seats].flatMap(({ playerId, presence }) =>
              presence.connected ? playerId : [],
            ),
          }
        : [],
    ),
  )

  return async (environmentId: string, playerId: string): Promise<RawJson> => {
    if (!(await modes.keepsRooms(environmentId))) return rawObject({ rooms: [] })
    const rooms = await kept.roomsOf(environmentId, playerId)
    if (rooms.length === 0) return rawObject({ rooms })
    const names = await displayNamesOf(environmentId, [
      ...new Set(rooms.flatMap(({ playerIds }) => playerIds)),
    ])
    const open = (await openRooms({ environmentId, ids: rooms.map(({ id }) => id) })).flat()
    const views = rooms.flatMap(({ playerIds, metadata, ...room }) => {
      const opened = open.find(({ id }) => id === room.id)
      if (!opened && kept.hasExpired(room.expiresAt)) return []
      const players = playerIds.map((id) => ({
        id,
        displayName: names.get(id) ?? null,
        connected: opened?.connected.includes(id) ?? false,
      }))
      const shown = {
        open: opened !== undefined,
        metadata: new RawJson(opened?.metadata ?? metadata),
        players,
      }
      return rawObject({ ...room, ...shown }).text
    })
    return rawObject({ rooms: rawList(views) })
  }
}
