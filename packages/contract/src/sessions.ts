import { Type } from 'typebox'

import { endpoint } from './endpoint.ts'
import { OneTimeText, SessionView } from './players.ts'
import { Empty, Id } from './shapes.ts'

/** Sessions: refresh, sign-out, continuing in another browser, and the check a game's own server makes. */

export const refreshSession = endpoint('POST /v1/auth/refresh', {
  summary: 'New tokens for the old refresh token, which is used up',
  caller: 'public',
  body: Type.Object({
    refreshToken: OneTimeText,
    nonce: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 128,
        description:
          'your own random text: the same token and nonce within 60 seconds give the same answer, should it get lost',
      }),
    ),
  }),
  response: SessionView,
  errors: ['invalid_refresh_token', 'session_revoked', 'refresh_race'],
})

export const logOutPlayer = endpoint('POST /v1/auth/logout', {
  summary: 'End this refresh token; an access token lives on until it expires',
  caller: 'public',
  body: Type.Object({ refreshToken: OneTimeText }),
  response: Empty,
})

export const createTransferCode = endpoint('POST /v1/auth/transfer', {
  summary: 'A code to continue as the same player in another browser (10 minutes, once)',
  caller: 'player',
  share: 'inAppBrowser',
  status: 201,
  response: Type.Object({ code: Type.String(), expiresIn: Type.Integer({ description: 'seconds' }) }),
})

export const redeemTransferCode = endpoint('POST /v1/auth/transfer/redeem', {
  summary: 'Continue as the player who made the code',
  caller: 'public',
  share: 'inAppBrowser',
  signIn: true,
  body: Type.Object({ code: OneTimeText }),
  response: SessionView,
  errors: ['invalid_code', 'player_banned'],
})

export const verifyToken = endpoint('POST /v1/admin/players/verify-token', {
  summary:
    'Is this the access token of a player of this environment? A banned player still verifies: look at banned',
  caller: 'server',
  body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 4_096 }) }),
  response: Type.Object({
    player: Type.Object({ id: Id, displayName: Type.String(), banned: Type.Boolean() }),
  }),
  errors: ['token_expired', 'invalid_token'],
})
