import { LIMITS } from '@svc/contract/limits'
import type { LiveQueue } from '@svc/contract/rooms'

import type { Actors } from '../../platform/actors/actors.ts'
import { type RawJson, rawList, rawObject } from '../../platform/raw-json.ts'
import type { RoomQuestion } from './room-actor.ts'
import type { ListedRoom } from './room-protocol.ts'

const LIVE_ROOMS_MAX = 1_000

export type RoomViews = ReturnType<typeof createRoomViews>

/** What is going on in an environment, on all nodes together. */
export function createRoomViews({ survey }: Pick<Actors, 'survey'>) {
  async function rooms(environmentId: string, question: RoomQuestion): Promise<RawJson> {
    const answers = (await survey('room', environmentId, question)) as ListedRoom[][]
    const newest = answers
      .flat()
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, question.most)
    return rawList(newest.map(({ text }) => text))
  }

  return {
    /** Open public rooms, newest first (ROM-01). */
    async list(environmentId: string, mode: string | undefined) {
      const question: RoomQuestion = { ask: 'open', mode: mode ?? null, most: LIMITS.roomsListed }
      return rawObject({ rooms: await rooms(environmentId, question) })
    },

    /** For developers: the newest rooms, and who waits; no message, no state (DEV-16). */
    async live(environmentId: string): Promise<{ rooms: RawJson; queues: LiveQueue[] }> {
      const queues = (await survey('queue', environmentId)) as LiveQueue[][]
      return {
        rooms: await rooms(environmentId, { ask: 'all', most: LIVE_ROOMS_MAX }),
        queues: queues.flat().sort((a, b) => (a.mode < b.mode ? -1 : 1)),
      }
    },
  }
}
