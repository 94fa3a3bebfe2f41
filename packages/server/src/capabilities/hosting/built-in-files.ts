import type { FeatureName } from '@svc/contract/common/features'
import { REALTIME_PATH } from '@svc/contract/realtime/realtime'

import type { Environment } from '../../platform/environment.ts'
import type { Content, PageResponse } from '../../platform/http/responses.ts'
import type { State } from './live-versions.ts'
import { NOT_FOUND } from './messages.ts'
import { refusalOf } from './serving.ts'

export type BuiltInFileDeps = {
  /** The origin of an app. */
  urlOf(environment: Environment): string
  /** A publishable key of the environment, in plain text. */
  keyOf(environment: Environment): Promise<string>
  offerOf(environmentId: string): Promise<{ features: Record<FeatureName, boolean>; providers: string[] }>
  /** A file of the client for browsers, or its types; the same buffer each time. */
  sdkFile(name: string): Promise<Buffer>
}

/** A request to the host of an app, whether a version is live or not. */
type BuiltInRequest = {
  app: { environment: Environment; state: State; version?: number }
  method: string
  path: string
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'
const SDK_TYPES = new Map([
  ['sdk.js', JAVASCRIPT],
  ['sdk-account.js', JAVASCRIPT],
  ['sdk-p2p.js', JAVASCRIPT],
  ['sdk-voice.js', JAVASCRIPT],
  ['sdk-share.js', JAVASCRIPT],
  ['sdk-leaderboards.js', JAVASCRIPT],
  ['sdk-stats.js', JAVASCRIPT],
  ['sdk-channels.js', JAVASCRIPT],
  ['sdk-rooms.js', JAVASCRIPT],
  ['sdk-embedded.js', JAVASCRIPT],
  ['sdk-lease.js', JAVASCRIPT],
  ['sdk-ui.js', JAVASCRIPT],
  ['sdk.d.ts', TEXT],
  ['sdk-ui.d.ts', TEXT],
])
const FOLDER = '/.svc/'

/** `/.svc/…` on every hosted app: with it the same code of an app runs in development and in production. */
export function createBuiltInFiles({ urlOf, keyOf, offerOf, sdkFile }: BuiltInFileDeps) {
  async function init({
    environment,
    version = null,
  }: {
    environment: Environment
    version?: number | null
  }) {
    const { name, slug, id } = environment
    const key = await keyOf(environment)
    // This host answers what players may call: another origin would cost a preflight per URL (HST-12).
    const apiUrl = `${urlOf(environment)}/.svc`
    const realtimeUrl = `${apiUrl.replace(/^http/, 'ws')}${REALTIME_PATH}`
    // `keepsSession`: this host answers `/.svc/session`.
    const hosted = { apiUrl, realtimeUrl, key, keepsSession: true, environment: name, slug, version }
    return { ...hosted, ...(await offerOf(id)) }
  }

  return async ({ app, method, path }: BuiltInRequest): Promise<Content> => {
    const refusal = refusalOf(app.state, method)
    if (refusal) return refusal
    const name = path.slice(FOLDER.length)
    const type = SDK_TYPES.get(name)
    if (type !== undefined) return forAnyPage(type, await sdkFile(name))
    if (name !== 'init.json') return NOT_FOUND
    return forAnyPage('application/json; charset=utf-8', JSON.stringify(await init(app)))
  }
}

/** Any page may read it, because a game under development runs on another host. */
const forAnyPage = (type: string, body: string | Buffer): PageResponse => ({
  type,
  headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-cache' },
  body,
})
