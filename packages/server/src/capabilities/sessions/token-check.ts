import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { AccessTokens } from './access-tokens.ts'

type TokenCheckDeps = {
  find(
    environmentId: string,
    playerId: string,
  ): Promise<{ id: string; displayName: string; banned: boolean } | undefined>
}

export type TokenCheck = ReturnType<typeof createTokenCheck>

/** Lets a game's server check an access token (TOK-01, TOK-02). */
export function createTokenCheck(accessTokens: AccessTokens, { find }: TokenCheckDeps) {
  return async ({ id: environmentId }: Environment, { token }: { token: string }) => {
    const claims = await accessTokens.read(token)
    if (!claims) throw new ApiError('invalid_token')
    // The same error as for an expired token: the player must sign in again in both cases.
    if (claims.aud !== environmentId) throw new ApiError('token_expired')
    await accessTokens.verify(environmentId, token)

    const player = await find(environmentId, claims.sub)
    if (!player) throw new ApiError('invalid_token')
    return { player }
  }
}
