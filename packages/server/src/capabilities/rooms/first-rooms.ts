import type { Background } from '../../platform/background.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import type { FirstRoomStore } from './store.ts'

type FirstRoomDeps = { clock: Clock; background: Pick<Background, 'run'> }

const KNOWN_MAX = 10_000

/** When an environment had its first room, for the first steps of the dashboard. One write per environment and start of a node. */
export function createFirstRooms(store: FirstRoomStore, { clock, background }: FirstRoomDeps) {
  const known = new Map<string, true>()

  async function write(environmentId: string, at: string) {
    try {
      await store.add(environmentId, at)
    } catch (error) {
      known.delete(environmentId)
      throw error
    }
  }

  return {
    note(environmentId: string) {
      if (known.has(environmentId)) return
      setBounded(known, environmentId, true, KNOWN_MAX)
      const at = timestamp(clock)
      background.run(() => write(environmentId, at))
    },
    find: store.find,
  }
}
