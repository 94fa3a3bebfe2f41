import { type Provider, PROVIDERS } from '@svc/contract/common/features'
import type { ConfigDocument } from '@svc/contract/config/document'

import type { Context } from '../context.ts'
import { configPath, hasConfigFile, readConfigFile } from '../project/config-file.ts'

/** Makes sign-in work in development without an account at the provider, for the providers that the config enables. */
export async function storeTestProviders(
  { calls, out }: Context,
  projectId: string,
  folder: string,
): Promise<Provider[]> {
  if (!hasConfigFile(folder)) return []
  const { auth } = readConfigFile(configPath(folder)).document as ConfigDocument
  const enabled = PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled)
  for (const provider of enabled) {
    await calls.developer('writeProviderCredentials', {
      params: { projectId, env: 'development', provider },
      body: { testProvider: true },
    })
    out.info(`${provider}: development uses the built-in test provider (change it with svc providers)`)
  }
  return enabled
}
