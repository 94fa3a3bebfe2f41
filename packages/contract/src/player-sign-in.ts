import { Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { Line, OpaqueToken } from './common/schemas.ts'
import { PlayerIdentity, PlayerView, SessionView } from './players.ts'

/** External sign-in of players: google, discord, apple and x, with PKCE. */

const ProviderParams = Type.Object({
  provider: Type.String({ minLength: 1, description: 'google, discord, apple or x' }),
})

/** Values of `svc_error` in the fragment of the redirect URL (OAU-08). */
export const PLAYER_SIGN_IN_ERRORS = [
  'access_denied',
  'identity_already_linked',
  'provider_error',
  'state_expired',
  'player_banned',
  'x_signin_unavailable',
] as const
/** A code of `svc_error` in the redirect URL. */
export type PlayerSignInError = (typeof PLAYER_SIGN_IN_ERRORS)[number]

const Start = {
  redirectUrl: Type.String({ minLength: 1, maxLength: 2_048, description: 'one of auth.redirectUrls' }),
  challenge: Type.String({
    pattern: '^[A-Za-z0-9_-]{43}$',
    patternErrorMessage: 'must be the SHA-256 of the verifier in base64url, 43 characters',
    description: 'base64url of the SHA-256 of the verifier (S256)',
  }),
  mode: Type.Optional(
    Type.Union([Type.Literal('redirect'), Type.Literal('popup')], {
      default: 'redirect',
      description: 'popup: the fragment is posted to the opener window',
    }),
  ),
}

/** Start an external sign-in. */
export const startPlayerSignIn = endpoint('POST /v1/auth/oauth/:provider/start', {
  summary: 'Start an external sign-in; with an access token, the provider is linked to that player',
  caller: 'public',
  optionalPlayer: true,
  signIn: true,
  params: ProviderParams,
  body: Type.Object({
    ...Start,
    orSignIn: Type.Optional(
      Type.Boolean({
        description:
          'when linking: if the identity belongs to another player, the exchange signs in as that player. A guest who has saves or stats gets 409 identity_already_linked with details { displayName, code } first; exchanging that code (valid once, for 10 minutes) switches to the player',
      }),
    ),
  }),
  response: Type.Object({ url: Type.String() }),
  errors: [
    'provider_disabled',
    'provider_not_configured',
    'redirect_url_not_allowed',
    'x_signin_unavailable',
  ],
})

/** Complete an external sign-in with the svc_code from the redirect URL; it works once, for 60 seconds. */
export const exchangePlayerCode = endpoint('POST /v1/auth/oauth/exchange', {
  summary:
    'Complete an external sign-in with the svc_code from the redirect URL; it works once, for 60 seconds',
  caller: 'public',
  signIn: true,
  body: Type.Object({ code: OpaqueToken, verifier: OpaqueToken }),
  response: SessionView,
  errors: ['invalid_code', 'identity_already_linked', 'player_banned', 'client-not-enrolled'],
})

/** Sign in or link with an ID token from a native sign-in; apple or google. */
export const signInNatively = endpoint('POST /v1/auth/oauth/:provider/native', {
  summary: 'Sign in or link with an ID token from a native sign-in; apple or google',
  caller: 'player',
  signIn: true,
  params: ProviderParams,
  body: Type.Object({
    idToken: Type.String({ minLength: 1, maxLength: 8_192 }),
    nonce: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'the nonce the sign-in started with; the ID token contains it, or the hex of its SHA-256',
    }),
    platform: Type.Union([Type.Literal('ios'), Type.Literal('android'), Type.Literal('web')]),
    link: Type.Optional(
      Type.Boolean({ description: 'link the identity to the current player or fail; not needed for guests' }),
    ),
    name: Type.Optional(Line(0, 128)),
  }),
  response: Type.Object({ ...SessionView.properties, provider: Type.String(), linked: Type.Boolean() }),
  errors: ['provider_disabled', 'provider_not_configured', 'invalid_id_token', 'identity_already_linked'],
})

/** List your sign-in methods; the guest entry is not included. */
export const listPlayerIdentities = endpoint('GET /v1/players/me/identities', {
  summary: 'List your sign-in methods; the guest entry is not included',
  caller: 'player',
  response: Type.Object({ identities: Type.Array(PlayerIdentity) }),
})

/** Remove a sign-in method. */
export const unlinkPlayerIdentity = endpoint('DELETE /v1/players/me/identities/:provider', {
  summary: 'Remove a sign-in method; signs out every other device',
  caller: 'player',
  params: Type.Object({ provider: Type.String({ minLength: 1 }) }),
  body: Type.Object({ refreshToken: OpaqueToken }),
  response: Type.Object({ player: PlayerView }),
  errors: ['identity_not_found', 'last_login_method', 'invalid_refresh_token'],
})
