import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { AccessTokens } from './access-tokens.ts'

/** The player of an access token. The signature of a token stays valid, so tokens of deleted players are rejected here. */
export const createPlayerCheck =
  (
    { verify }: Pick<AccessTokens, 'verify'>,
    isDeleted: (environmentId: string, playerId: string) => boolean,
  ) =>
  async ({ id: environmentId }: Environment, token: string): Promise<Player> => {
    const { sub, sid } = await verify(environmentId, token)
    if (isDeleted(environmentId, sub)) throw new ApiError('invalid_token')
    return { id: sub, environmentId, sessionId: sid }
  }
