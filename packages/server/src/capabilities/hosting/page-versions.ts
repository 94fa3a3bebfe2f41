import type { Content, FileResponse } from '../../platform/http/responses.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { hasExtension } from './paths.ts'

/**
 * Skew protection. A page sets a cookie with its version, and the files that it loads come from that version, also if another one
 * was activated in between. Documents always come from the live version.
 */
export type PageVersions = ReturnType<typeof createPageVersions>

export type PageRequest = { url: string; cookie: string | undefined; fetchMode: string | undefined }

/** How long an open page may load files of its version. A version that was replaced longer ago is not served any more. */
export const PAGE_VERSION_MS = 600_000
const COOKIES_CACHED_MAX = 1_000

/** `isSecure`: the apps are served over https. */
export function createPageVersions({ isOn, isSecure }: { isOn: boolean; isSecure: boolean }) {
  // With this prefix browsers reject a cookie that another host of the domain sets for this one.
  const name = isSecure ? '__Host-svc-version' : '__svc-version'
  const wanted = new RegExp(`(?:^|; ?)${name}=([1-9]\\d{0,8})(?:;|$)`)
  const attributes = `Max-Age=${PAGE_VERSION_MS / 1_000}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  /** By version: all pages of one version share the object, so that the edge can cache what it makes of it. */
  const cookies = new Map<number, Record<string, string>>()

  function cookieOf(version: number): Record<string, string> {
    const known = cookies.get(version)
    if (known) return known
    const cookie = { 'Set-Cookie': `${name}=${version}; ${attributes}` }
    setBounded(cookies, version, cookie, COOKIES_CACHED_MAX)
    return cookie
  }

  return {
    /** The version of the page that loads this file. Undefined for a document, and if the version is not known. */
    of(request: PageRequest): number | undefined {
      if (!isOn || request.cookie === undefined || isDocument(request)) return undefined
      const version = wanted.exec(request.cookie)?.[1]
      return version === undefined ? undefined : Number(version)
    },

    /** The response, with the cookie if it is a document. */
    noted(request: PageRequest, version: number, response: FileResponse): Content {
      if (!isOn || !response.file.type.startsWith('text/html') || !isDocument(request)) return response
      return { ...response, headers: cookieOf(version) }
    },
  }
}

/** If the browser does not send the purpose of the request (old browsers, and all over plain http), the URL decides. */
function isDocument({ url, fetchMode }: PageRequest): boolean {
  if (fetchMode !== undefined) return fetchMode === 'navigate'
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return !hasExtension(path) || /\.html?$/i.test(path)
}
