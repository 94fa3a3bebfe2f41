import { setTimeout as pause } from 'node:timers/promises'

import { type Clock, dayOf, HOUR_MS, millisecondsOf } from '../../platform/clock.ts'
import { oldestKept } from './salts.ts'
import type { VisitorDay, VisitSumStore } from './visit-sums-store.ts'

/** Until then a visit that was reported before midnight may still be written, and must find that its visitor is counted. */
const LATE_MS = HOUR_MS
/** Between steps, so that players' requests do not wait: a million visitors take less than a minute. */
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
      const newcomers = at.day < oldest ? 'removed' : 'kept'
      while ((await store.addUp(at, { newcomers })) > 0) {
        stopping?.throwIfAborted()
        await pause(PAUSE_MS)
      }
    }
  }
