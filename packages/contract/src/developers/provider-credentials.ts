import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { PROVIDERS } from '../common/features.ts'
import { Deleted, EnvironmentParams, IdParam, Nullable, Timestamp } from '../common/schemas.ts'

/** The credentials of an environment at external sign-in providers (OAU-18); secrets are never returned. */

const Code = Type.String({
  pattern: '^[A-Z0-9]{10}$',
  patternErrorMessage: 'must be 10 capital letters and digits',
  description: '10 letters and digits',
})
const VISIBLE_ASCII = {
  pattern: '^[!-~]*$',
  patternErrorMessage: 'must not contain spaces, control characters or non-ASCII characters',
}
const ClientId = Type.String({ minLength: 1, maxLength: 255, ...VISIBLE_ASCII })

/** What a developer sends to store credentials. Secrets in it are never returned. */
export type ProviderCredentialsInput = Static<typeof ProviderCredentialsInput>
/**
 * Each provider requires some of these fields (see the summary of the endpoint); missing and additional fields are reported with
 * their path.
 */
export const ProviderCredentialsInput = Type.Object({
  clientId: Type.Optional(ClientId),
  clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 512, ...VISIBLE_ASCII })),
  servicesId: Type.Optional(ClientId),
  bundleId: Type.Optional(
    Type.String({ ...ClientId, description: 'bundle id of the iOS app, for its native sign-in; optional' }),
  ),
  teamId: Type.Optional(Code),
  keyId: Type.Optional(Code),
  privateKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'the .p8 file from Apple: PEM, PKCS#8, P-256',
    }),
  ),
  useShared: Type.Optional(
    Type.Literal(true, { description: '`x` only, if the operator of this service offers a shared app' }),
  ),
  testProvider: Type.Optional(
    Type.Literal(true, { description: 'development only: uses the built-in test provider' }),
  ),
})

/** The stored credentials of a provider, without secrets. */
export type ProviderCredentials = Static<typeof ProviderCredentials>
/** `secretSet` is false for the test provider and the shared app. `updatedAt` is null if nothing is stored. */
export const ProviderCredentials = Type.Object({
  provider: Type.String(),
  configured: Type.Boolean(),
  redirectUri: Type.String({ description: 'the redirect URL to register with the provider' }),
  secretSet: Type.Boolean(),
  updatedAt: Nullable(Timestamp),
  clientId: Type.Optional(Type.String()),
  servicesId: Type.Optional(Type.String()),
  bundleId: Type.Optional(Type.String()),
  teamId: Type.Optional(Type.String()),
  keyId: Type.Optional(Type.String()),
  useShared: Type.Optional(Type.Literal(true)),
  testProvider: Type.Optional(Type.Literal(true)),
})

const OneProvider = {
  caller: 'developer',
  params: Type.Object({
    ...EnvironmentParams.properties,
    provider: Type.String({ ...IdParam, description: PROVIDERS.join(', ') }),
  }),
} as const

const PATH = '/v1/projects/:projectId/environments/:env/auth/providers'

/** List the sign-in providers and whether their credentials are stored. */
export const listProviderCredentials = endpoint(`GET ${PATH}`, {
  summary: 'List the sign-in providers and whether their credentials are stored',
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  response: Type.Object({ providers: Type.Array(ProviderCredentials) }),
})

/** Get the stored credentials of a provider; secrets are not returned. */
export const readProviderCredentials = endpoint(`GET ${PATH}/:provider`, {
  ...OneProvider,
  role: 'viewer',
  summary: 'Get the stored credentials of a provider; secrets are not returned',
  response: ProviderCredentials,
  errors: ['provider_disabled'],
})

/** Store the credentials of a provider. */
export const writeProviderCredentials = endpoint(`PUT ${PATH}/:provider`, {
  ...OneProvider,
  role: { development: 'developer', production: 'admin' },
  summary:
    'Store the credentials of a provider: { clientId, clientSecret } (google, discord, x), { servicesId, bundleId?, teamId, keyId, privateKey } (apple), { useShared: true } or { testProvider: true }',
  body: ProviderCredentialsInput,
  response: ProviderCredentials,
  errors: ['provider_disabled'],
})

/** Why players could not sign in with a provider. */
export type ProviderProblem = Static<typeof ProviderProblem>
/** `message` is for the developer; players never see it. */
export const ProviderProblem = Type.Object({
  code: Type.Union([
    Type.Literal('not_enabled'),
    Type.Literal('not_configured'),
    Type.Literal('credentials_refused'),
    Type.Literal('provider_unreachable'),
  ]),
  message: Type.String(),
})

/** Test the stored credentials of a provider. */
export const testProviderCredentials = endpoint(`POST ${PATH}/:provider/test`, {
  ...OneProvider,
  role: 'developer',
  summary:
    'Test the stored credentials at the provider, with a fake code that the provider must reject; at most 10 times a minute. The redirect URL cannot be tested this way',
  response: Type.Object({ ok: Type.Boolean(), problems: Type.Array(ProviderProblem) }),
  errors: ['provider_disabled'],
})

/** Delete the stored credentials of a provider. */
export const deleteProviderCredentials = endpoint(`DELETE ${PATH}/:provider`, {
  ...OneProvider,
  role: { development: 'developer', production: 'admin' },
  summary: 'Delete the stored credentials of a provider',
  response: Deleted,
  errors: ['provider_disabled', 'not_found'],
})
