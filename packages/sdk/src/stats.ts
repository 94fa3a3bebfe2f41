import type * as contract from '@svc/contract/stats'

import type { Config, Definitions } from './config.ts'
import type { Call } from './http.ts'

/** `svc.stats`. */
export type Stats = ReturnType<typeof createStats>

/** Reported values of the player. */
export const createStats = (call: Call, config: Config) => ({
  /** Reports values. Rejected ones are in `rejected` with their reason; the others are counted. */
  submit: (stats: Record<string, number>): Promise<contract.Submitted> =>
    call<typeof contract.submitStats>('POST /v1/stats', { body: { stats } }),

  /** Reads the all-time values. */
  read: async (): Promise<Record<string, number>> =>
    (await call<typeof contract.readStats>('GET /v1/stats', {})).stats,

  /** Reads the stats that the config defines. */
  definitions: async (): Promise<Definitions['stats']> => (await config.read()).stats,
})
