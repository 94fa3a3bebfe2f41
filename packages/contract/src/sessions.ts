import { Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { Empty, Id, OpaqueToken } from './common/schemas.ts'
import { SessionView } from './players.ts'

/** Sessions: refresh, sign-out, continuing in another browser, and token verification for a game's server. */

/** Exchange a refresh token for new tokens. */
export const refreshSession = endpoint('POST /v1/auth/refresh', {
  summary: 'Exchange a refresh token for new tokens; the old one becomes invalid',
  caller: 'public',
  body: Type.Object({
    refreshToken: OpaqueToken,
    nonce: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 128,
        description:
          'random text chosen by the client: if the response is lost, a retry with the same token and nonce returns the same new token, until that was used',
      }),
    ),
  }),
  response: SessionView,
  errors: ['invalid_refresh_token', 'session_revoked', 'refresh_race'],
})

/** Revoke this refresh token. */
export const logOutPlayer = endpoint('POST /v1/auth/logout', {
  summary: 'Revoke this refresh token; the access token stays valid until it expires',
  caller: 'public',
  body: Type.Object({ refreshToken: OpaqueToken }),
  response: Empty,
})

/** Create a code to continue as the same player in another browser; it works once, for 10 minutes. */
export const createTransferCode = endpoint('POST /v1/auth/transfer', {
  summary: 'Create a code to continue as the same player in another browser; it works once, for 10 minutes',
  caller: 'player',
  share: 'inAppBrowser',
  status: 201,
  response: Type.Object({ code: Type.String(), expiresIn: Type.Integer({ description: 'seconds' }) }),
})

/** Continue as the player who created the code. */
export const redeemTransferCode = endpoint('POST /v1/auth/transfer/redeem', {
  summary: 'Continue as the player who created the code',
  caller: 'public',
  share: 'inAppBrowser',
  signIn: true,
  body: Type.Object({ code: OpaqueToken }),
  response: SessionView,
  errors: ['invalid_code', 'player_banned'],
})

/** Verify a player’s access token. */
export const verifyToken = endpoint('POST /v1/admin/players/verify-token', {
  summary: 'Verify a player’s access token; tokens of banned players are still valid, so check `banned`',
  caller: 'server',
  body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 4_096 }) }),
  response: Type.Object({
    player: Type.Object({ id: Id, displayName: Type.String(), banned: Type.Boolean() }),
  }),
  errors: ['token_expired', 'invalid_token'],
})
