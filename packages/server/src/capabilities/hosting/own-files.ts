import type { FeatureName } from '@svc/contract/features'

import type { Environment } from '../../platform/environment.ts'
import { type AppAnswer, notModified, ownFile } from './answers.ts'
import { isKnown } from './conditions.ts'

export type OwnFileNeeds = {
  apiUrl: string
  realtimeUrl: string
  /** A publishable key of the environment, in plain text. */
  keyOf(environment: Environment): Promise<string>
  offerOf(environmentId: string): Promise<{ features: Record<FeatureName, boolean>; providers: string[] }>
  /** A file of the client for browsers, or its types. */
  sdkFile(name: string): Promise<Buffer>
}
export type OwnFiles = (
  path: string,
  environment: Environment,
  version: number | null,
  ifNoneMatch: string | undefined,
) => Promise<AppAnswer | undefined>

const SDK_FILES: Partial<Record<string, string>> = {
  '/.svc/sdk.js': 'sdk.js',
  '/.svc/sdk-p2p.js': 'sdk-p2p.js',
  '/.svc/sdk-ui.js': 'sdk-ui.js',
  '/.svc/sdk.d.ts': 'sdk.d.ts',
  '/.svc/sdk-ui.d.ts': 'sdk-ui.d.ts',
}

/** `/.svc/…` on every hosted app: the same code of an app runs in development and in production. */
export function createOwnFiles({ apiUrl, realtimeUrl, keyOf, offerOf, sdkFile }: OwnFileNeeds): OwnFiles {
  async function init(environment: Environment, version: number | null) {
    const { name, slug, id } = environment
    const key = await keyOf(environment)
    const init = { apiUrl, realtimeUrl, key, environment: name, slug, version, ...(await offerOf(id)) }
    return ownFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(init)))
  }

  const sdk = async (name: string) => {
    const type = name.endsWith('.js') ? 'text/javascript' : 'text/plain'
    return ownFile(`${type}; charset=utf-8`, await sdkFile(name))
  }

  return async (path, environment, version, ifNoneMatch) => {
    const sdkName = SDK_FILES[path]
    if (sdkName === undefined && path !== '/.svc/init.json') return undefined
    const file = sdkName === undefined ? await init(environment, version) : await sdk(sdkName)
    return isKnown(ifNoneMatch, file.etag) ? notModified(file.answer.headers) : file.answer
  }
}
