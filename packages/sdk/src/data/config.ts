import type * as contract from '@svc/contract/game-data'

import type { Call } from '../http/http.ts'

/** What pages may know about the config. */
export type Definitions = contract.Definitions
/** What pages may know about the config: stats, modes, sign-in providers and features. */
export type Config = ReturnType<typeof createConfig>

/** The public part of the config. */
export function createConfig(call: Call) {
  const get = (): Promise<Definitions> =>
    call<typeof contract.readDefinitions>('GET /v1/gamedata/definitions', {})

  return {
    /**
     * Reads the public part of the config: stats, modes, sign-in providers and features.
     *
     * @example
     * const { auth } = await svc.config.get()
     * signInButton.hidden = !auth.email && auth.providers.length === 0
     */
    get,
    /** @deprecated Use `get`. */
    read: get,
  }
}
