import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, millisecondsOf, MINUTE_MS } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { FunctionsStore } from './store.ts'

export type FunctionSeries = ReturnType<typeof createFunctionSeries>

const NOTHING = { requests: 0, errors: 0, cpuMs: 0 }

/** Requests, errors and CPU time per minute. The owner of an environment writes them once a minute; any node reads them. */
export function createFunctionSeries(store: FunctionsStore, clock: Clock) {
  const thisMinute = () => Math.floor(millisecondsOf(clock) / MINUTE_MS)

  return {
    async read({ id }: Environment, minutes = 60) {
      const since = thisMinute() + 1 - minutes
      const known = new Map((await store.minutes(id, since)).map(({ minute, ...used }) => [minute, used]))
      return {
        minutes: Array.from({ length: minutes }, (_, index) => ({
          at: new Date((since + index) * MINUTE_MS).toISOString(),
          ...(known.get(since + index) ?? NOTHING),
        })),
      }
    },

    purgeOld: (stopping?: AbortSignal) =>
      store.removeMinutes(thisMinute() + 1 - LIMITS.functionSeriesMinutesMax, stopping),
  }
}
