import { LIMITS } from '@svc/contract/common/limits'
import type { LiveQueue } from '@svc/contract/realtime/rooms'

import type { Queries } from '../../platform/actors/queries.ts'
import { type RawJson, rawList, rawObject } from '../../platform/http/raw-json.ts'
import type { Queue } from './queue.ts'
import type { RoomActor } from './room-actor.ts'
import type { ListedRoom } from './room-protocol.ts'

const LIVE_ROOMS_MAX = 1_000

type RoomViewsDeps = {
  nodeId: string
  queries: Queries
  roomsHere(environmentId: string): RoomActor[]
  queuesHere(environmentId: string): Queue[]
}

export type RoomViews = ReturnType<typeof createRoomViews>

/** The rooms and queues of an environment, on all nodes together. */
export function createRoomViews({ nodeId, queries, roomsHere, queuesHere }: RoomViewsDeps) {
  const roomsOf = (environmentId: string) =>
    roomsHere(environmentId).flatMap(({ current: room }) => (room ? { id: room.info.id, room } : []))

  const openRooms = queries.define(
    'rooms.open',
    ({ environmentId, mode }: { environmentId: string; mode: string | null }): ListedRoom[] =>
      newest(
        roomsOf(environmentId).filter(
          ({ room: { isOpenToAll, info } }) => isOpenToAll && (mode ?? info.mode) === info.mode,
        ),
        LIMITS.roomsListed,
      ).map(({ room }) => room.summary()),
  )
  const allRooms = queries.define('rooms.all', (environmentId: string): ListedRoom[] =>
    newest(roomsOf(environmentId), LIVE_ROOMS_MAX).map(({ room }) => room.liveView(nodeId)),
  )
  const waitingQueues = queries.define('queues.waiting', (environmentId: string): LiveQueue[] =>
    queuesHere(environmentId)
      .map((queue) => queue.liveView())
      .filter(({ waiting }) => waiting > 0),
  )

  return {
    /** Open public rooms, newest first (ROM-01). */
    async list(environmentId: string, mode: string | undefined) {
      const found = await openRooms({ environmentId, mode: mode ?? null })
      return rawObject({ rooms: listOf(found, LIMITS.roomsListed) })
    },

    /** For developers: the newest rooms, and how many players wait; no message, no state (DEV-16). */
    async live(environmentId: string): Promise<{ rooms: RawJson; queues: LiveQueue[] }> {
      const queues = await waitingQueues(environmentId)
      return {
        rooms: listOf(await allRooms(environmentId), LIVE_ROOMS_MAX),
        queues: queues.flat().sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)),
      }
    },
  }
}

const placeOf = ({ mode, pool = '' }: LiveQueue) => `${mode}:${pool}`

/** Newer rooms have higher ids. */
const newest = <Listed extends { id: string }>(rooms: Listed[], max: number): Listed[] =>
  rooms.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, max)

const listOf = (found: ListedRoom[][], max: number) =>
  rawList(newest(found.flat(), max).map(({ text }) => text))
