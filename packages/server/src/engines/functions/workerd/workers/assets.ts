// Static files of a deployment: which file a path means, redirects to its path, and what answers if there is none.
import { destinationOf, type HeaderRule, headersOf, type Redirect, redirectsOf } from './asset-rules.ts'
import type { Service } from './runtime.ts'

type AssetFile = { path: string; type: string; etag: string; start: number; size: number }
type Assets = {
  files: AssetFile[]
  htmlHandling: keyof typeof SERVED_AT
  notFoundHandling: 'none' | '404-page' | 'single-page-application'
  navigationPrefersPages: boolean
  runWorkerFirst: boolean | string[]
  headers: HeaderRule[]
  redirects: Redirect[]
}
type Env = { ASSETS: Assets; ASSET_FILES: Service; USER: Service }
type FoundFile = { file: AssetFile; status: number }
type Found = FoundFile | { redirect: string } | { location: string; status: number }
type Site = ReturnType<typeof buildSite>

const HTML = /\.html$/
const INDEX = /(?:^|\/)index\.html$/

/** The path at which a file is served, by the handling of HTML. */
const SERVED_AT = {
  'auto-trailing-slash': (path: string) => (INDEX.test(path) ? folderOf(path) : path.replace(HTML, '')),
  'force-trailing-slash': (path: string) => (INDEX.test(path) ? folderOf(path) : path.replace(HTML, '/')),
  'drop-trailing-slash': (path: string) =>
    INDEX.test(path) ? folderOf(path).replace(/\/$/, '') : path.replace(HTML, ''),
  none: (path: string) => path,
}
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

let site: Site | undefined
/** Built by the first request. */
const siteOf = ({ ASSETS }: Env): Site => (site ??= buildSite(ASSETS))

function buildSite({
  files,
  htmlHandling,
  notFoundHandling,
  navigationPrefersPages,
  runWorkerFirst,
  headers,
  redirects,
}: Assets) {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const served = new Map<string, AssetFile>()
  // A file that has exactly this path wins, then the page of a folder.
  for (const file of byPath.values())
    if (HTML.test(file.path) && !INDEX.test(file.path)) served.set(SERVED_AT[htmlHandling](file.path), file)
  for (const file of byPath.values())
    if (INDEX.test(file.path)) served.set(SERVED_AT[htmlHandling](file.path), file)
  for (const file of byPath.values()) if (!HTML.test(file.path)) served.set(file.path, file)
  const rules = Array.isArray(runWorkerFirst) ? runWorkerFirst : undefined
  return {
    byPath,
    served,
    servedAt: SERVED_AT[htmlHandling],
    hasPages: htmlHandling !== 'none',
    notFoundHandling,
    navigationPrefersPages,
    isAlwaysCode: runWorkerFirst === true,
    redirectFor: redirectsOf(redirects),
    changeHeaders: headersOf(headers),
    rules: rules && {
      code: rules.filter((rule) => !rule.startsWith('!')).map(patternOf),
      files: rules.filter((rule) => rule.startsWith('!')).map((rule) => patternOf(rule.slice(1))),
    },
  }
}

const patternOf = (rule: string): RegExp =>
  new RegExp(`^${rule.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`)

/** Undefined for a path that cannot be decoded. */
function pathOf(pathname: string) {
  try {
    return decodeURIComponent(pathname.slice(1)).normalize('NFC')
  } catch {
    return undefined
  }
}

/** A redirect of the rules, or the file that a rule shows in place of another. */
function findByRule(site: Site, url: URL): Found | undefined {
  const redirect = site.redirectFor(url.pathname)
  if (!redirect) return undefined
  if (redirect.status !== 200) return { location: destinationOf(redirect.to, url), status: redirect.status }
  const path = pathOf(redirect.to.replace(/[?#].*$/s, ''))
  const found = path === undefined ? undefined : find(site, path)
  return found && 'redirect' in found ? find(site, found.redirect) : found
}

/** The file of a path, or the path to go to instead. */
function find(site: Site, path: string): FoundFile | { redirect: string } | undefined {
  const file = site.served.get(path)
  if (file) return { file, status: 200 }
  if (!site.hasPages) return undefined
  if (HTML.test(path) && site.byPath.has(path)) return { redirect: site.servedAt(path) }
  const base = path
    .replace(/(?:^|\/)index(?:\.html)?$/, '')
    .replace(HTML, '')
    .replace(/\/$/, '')
  const redirect = [`${base}/`, base].find(
    (one) => one !== path && HTML.test(site.served.get(one)?.path ?? ''),
  )
  return redirect === undefined ? undefined : { redirect }
}

function findFallback(site: Site, path: string): FoundFile | undefined {
  if (site.notFoundHandling === 'single-page-application') {
    const file = site.byPath.get('index.html')
    return file && { file, status: 200 }
  }
  if (site.notFoundHandling !== '404-page') return undefined
  for (let folder = folderOf(path); ; folder = folderOf(folder.slice(0, -1))) {
    const file = site.byPath.get(`${folder}404.html`)
    if (file) return { file, status: 404 }
    if (folder === '') return undefined
  }
}

/** Relative, so that it holds below `/.fn/`, too, and never leads to another host. */
function locationOf(from: string, to: string, search: string) {
  const encoded = to.split('/').map(encodeURIComponent).join('/')
  return `${'../'.repeat(from.split('/').length - 1) || './'}${encoded}${search}`
}

async function respond(
  request: Request,
  env: Env,
  found: Found | undefined,
  path: string,
  { pathname, search }: URL,
) {
  if (!found) return new Response(null, { status: 404 })
  if ('location' in found)
    return new Response(null, { status: found.status, headers: { location: found.location } })
  if ('redirect' in found)
    return new Response(null, {
      status: 307,
      headers: { location: locationOf(path, found.redirect, search) },
    })
  const { file, status } = found
  const etag = `"${file.etag}"`
  const headers = new Headers({ etag, 'cache-control': 'public, max-age=0, must-revalidate' })
  const known = request.headers.get('if-none-match')
  const isKnown = status === 200 && known !== null && isListed(known, etag)
  if (!isKnown) headers.set('content-type', file.type)
  siteOf(env).changeHeaders(pathname, headers)
  if (isKnown) return new Response(null, { status: 304, headers })
  headers.set('content-length', String(file.size))
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  if (file.size === 0) return new Response(null, { status, headers })
  const range = `bytes=${file.start}-${file.start + file.size - 1}`
  const { body } = await env.ASSET_FILES.fetch('http://files/all', { headers: { range } })
  return new Response(body, { status, headers })
}

const isListed = (known: string, etag: string): boolean =>
  known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** `env.ASSETS` of the code. */
export const assets = {
  async fetch(request: Request, env: Env) {
    if (!isRead(request)) {
      await request.body?.pipeTo(new WritableStream())
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
    }
    const url = new URL(request.url)
    const path = pathOf(url.pathname)
    if (path === undefined) return respond(request, env, undefined, '', url)
    const site = siteOf(env)
    const found = findByRule(site, url) ?? find(site, path) ?? findFallback(site, path)
    return respond(request, env, found, path, url)
  },
}

/** Requests of visitors: a file if there is one, otherwise the code. */
export const front = {
  async fetch(request: Request, env: Env) {
    const site = siteOf(env)
    const { rules, isAlwaysCode, navigationPrefersPages } = site
    if (isAlwaysCode || !isRead(request) || request.headers.has('upgrade')) return env.USER.fetch(request)
    const url = new URL(request.url)
    const { pathname } = url
    if (rules?.files.some((rule) => rule.test(pathname))) return assets.fetch(request, env)
    if (rules?.code.some((rule) => rule.test(pathname))) return env.USER.fetch(request)

    const path = pathOf(pathname)
    if (path === undefined) return env.USER.fetch(request)
    // With rules, what they do not name are pages. Without, only browsers that open a page get one.
    const isPage = rules || (navigationPrefersPages && request.headers.get('sec-fetch-mode') === 'navigate')
    const found = findByRule(site, url) ?? find(site, path) ?? (isPage ? findFallback(site, path) : undefined)
    return found ? respond(request, env, found, path, url) : env.USER.fetch(request)
  },
}
