import type * as contract from '@svc/contract/stats'

import type { Call } from '../http/http.ts'
import type { Config, Definitions } from './config.ts'

/** The result of `svc.stats.submit`. */
export type Submitted = {
  /** The new values by stat and period, such as `stats.points.daily`. */
  stats: Record<string, contract.PeriodValues>
  /** Values that were not counted, with the reason. */
  rejected: contract.Rejected[]
  /** What the values unlocked. Empty in this version. */
  unlocked: unknown[]
}
/** Numbers that your game reports for the player, per day, week, month and all time. The config defines them. */
export type Stats = ReturnType<typeof createStats>

const WARNED_MAX = 20

/** Numbers that your game reports for the player. */
export function createStats(call: Call, config: Config, warned = new Set<string>()) {
  const get = async (): Promise<Record<string, number>> =>
    (await call<typeof contract.readStats>('GET /v1/stats', {})).stats

  return {
    /**
     * Reports values of the player. Those outside the limits in the config are in `rejected`; the rest count. A key that the config
     * does not define, or a value that is not a number, is a mistake in the code: the console warns about it once.
     *
     * @throws `too_many_stats` The report has more than 64 keys.
     * @example
     * const { rejected } = await svc.stats.submit({ points: 120 })
     * console.log(rejected) // → []
     */
    submit: async (stats: Record<string, number>): Promise<Submitted> => {
      const submitted = await call<typeof contract.submitStats>('POST /v1/stats', { body: { stats } })
      for (const { key, reason } of submitted.rejected)
        if (/^(unknown_stat|invalid_value)$/.test(reason) && !warned.has(key) && warned.size < WARNED_MAX) {
          warned.add(key)
          console.warn(`svc.stats.submit: "${key}" was rejected: ${reason}. See stats in svc.config.json.`)
        }
      return submitted
    },

    /**
     * Reads the player's all-time values.
     *
     * @example
     * const { points = 0 } = await svc.stats.get()
     * console.log(points) // → 120
     */
    get,

    /**
     * Lists the stats that the config defines.
     *
     * @example
     * const [first] = await svc.stats.definitions()
     * console.log(first?.key, first?.aggregation) // → points max
     */
    definitions: async (): Promise<Definitions['stats']> => (await config.get()).stats,

    /** @deprecated Use `get`. */
    read: get,
  }
}
