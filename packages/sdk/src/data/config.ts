import type * as contract from '@svc/contract/game-data'

import type { Call } from '../http/http.ts'

/** The public part of the config. */
export type Definitions = contract.Definitions
/** `svc.config`. */
export type Config = ReturnType<typeof createConfig>

/** The public part of the config: stats, modes, providers, features. */
export const createConfig = (call: Call) => ({
  /**
   * Reads the public part of the config.
   *
   * @example
   * const { auth } = await svc.config.read()
   * signInButton.hidden = !auth.email && auth.providers.length === 0
   */
  read: (): Promise<Definitions> => call<typeof contract.readDefinitions>('GET /v1/gamedata/definitions', {}),
})
