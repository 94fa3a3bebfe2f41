import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import type { CardStore } from './cards-store.ts'
import type { Openings } from './openings.ts'
import type { Blobs } from './ports.ts'
import type { Salts } from './salts.ts'
import type { LinkStore } from './store.ts'

export type SweepDeps = {
  links: Pick<LinkStore, 'removeUnvisited'>
  cards: CardStore
  addUpVisits(stopping: AbortSignal): Promise<void>
  salts: Pick<Salts, 'removeOld'>
  blobs: Pick<Blobs, 'remove' | 'list'>
  openings: Pick<Openings, 'write'>
  clock: Clock
}

const CARD_UNUSED_DAYS_MAX = 30

/** Removes data that is no longer needed. Each step can be repeated after it was interrupted. */
export function createSweeps({ links, cards, addUpVisits, salts, blobs, openings, clock }: SweepDeps) {
  const daysAgo = (days: number) => timestamp(clock, -days * DAY_MS).slice(0, 10)

  return {
    /** Adds visitors to the sums and removes them, and the salts of the day before yesterday and earlier. */
    async visitors(stopping: AbortSignal): Promise<void> {
      await addUpVisits(stopping)
      await salts.removeOld()
    },

    async links(): Promise<void> {
      await openings.write()
      const day = daysAgo(LIMITS.shareLinkUnvisitedDaysMax)
      while ((await links.removeUnvisited(day, timestamp(clock))) > 0);
    },

    async cards(): Promise<void> {
      const day = daysAgo(CARD_UNUSED_DAYS_MAX)
      while ((await cards.removeUnused(day, timestamp(clock))) > 0);
    },

    /** Removes pictures whose link or card was deleted. */
    async blobs(): Promise<void> {
      for (let due = await cards.dueRemovals(timestamp(clock)); due.length > 0;) {
        for (const key of due) {
          const [, environmentId = '', file = ''] = key.split('/')
          const [name = ''] = file.split('-')
          if (!(await cards.isUsed(environmentId, name, key))) await blobs.remove(key)
          await cards.forgetRemoval(key)
        }
        due = await cards.dueRemovals(timestamp(clock))
      }
    },

    /** Removes all pictures of an environment that is being deleted; its rows are deleted elsewhere. */
    async environment(environmentId: string): Promise<void> {
      for await (const key of blobs.list(`cards/${environmentId}/`)) await blobs.remove(key)
    },
  }
}
