import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { IdParam, Nullable, Timestamp } from '../common/schemas.ts'
import { DeveloperSession, DeveloperView, SubmittedPassword, Invitation } from './developers.ts'

/** External sign-in for developers, with PKCE. */

/** The external providers with which developers can sign in. */
export const DEVELOPER_PROVIDERS = ['google', 'github'] as const
/** An external provider for developers. */
export type DeveloperProvider = (typeof DEVELOPER_PROVIDERS)[number]

/** Values of `svc_error` in the fragment of the redirect URL; after a success it contains `svc_code` instead. */
export const SIGN_IN_ERRORS = ['access_denied', 'provider_error', 'state_expired', 'email_required'] as const
/** A code of `svc_error` in the redirect URL. */
export type SignInError = (typeof SIGN_IN_ERRORS)[number]

const ProviderParams = Type.Object({
  provider: Type.String({ ...IdParam, description: DEVELOPER_PROVIDERS.join(' or ') }),
})

/** A token or code of the service, as a caller sends it. */
const DeveloperToken = Type.String({ minLength: 1, maxLength: 128 })

/** What an external sign-in is for. */
export type SignInIntent = Static<typeof SignInIntent>
/** It is `signin` if it is left out. The other two require a developer session. */
export const SignInIntent = Type.Union(
  [Type.Literal('signin'), Type.Literal('link'), Type.Literal('reauth')],
  {
    default: 'signin',
    description:
      '`link` adds a sign-in method, `reauth` confirms your identity; both require a developer session, here and at the exchange',
  },
)

/** Start an external sign-in. */
export const startSignIn = endpoint('POST /v1/developers/oauth/:provider/start', {
  summary: 'Start an external sign-in; send the browser to the returned url',
  caller: 'none',
  signIn: true,
  params: ProviderParams,
  body: Type.Object({
    redirectUrl: Type.String({
      maxLength: 2_048,
      description: 'where the browser returns: on this service’s origin, or on localhost',
    }),
    challenge: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      patternErrorMessage: 'must be the SHA-256 of the verifier in base64url, 43 characters',
      description: 'base64url of the SHA-256 of the verifier (S256)',
    }),
    intent: Type.Optional(SignInIntent),
  }),
  response: Type.Object({ url: Type.String() }),
  errors: ['provider_disabled', 'redirect_url_not_allowed', 'unauthorized'],
})

/** An external account that is linked to a developer account. */
export type Identity = Static<typeof Identity>
/** `email` is the address at the provider; it may differ from that of the developer account. */
export const Identity = Type.Object({
  provider: Type.String(),
  email: Nullable(Type.String()),
  linkedAt: Timestamp,
})

const SignedIn = Type.Object(
  {
    ...DeveloperSession.properties,
    invite: Type.Optional(
      Type.Object(
        { ignored: Type.Literal(true) },
        { description: 'present if the account existed before: the invite code was not used' },
      ),
    ),
  },
  { description: 'signin' },
)
const Linked = Type.Object({ developer: DeveloperView, identity: Identity }, { description: 'link' })
const Reauthenticated = Type.Object(
  { reauthToken: Type.String(), expiresIn: Type.Integer({ description: 'seconds' }) },
  { description: 'reauth' },
)

/** The result of an external sign-in, by its intent. */
export type Exchanged = Static<typeof Exchanged>
/** `signin` returns a session, `link` the account and its new identity, `reauth` a token that confirms the identity. */
export const Exchanged = Type.Union([SignedIn, Linked, Reauthenticated])

/** Complete an external sign-in with the svc_code from the redirect URL; it works once, for 60 seconds. */
export const exchangeCode = endpoint('POST /v1/developers/oauth/exchange', {
  summary:
    'Complete an external sign-in with the svc_code from the redirect URL; it works once, for 60 seconds',
  caller: 'none',
  signIn: true,
  body: Type.Object({
    code: DeveloperToken,
    verifier: DeveloperToken,
    inviteCode: Type.Optional(Type.String({ maxLength: 128, description: 'for a new account' })),
    invitation: Type.Optional(Invitation),
  }),
  response: Exchanged,
  errors: [
    'invalid_code',
    'email_taken',
    'identity_already_linked',
    'identity_not_found',
    'invalid_invite_code',
    'invite_code_used',
    'invite_limit_reached',
    'sign_up_closed',
    'invalid_or_expired_token',
  ],
})

/** List the external sign-in methods of your account. */
export const listIdentities = endpoint('GET /v1/developers/me/identities', {
  summary: 'List the external sign-in methods of your account',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ identities: Type.Array(Identity) }),
})

/** Remove an external sign-in method. */
export const removeIdentity = endpoint('DELETE /v1/developers/me/identities/:provider', {
  summary:
    'Remove an external sign-in method; requires the password or a reauthToken and ends all other sessions',
  caller: 'developer',
  role: 'account',
  params: ProviderParams,
  body: Type.Object({
    password: Type.Optional(SubmittedPassword),
    reauthToken: Type.Optional(DeveloperToken),
  }),
  response: Type.Object({ developer: DeveloperView }),
  errors: ['identity_not_found', 'reauth_required', 'invalid_credentials', 'last_login_method'],
})
