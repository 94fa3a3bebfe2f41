import type * as contract from '@svc/contract/stats'

import type { Config, Definitions } from './config.ts'
import type { Call } from '../http/http.ts'

/** `svc.stats`. */
export type Stats = ReturnType<typeof createStats>

const WARNED_MAX = 20

/** Reported values of the player. */
export const createStats = (call: Call, config: Config, warned = new Set<string>()) => ({
  /**
   * Reports values. Rejected ones are in `rejected` with their reason; the others are counted. Keys that the config does not
   * define and values that are not numbers are mistakes in the code, so the console names each of them once.
   *
   * @example
   * const { rejected } = await svc.stats.submit({ points: 120 })
   * console.log(rejected) // → []
   */
  submit: async (stats: Record<string, number>): Promise<contract.Submitted> => {
    const submitted = await call<typeof contract.submitStats>('POST /v1/stats', { body: { stats } })
    for (const { key, reason } of submitted.rejected)
      if (/^(unknown_stat|invalid_value)$/.test(reason) && !warned.has(key) && warned.size < WARNED_MAX) {
        warned.add(key)
        console.warn(`svc.stats.submit: "${key}" was rejected: ${reason}. See stats in svc.config.json.`)
      }
    return submitted
  },

  /**
   * Reads the all-time values.
   *
   * @example
   * const { points = 0 } = await svc.stats.read()
   * console.log(points) // → 120
   */
  read: async (): Promise<Record<string, number>> =>
    (await call<typeof contract.readStats>('GET /v1/stats', {})).stats,

  /**
   * Reads the stats that the config defines.
   *
   * @example
   * for (const { key, aggregation } of await svc.stats.definitions()) console.log(key, aggregation) // → points max
   */
  definitions: async (): Promise<Definitions['stats']> => (await config.read()).stats,
})
