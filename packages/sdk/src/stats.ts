import type * as contract from '@svc/contract/stats'

import type { Config, Definitions } from './config.ts'
import type { Call } from './http.ts'

export type Stats = ReturnType<typeof createStats>

export const createStats = (call: Call, config: Config) => ({
  /** What was refused is in `rejected`, each with its reason; the rest is counted. */
  submit: (stats: Record<string, number>): Promise<contract.Submitted> =>
    call<typeof contract.submitStats>('POST /v1/stats', { body: { stats } }),

  /** All-time values. */
  read: async (): Promise<Record<string, number>> =>
    (await call<typeof contract.readStats>('GET /v1/stats', {})).stats,

  definitions: async (): Promise<Definitions['stats']> => (await config.read()).stats,
})
