import { createPrivateKey } from 'node:crypto'

import type { Provider } from '@svc/contract/common/features'
import { type Problem, problem as problemAt } from '@svc/contract/common/problems'
import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { ProviderCredentialsInput } from '@svc/contract/developers/provider-credentials'

import { ApiError } from '../../platform/api-error.ts'

export type PublicSettings = Omit<ProviderCredentialsInput, 'clientSecret' | 'privateKey'>
/** The public settings and the secret; the shared app and the test provider have no secret. */
export type ReadCredentials = { settings: PublicSettings; secret: string | undefined }

type Field = keyof ProviderCredentialsInput

/** The environment of these credentials, and what the operator offers. */
type CredentialContext = { provider: Provider; env: EnvironmentName; sharedXApp: boolean }

const OWN_CLIENT: readonly Field[] = ['clientId', 'clientSecret']
const OWN_FIELDS: Record<Provider, readonly Field[]> = {
  google: OWN_CLIENT,
  discord: OWN_CLIENT,
  x: OWN_CLIENT,
  apple: ['servicesId', 'bundleId', 'teamId', 'keyId', 'privateKey'],
}
const OPTIONAL: readonly Field[] = ['bundleId']

/** Accepts exactly the fields of one of the forms in OAU-18; reports all problems together, with their paths. */
export function validateCredentials(
  input: ProviderCredentialsInput,
  place: CredentialContext,
): ReadCredentials {
  const fields = fieldsOf(input, place.provider)
  const problems = [
    ...missingOrForeign(input, fields),
    ...notOffered(input, place),
    ...unusableKey(input, fields),
  ]
  if (problems.length > 0) throw new ApiError('invalid_request', { errors: problems })

  const { clientSecret, privateKey, ...rest } = input
  const settings = Object.fromEntries(
    Object.entries(rest).filter(([field]) => fields.includes(field as Field)),
  )
  return { settings, secret: clientSecret ?? privateKey?.trim() }
}

function fieldsOf(input: ProviderCredentialsInput, provider: Provider): readonly Field[] {
  if (input.testProvider) return ['testProvider']
  if (input.useShared) return ['useShared']
  return OWN_FIELDS[provider]
}

function missingOrForeign(input: ProviderCredentialsInput, fields: readonly Field[]): Problem[] {
  const all = new Set<Field>([...fields, 'testProvider', 'useShared', ...OWN_FIELDS.apple, ...OWN_CLIENT])
  return [...all].flatMap((field) => {
    const belongs = fields.includes(field)
    if (input[field] === undefined)
      return belongs && !OPTIONAL.includes(field) ? [problem(field, 'is required')] : []
    return belongs ? [] : [problem(field, `cannot be combined with ${fields.join(', ')}`)]
  })
}

function notOffered(
  { testProvider, useShared }: ProviderCredentialsInput,
  { provider, env, sharedXApp }: CredentialContext,
): Problem[] {
  if (testProvider && env !== 'development')
    return [problem('testProvider', 'is allowed only in development')]
  if (useShared && provider !== 'x') return [problem('useShared', 'is allowed only for x')]
  if (useShared && !sharedXApp)
    return [problem('useShared', 'is not offered by the operator of this service')]
  return []
}

function unusableKey({ privateKey }: ProviderCredentialsInput, fields: readonly Field[]): Problem[] {
  if (privateKey === undefined || !fields.includes('privateKey') || isP256Key(privateKey)) return []
  return [problem('privateKey', 'must be the .p8 file that Apple gave: PEM, PKCS#8, P-256')]
}

function isP256Key(text: string): boolean {
  const pem = text.trim()
  if (!pem.startsWith('-----BEGIN PRIVATE KEY-----') || !pem.endsWith('-----END PRIVATE KEY-----'))
    return false
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' })
    return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

const problem = (field: Field, predicate: string): Problem => problemAt(`$.${field}`, predicate)
