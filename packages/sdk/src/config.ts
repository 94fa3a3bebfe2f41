import type * as contract from '@svc/contract/game-data'

import type { Call } from './http.ts'

export type Definitions = contract.Definitions
export type Config = ReturnType<typeof createConfig>

/** The public part of the config: stats, modes, providers, features. */
export const createConfig = (call: Call) => ({
  read: (): Promise<Definitions> => call<typeof contract.readDefinitions>('GET /v1/gamedata/definitions', {}),
})
