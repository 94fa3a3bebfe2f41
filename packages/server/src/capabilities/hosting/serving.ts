import { isReserved } from '@svc/contract/deployed-paths'

import type { Environment } from '../../platform/environment.ts'
import {
  answerOf,
  type AppAnswer,
  BAD_ADDRESS,
  NO_APP,
  NO_ICON,
  NO_SUCH_METHOD,
  NOT_FOUND,
  OFF,
  redirectTo,
  messagePage,
  SUSPENDED,
} from './answers.ts'
import type { createFileAnswers, Wish } from './file-answers.ts'
import type { App, LiveApp, LiveVersions } from './live-versions.ts'
import type { HostedFile } from './manifests.ts'
import type { OwnFiles } from './own-files.ts'
import type { PageVersions, PageVisit } from './page-versions.ts'
import { hasExtension, requestPath, writtenPath } from './paths.ts'

/** A request to a host below the apps domain. */
export type Visit = Wish & PageVisit & { label: string; method: string; address: string }
/** `page`: the built-in page of the service at this address answers, for this environment. */
export type Served = AppAnswer | { page: string }

export type ServingNeeds = {
  live: LiveVersions
  files: ReturnType<typeof createFileAnswers>
  ownFiles: OwnFiles
  pageVersions: PageVersions
  /** The limit per address that public calls have. */
  admit(environment: Environment, address: string): Promise<void>
}
export type Serving = ReturnType<typeof createServing>

const NOTHING_DEPLOYED = messagePage(
  404,
  'Nothing is live yet',
  'Deploy a version and activate it: svc deploy',
)

/** Hosts of no app are limited together, as if they were one. */
const NOWHERE: Environment = { id: 'nowhere', projectId: '', name: 'production', slug: '' }

/**
 * What a visitor of a hosted app gets (HST-08): a document wholly from the version that is live when it is asked for, and what it
 * loads from the same version.
 */
export function createServing({ live, files, ownFiles, pageVersions, admit }: ServingNeeds) {
  return async (visit: Visit): Promise<Served> => {
    const version = pageVersions.of(visit)
    const app = await (version === undefined
      ? live.find(visit.label)
      : live.findVersion(visit.label, version))
    await admit(app?.environment ?? NOWHERE, visit.address)
    const served = await serve(app, visit)
    if (served) return served
    // Removed since we last looked, with its project for one.
    live.forget(visit.label)
    const again = await serve(await live.find(visit.label), visit)
    if (!again) throw new Error(`a blob of the live version of ${visit.label} is not there, or not whole`)
    return again
  }

  /** Undefined when what is to be answered is no longer stored. */
  async function serve(app: App | undefined, visit: Visit): Promise<Served | undefined> {
    const path = requestPath(visit.url)
    if (app && path?.startsWith('/.auth/')) return { page: app.environment.id }
    const isHead = visit.method === 'HEAD'
    const found = app ? await answerFor(app, path, visit, isHead) : NO_APP
    const answer = found && 'file' in found ? await answerOf(found, visit.acceptEncoding) : found
    return isHead && answer?.body ? { status: answer.status, headers: answer.headers } : answer
  }

  async function answerFor(app: App, path: string | undefined, visit: Visit, isHead: boolean) {
    if (path === undefined) return BAD_ADDRESS
    if (visit.method !== 'GET' && !isHead) return NO_SUCH_METHOD
    if (app.state === 'suspended') return SUSPENDED
    if (app.state === 'off') return OFF
    if (path.startsWith('/.svc/')) {
      const version = app.state === 'live' ? app.version : null
      return (await ownFiles(path, app.environment, version, visit)) ?? NOT_FOUND
    }
    if (isReserved(path.slice(1))) return NOT_FOUND
    if (app.state !== 'live') return NOTHING_DEPLOYED
    return fromVersion(app, path.slice(1), visit, isHead)
  }

  async function fromVersion(app: LiveApp, path: string, visit: Visit, isHead: boolean) {
    const isFolder = path === '' || path.endsWith('/')
    const file = app.files.get(isFolder ? `${path}index.html` : path)
    if (file) return noted(file, files.ok(file, visit, isHead))
    if (!isFolder && app.files.has(`${path}/index.html`)) {
      return redirectTo(`/${writtenPath(path)}/${queryOf(visit.url)}`)
    }
    const kept = hasExtension(path) ? await app.kept(path) : undefined
    if (kept) return files.ok(kept, visit, isHead)

    const ownPage = app.files.get('404.html')
    if (ownPage) return noted(ownPage, files.notFound(ownPage, isHead))
    if (path === 'favicon.ico') return NO_ICON
    const start = hasExtension(path) ? undefined : app.files.get('index.html')
    return start ? noted(start, files.ok(start, visit, isHead)) : NOT_FOUND

    async function noted({ type }: HostedFile, answering: Promise<AppAnswer | undefined>) {
      const answer = await answering
      return answer && pageVersions.noted(visit, app.version, type, answer)
    }
  }
}

/** With its question mark; without what no browser sends. */
function queryOf(url: string): string {
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start)
  return /^[\x21-\x7e]*$/.test(query) ? query : ''
}
