import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { type Provider, PROVIDERS } from '@svc/contract/common/features'
import type { ConfigDocument } from '@svc/contract/config/document'
import type {
  ProviderCredentialsInput,
  ProviderCredentials,
} from '@svc/contract/developers/provider-credentials'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, text, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc providers …`. */
export function addProviderCommands(program: CommandGroup) {
  const providers = program.group(
    'providers',
    'credentials for player sign-in with Google, Discord, Apple and X',
    { defaultName: 'list' },
  )
  providers.command('list', 'list providers and their credentials', showProviders)
  providers.command(
    'test <provider>',
    'use the built-in test provider instead (development only)',
    useTestProvider,
  )
  providers.command(
    'set <provider>',
    'store credentials; the command asks for the secret or reads it from a file',
    setProvider,
    {
      clientId: text('--client-id <id>', 'google, discord, x'),
      clientSecretFile: text('--client-secret-file <path>', 'google, discord, x'),
      servicesId: text('--services-id <id>', 'apple'),
      teamId: text('--team-id <id>', 'apple'),
      keyId: text('--key-id <id>', 'apple'),
      privateKeyFile: text('--private-key-file <path>', 'apple: the .p8 file'),
      bundleId: text('--bundle-id <id>', 'apple: the iOS app’s bundle ID'),
      shared: flag('--shared', 'x: use this service’s shared app'),
    },
  )
  providers.command('remove <provider>', 'remove the provider’s credentials', removeProvider, { yes })
}

/** The providers that a config enables. */
export const enabledProviders = ({ auth }: ConfigDocument): Provider[] =>
  PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled)

/** Reads which providers have credentials in an environment, by default that of the command. */
export async function readProviders(
  { calls, resolveEnvironment }: Context,
  env?: 'development' | 'production',
) {
  const params = { ...(await resolveEnvironment()), ...(env && { env }) }
  return (await calls.developer('listProviderCredentials', { params })).providers
}

async function showProviders(context: Context) {
  const providers = await readProviders(context)
  context.out.table(
    ['PROVIDER', 'CREDENTIALS', 'SINCE', 'REDIRECT URI TO REGISTER'],
    providers.map((one) => [one.provider, credentialsText(one), timeText(one.updatedAt), one.redirectUri]),
    'No providers.',
  )
  return { providers }
}

function credentialsText({
  configured,
  testProvider,
  useShared,
  clientId,
  servicesId,
}: ProviderCredentials): string {
  if (!configured) return 'none'
  if (testProvider) return 'the test provider'
  return useShared ? 'the shared app' : (clientId ?? servicesId ?? 'own credentials')
}

async function useTestProvider(context: Context, _options: object, provider: string) {
  return store(context, provider, { testProvider: true })
}

type ProviderOptions = {
  clientId?: string
  clientSecretFile?: string
  servicesId?: string
  bundleId?: string
  teamId?: string
  keyId?: string
  privateKeyFile?: string
  shared?: boolean
}

/** Reads secrets from files or asks for them: every user of the machine can read command-line arguments. */
async function setProvider(context: Context, options: ProviderOptions, provider: string) {
  const { clientId, clientSecretFile, servicesId, bundleId, teamId, keyId, privateKeyFile, shared } = options
  const read = (path: string) => secretIn(resolve(context.system.folder, path))
  const clientSecret =
    clientSecretFile !== undefined
      ? read(clientSecretFile)
      : clientId !== undefined
        ? await context.ask.secret(`${provider} client secret`, '--client-secret-file')
        : undefined
  const privateKey = privateKeyFile === undefined ? undefined : read(privateKeyFile)
  const own = { clientId, clientSecret, servicesId, bundleId, teamId, keyId, privateKey }
  return store(context, provider, { ...(shared && { useShared: true }), ...withoutUndefined(own) })
}

function secretIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new Failure('failed', `${path} cannot be read.`)
  }
}

async function store(
  { calls, resolveEnvironment, out, env }: Context,
  provider: string,
  body: ProviderCredentialsInput,
) {
  const stored: ProviderCredentials = await calls.developer('writeProviderCredentials', {
    params: { ...(await resolveEnvironment()), provider },
    body,
  })
  out.done(`${provider} in ${env} now uses ${credentialsText(stored)}`)
  if (!stored.testProvider) out.line(`Redirect URI to register with the provider: ${stored.redirectUri}`)
  return stored
}

async function removeProvider(
  { calls, resolveEnvironment, out, ask, env }: Context,
  { yes }: { yes?: boolean },
  provider: string,
) {
  const params = { ...(await resolveEnvironment()), provider }
  await ask.require(`Remove the ${provider} credentials from ${env}?`, { yes })
  await calls.developer('deleteProviderCredentials', { params })
  out.done(`${provider} credentials removed from ${env}`)
  return { removed: provider }
}
