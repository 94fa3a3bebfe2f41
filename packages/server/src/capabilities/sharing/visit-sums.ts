import { setTimeout as pause } from 'node:timers/promises'

import { type Clock, dayOf, HOUR_MS, millisecondsOf } from '../../platform/clock.ts'
import { oldestKept } from './salts.ts'
import { PLACES, type Place, type VisitorDay, type VisitSumStore } from './visit-sums-store.ts'

/** Until then a visit that was reported before midnight may still be written, and must find that its visitor is counted. */
const LATE_MS = HOUR_MS
/** Between steps, so that players' requests do not wait. */
const PAUSE_MS = 10
const FIRST: VisitorDay = { day: '', environmentId: '' }

/**
 * Adds the visitors of days that are over to the sums of their links, and removes them (SHR-16). New players stay until the day after,
 * because a player counts as new in the 24 hours after its creation. It can be repeated after it was interrupted at any point.
 */
export const createVisitSums =
  (store: VisitSumStore, clock: Clock) =>
  async (stopping?: AbortSignal): Promise<void> => {
    const before = dayOf(millisecondsOf(clock) - LATE_MS)
    const oldest = oldestKept(clock)
    for (let at = await store.dayAfter(FIRST, before); at; at = await store.dayAfter(at, before)) {
      let last: Place | undefined = at.day < oldest ? PLACES.first : PLACES.afterNewcomers
      for (last = await store.addUp(at, last); last; last = await store.addUp(at, last)) {
        stopping?.throwIfAborted()
        await pause(PAUSE_MS)
      }
    }
  }
