// Static files of a deployment: which file a path means, redirects to its path, and what answers if there is none.
import { destinationOf, headersOf, redirectsOf } from './asset-rules.js'

/** @import { Service } from './runtime.ts' */
/** @import { HeaderRule, Redirect } from './asset-rules.js' */

/**
 * @typedef {{ path: string, type: string, etag: string, start: number, size: number }} AssetFile
 *
 * @typedef {object} Assets
 * @property {AssetFile[]} files
 * @property {keyof typeof SERVED_AT} htmlHandling
 * @property {'none' | '404-page' | 'single-page-application'} notFoundHandling
 * @property {boolean} navigationPrefersPages
 * @property {boolean | string[]} runWorkerFirst
 * @property {HeaderRule[]} headers
 * @property {Redirect[]} redirects
 *
 * @typedef {{ ASSETS: Assets, ASSET_FILES: Service, USER: Service }} Env
 * @typedef {{ file: AssetFile, status: number }} FoundFile
 * @typedef {FoundFile | { redirect: string } | { location: string, status: number }} Found
 * @typedef {ReturnType<typeof buildSite>} Site
 */

const HTML = /\.html$/
const INDEX = /(?:^|\/)index\.html$/

/** The path at which a file is served, by the handling of HTML. */
const SERVED_AT = {
  /** @param {string} path */
  'auto-trailing-slash': (path) => (INDEX.test(path) ? folderOf(path) : path.replace(HTML, '')),
  /** @param {string} path */
  'force-trailing-slash': (path) => (INDEX.test(path) ? folderOf(path) : path.replace(HTML, '/')),
  /** @param {string} path */
  'drop-trailing-slash': (path) =>
    INDEX.test(path) ? folderOf(path).replace(/\/$/, '') : path.replace(HTML, ''),
  /** @param {string} path */
  none: (path) => path,
}
/** @type {(path: string) => string} */
const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1)

/** @type {Site | undefined} */
let site
/**
 * Built by the first request.
 * @type {(env: Env) => Site}
 */
const siteOf = ({ ASSETS }) => (site ??= buildSite(ASSETS))

/** @param {Assets} assets */
function buildSite({
  files,
  htmlHandling,
  notFoundHandling,
  navigationPrefersPages,
  runWorkerFirst,
  headers,
  redirects,
}) {
  const byPath = new Map(files.map((file) => [file.path, file]))
  /** @type {Map<string, AssetFile>} */
  const served = new Map()
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

/** @type {(rule: string) => RegExp} */
const patternOf = (rule) =>
  new RegExp(`^${rule.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`)

/**
 * Undefined for a path that cannot be decoded.
 * @param {string} pathname
 */
function pathOf(pathname) {
  try {
    return decodeURIComponent(pathname.slice(1)).normalize('NFC')
  } catch {
    return undefined
  }
}

/**
 * A redirect of the rules, or the file that a rule shows in place of another.
 * @param {Site} site
 * @param {URL} url
 * @returns {Found | undefined}
 */
function findByRule(site, url) {
  const redirect = site.redirectFor(url.pathname)
  if (!redirect) return undefined
  if (redirect.status !== 200) return { location: destinationOf(redirect.to, url), status: redirect.status }
  const path = pathOf(redirect.to.replace(/[?#].*$/s, ''))
  const found = path === undefined ? undefined : find(site, path)
  return found && 'redirect' in found ? find(site, found.redirect) : found
}

/**
 * The file of a path, or the path to go to instead.
 * @param {Site} site
 * @param {string} path
 * @returns {FoundFile | { redirect: string } | undefined}
 */
function find(site, path) {
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

/**
 * @param {Site} site
 * @param {string} path
 * @returns {FoundFile | undefined}
 */
function findFallback(site, path) {
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

/**
 * Relative, so that it holds below `/.fn/`, too, and never leads to another host.
 * @param {string} from
 * @param {string} to
 * @param {string} search
 */
function locationOf(from, to, search) {
  const encoded = to.split('/').map(encodeURIComponent).join('/')
  return `${'../'.repeat(from.split('/').length - 1) || './'}${encoded}${search}`
}

/**
 * @param {Request} request
 * @param {Env} env
 * @param {Found | undefined} found
 * @param {string} path
 * @param {URL} url
 */
async function respond(request, env, found, path, { pathname, search }) {
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

/** @type {(known: string, etag: string) => boolean} */
const isListed = (known, etag) =>
  known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)

/** @type {(request: Request) => boolean} */
const isRead = ({ method }) => method === 'GET' || method === 'HEAD'

/** `env.ASSETS` of the code. */
export const assets = {
  /**
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
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
  /**
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
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
