/** Paths are compared as text with those of a manifest and never meet a file system, so none can lead out of an app. */

const PLAIN = /^[A-Za-z0-9_~/.-]*$/
/** No file has it, so it stands for a slash that is part of a name. */
const SLASH_IN_A_NAME = '\0'

/** The path of a request as a manifest would write it, with a slash before it; undefined for what no browser sends. */
export function requestPath(url: string): string | undefined {
  const end = url.indexOf('?')
  const written = end < 0 ? url : url.slice(0, end)
  if (!written.startsWith('/')) return undefined
  const path = PLAIN.test(written) ? written : decoded(written)
  return path === undefined || /\/\.{1,2}(?:\/|$)/.test(path) ? undefined : path
}

function decoded(written: string): string | undefined {
  try {
    const path = written
      .split('/')
      .map((segment) => {
        const name = decodeURIComponent(segment)
        if (/[\p{Cc}\\]/u.test(name)) throw new URIError(`not a name: ${segment}`)
        return name.replaceAll('/', SLASH_IN_A_NAME)
      })
      .join('/')
    return path.normalize('NFC')
  } catch {
    return undefined
  }
}

/** As an address has to be written for `requestPath` to read it. */
export const writtenPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** In its last part, so that `/v1.2/play` has none. */
export const hasExtension = (path: string): boolean => /[^/]\.[^/.]+$/.test(path)
