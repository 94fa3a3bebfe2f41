import { type Clock, DAY_MS, dayOf, millisecondsOf } from '../../platform/clock.ts'
import type { LinkRow, LinkStore } from './store.ts'

export type Openings = ReturnType<typeof createOpenings>
type Opened = Pick<LinkRow, 'environmentId' | 'id' | 'lastVisitOn'>

/** More are not noted until the next write; they are noted when they are opened again. */
const LINKS_MAX = 10_000

/**
 * The days on which links were opened, by anybody and anything: links that nobody opens are removed (SHR-14). It has nothing to do with
 * visits, which are not counted in every app. Noted in memory and written each minute, so that no request waits for it.
 */
export function createOpenings(store: Pick<LinkStore, 'setOpened'>, clock: Clock) {
  let waiting = new Map<string, Opened>()
  let [dayNumber, today] = [Number.NaN, '']

  /** A date is formatted once a day. */
  function dayNow(): string {
    const ms = millisecondsOf(clock)
    const number = Math.floor(ms / DAY_MS)
    if (number !== dayNumber) [dayNumber, today] = [number, dayOf(ms)]
    return today
  }

  return {
    note({ environmentId, id, lastVisitOn }: Opened): void {
      const day = dayNow()
      if (lastVisitOn !== day && waiting.size < LINKS_MAX)
        waiting.set(`${environmentId} ${id}`, { environmentId, id, lastVisitOn: day })
    },

    /** Links that cannot be written are noted when they are opened again. */
    async write(): Promise<void> {
      const opened = [...waiting.values()]
      waiting = new Map()
      for (const group of Map.groupBy(opened, groupOf).values()) {
        const [first] = group
        if (!first) continue
        const { environmentId, lastVisitOn } = first
        // In order, so that nodes that write the same links do not wait for each other.
        const ids = group.map(({ id }) => id).toSorted()
        await store.setOpened(environmentId, lastVisitOn, ids)
      }
    },
  }
}

const groupOf = ({ environmentId, lastVisitOn }: Opened) => `${environmentId} ${lastVisitOn}`
