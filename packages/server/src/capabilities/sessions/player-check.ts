import { ApiError } from '../../platform/api-error.ts'
import { andThen, type Awaitable } from '../../platform/awaitable.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { AccessTokens } from './access-tokens.ts'

/** The player of an access token. A token stays valid by its signature, so tokens of deleted players are rejected here. */
export const createPlayerCheck =
  (
    { verify }: Pick<AccessTokens, 'verify'>,
    isDeleted: (environmentId: string, playerId: string) => boolean,
  ) =>
  ({ id: environmentId }: Environment, token: string): Awaitable<Player> =>
    andThen(verify(environmentId, token), ({ sub, sid }) => {
      if (isDeleted(environmentId, sub)) throw new ApiError('invalid_token')
      return { id: sub, environmentId, sessionId: sid }
    })
