import type { AppAnswer } from './answers.ts'
import { hasExtension } from './paths.ts'

/**
 * Skew protection. A page tells the browser its version in a cookie, and what the page loads comes from that version, also when
 * another one went live in between. Documents always come from the live version.
 */
export type PageVersions = ReturnType<typeof createPageVersions>

export type PageVisit = { url: string; cookie: string | undefined; fetchMode: string | undefined }

/** For how long a page may go on loading its parts. A version that was replaced longer ago is not served to anybody. */
export const PAGE_VERSION_MS = 600_000

/** `isSecure`: the apps are served over https. */
export function createPageVersions({ isOn, isSecure }: { isOn: boolean; isSecure: boolean }) {
  // With this prefix browsers refuse a cookie that another host of the domain sets for this one.
  const name = isSecure ? '__Host-svc-version' : '__svc-version'
  const wanted = new RegExp(`(?:^|; ?)${name}=([1-9]\\d{0,8})(?:;|$)`)
  const attributes = `Max-Age=${PAGE_VERSION_MS / 1_000}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  return {
    /** The version of the page that this is loaded for. Undefined for a document, for the service's own files, and when not known. */
    of(visit: PageVisit): number | undefined {
      if (!isOn || visit.cookie === undefined || visit.url.startsWith('/.svc/') || isDocument(visit))
        return undefined
      const version = wanted.exec(visit.cookie)?.[1]
      return version === undefined ? undefined : Number(version)
    },

    /** The answer to a visit, with the cookie if it is a document. */
    noted(visit: PageVisit, version: number, type: string, answer: AppAnswer): AppAnswer {
      if (!isOn || !type.startsWith('text/html') || !isDocument(visit)) return answer
      return { ...answer, headers: [...answer.headers, 'Set-Cookie', `${name}=${version}; ${attributes}`] }
    },
  }
}

/** Browsers that do not say what they fetch for (old ones, and all of them over plain http) are judged by the address. */
function isDocument({ url, fetchMode }: PageVisit): boolean {
  if (fetchMode !== undefined) return fetchMode === 'navigate'
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  return !hasExtension(path) || /\.html?$/i.test(path)
}
