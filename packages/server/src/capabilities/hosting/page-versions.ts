import type { Content, FileResponse } from '../../platform/responses.ts'
import { hasExtension } from './paths.ts'

/**
 * Skew protection. A page tells the browser its version in a cookie, and what the page loads comes from that version, also when
 * another one went live in between. Documents always come from the live version.
 */
export type PageVersions = ReturnType<typeof createPageVersions>

export type PageRequest = { url: string; cookie: string | undefined; fetchMode: string | undefined }

/** For how long a page may go on loading its parts. A version that was replaced longer ago is not served to anybody. */
export const PAGE_VERSION_MS = 600_000

/** `isSecure`: the apps are served over https. */
export function createPageVersions({ isOn, isSecure }: { isOn: boolean; isSecure: boolean }) {
  // With this prefix browsers refuse a cookie that another host of the domain sets for this one.
  const name = isSecure ? '__Host-svc-version' : '__svc-version'
  const wanted = new RegExp(`(?:^|; ?)${name}=([1-9]\\d{0,8})(?:;|$)`)
  const attributes = `Max-Age=${PAGE_VERSION_MS / 1_000}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  return {
    /** The version of the page that this is loaded for. Undefined for a document, and if the version is not known. */
    of(request: PageRequest): number | undefined {
      if (!isOn || request.cookie === undefined || isDocument(request)) return undefined
      const version = wanted.exec(request.cookie)?.[1]
      return version === undefined ? undefined : Number(version)
    },

    /** The response, with the cookie if it is a document. */
    noted(request: PageRequest, version: number, response: FileResponse): Content {
      if (!isOn || !response.file.type.startsWith('text/html') || !isDocument(request)) return response
      return { ...response, headers: { 'Set-Cookie': `${name}=${version}; ${attributes}` } }
    },
  }
}

/** Browsers that do not say what they fetch for (old ones, and all of them over plain http) are judged by the address. */
function isDocument({ url, fetchMode }: PageRequest): boolean {
  if (fetchMode !== undefined) return fetchMode === 'navigate'
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return !hasExtension(path) || /\.html?$/i.test(path)
}
