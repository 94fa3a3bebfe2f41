import type { Config, Mode } from '@svc/contract/config/defaults'

import { ApiError } from '../../platform/api-error.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'

export type { Mode } from '@svc/contract/config/defaults'

export type CurrentConfig = { current(environmentId: string): Awaitable<{ config: Config }> }

const WHEN_LEFT_OUT = 'default'

export type Modes = ReturnType<typeof createModes>

/** The modes of an environment in its current config. */
export function createModes(config: CurrentConfig) {
  const all = async (environmentId: string): Promise<readonly Mode[]> =>
    (await config.current(environmentId)).config.multiplayer.modes

  const find = async (environmentId: string, key: string) =>
    (await all(environmentId)).find((mode) => mode.key === key)

  return {
    all,
    find,
    /** Whether rooms of some mode are kept. */
    keepsRooms: async (environmentId: string) =>
      (await all(environmentId)).some(({ room }) => room?.keepDays !== undefined),
    async require(environmentId: string, key: string = WHEN_LEFT_OUT): Promise<Mode> {
      const mode = await find(environmentId, key)
      if (!mode) throw new ApiError('mode_not_found')
      return mode
    },
  }
}
