import { isReserved } from '@svc/contract/common/deployed-paths'

import type { Environment } from '../../platform/environment.ts'
import type { Content } from '../../platform/http/responses.ts'
import type { LiveApp, LiveVersions, State } from './live-versions.ts'
import type { HostedFile } from './manifests.ts'
import {
  BAD_ADDRESS,
  NO_APP,
  NO_ICON,
  NO_SUCH_METHOD,
  NOT_FOUND,
  NOTHING_DEPLOYED,
  OFF,
  redirectTo,
  SUSPENDED,
} from './messages.ts'
import type { PageRequest, PageVersions } from './page-versions.ts'
import { encodedPath, hasExtension } from './paths.ts'

/** A request to a host below the apps domain. `path` is decoded; undefined if it is a path that no browser sends. */
export type HostedRequest = PageRequest & {
  label: string
  method: string
  path: string | undefined
  address: string
}

type ServingDeps = {
  live: LiveVersions
  pageVersions: PageVersions
  /** The limit per address that public calls have. */
  enforceRateLimit(environment: Environment | undefined, address: string): Promise<void>
}

/**
 * Serves hosted apps (HST-08): a document comes from the version that is live when it is requested, and the files that it loads
 * come from the same version.
 */
export function createServing({ live, pageVersions, enforceRateLimit }: ServingDeps) {
  /** `isRetry`: the request is already counted. */
  return async (request: HostedRequest, isRetry = false): Promise<Content> => {
    const version = pageVersions.of(request)
    const app = await (version === undefined
      ? live.find(request.label)
      : live.findVersion(request.label, version))
    if (!isRetry) await enforceRateLimit(app?.environment, request.address)
    if (!app) return NO_APP
    const { path } = request
    if (path === undefined) return BAD_ADDRESS
    const refusal = refusalOf(app.state, request.method)
    if (refusal) return refusal
    if (isReserved(path.slice(1))) return NOT_FOUND
    return app.state === 'live' ? fromVersion(app, path.slice(1), request) : NOTHING_DEPLOYED
  }

  function fromVersion(app: LiveApp, path: string, request: HostedRequest): Content | Promise<Content> {
    const isFolder = path === '' || path.endsWith('/')
    const file = app.files.get(isFolder ? `${path}index.html` : path)
    if (file) return pageVersions.noted(request, app.version, { file })
    if (!isFolder && app.files.has(`${path}/index.html`))
      return redirectTo(`/${encodedPath(path)}/${queryOf(request.url)}`)
    return hasExtension(path)
      ? app.kept(path).then((kept) => (kept ? { file: kept } : withoutFile(app, path, request)))
      : withoutFile(app, path, request)
  }

  function withoutFile(app: LiveApp, path: string, request: HostedRequest): Content {
    const ownPage = app.files.get('404.html')
    if (ownPage) return pageVersions.noted(request, app.version, { file: ownPage, status: 404 })
    if (path === 'favicon.ico') return NO_ICON
    const start: HostedFile | undefined = hasExtension(path) ? undefined : app.files.get('index.html')
    return start ? pageVersions.noted(request, app.version, { file: start }) : NOT_FOUND
  }
}

/** The response if this app cannot be served; otherwise undefined. */
export function refusalOf(state: State, method: string): Content | undefined {
  if (method !== 'GET' && method !== 'HEAD') return NO_SUCH_METHOD
  if (state === 'suspended') return SUSPENDED
  return state === 'off' ? OFF : undefined
}

/** The query with its question mark; empty if a browser would not send it. */
function queryOf(url: string): string {
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start)
  return /^[\x21-\x7e]*$/.test(query) ? query : ''
}
