import type { FeatureName } from '@svc/contract/features'

import { compressedFile, createFileMemory } from '../../platform/compressed-file.ts'
import type { Environment } from '../../platform/environment.ts'
import { lazy } from '../../platform/lazy.ts'
import { type AppAnswer, ownFile } from './answers.ts'
import type { Wish } from './file-answers.ts'

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
  wish: Pick<Wish, 'acceptEncoding' | 'ifNoneMatch'>,
) => Promise<AppAnswer | undefined>

const SDK_FILES = {
  '/.svc/sdk.js': 'sdk.js',
  '/.svc/sdk-p2p.js': 'sdk-p2p.js',
  '/.svc/sdk-ui.js': 'sdk-ui.js',
  '/.svc/sdk.d.ts': 'sdk.d.ts',
  '/.svc/sdk-ui.d.ts': 'sdk-ui.d.ts',
}

const INITS_REMEMBERED_MAX = 1_000

/** `/.svc/…` on every hosted app: the same code of an app runs in development and in production. */
export function createOwnFiles({ apiUrl, realtimeUrl, keyOf, offerOf, sdkFile }: OwnFileNeeds): OwnFiles {
  const inits = createFileMemory(INITS_REMEMBERED_MAX)
  const sdk = new Map(
    Object.entries(SDK_FILES).map(([path, name]) => {
      const type = name.endsWith('.js') ? 'text/javascript' : 'text/plain'
      const file = lazy(async () => compressedFile(await sdkFile(name)))
      return [path, { type: `${type}; charset=utf-8`, file }]
    }),
  )

  async function init(environment: Environment, version: number | null) {
    const { name, slug, id } = environment
    const key = await keyOf(environment)
    return { apiUrl, realtimeUrl, key, environment: name, slug, version, ...(await offerOf(id)) }
  }

  return async (path, environment, version, { acceptEncoding, ifNoneMatch }) => {
    const known = sdk.get(path)
    if (known) return ownFile(known.type, await (await known.file())(acceptEncoding), ifNoneMatch)
    if (path !== '/.svc/init.json') return undefined
    const file = inits(JSON.stringify(await init(environment, version)))
    return ownFile('application/json; charset=utf-8', await file(acceptEncoding), ifNoneMatch)
  }
}
