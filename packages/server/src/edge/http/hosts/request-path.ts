/**
 * Paths are compared as text with those of a manifest and are never used on a file system, so none can reach files outside of an
 * app.
 */

const PLAIN = /^[A-Za-z0-9_~/.-]*$/
/** Replaces an encoded slash, which is part of a name. No file name contains this character. */
const SLASH_IN_A_NAME = '\0'

/**
 * The path of a request, decoded as a manifest would write it, with a slash before it; undefined if it is a path that no browser
 * sends.
 */
export function requestPath(url: string): string | undefined {
  const end = url.indexOf('?')
  const encoded = end < 0 ? url : url.slice(0, end)
  if (!encoded.startsWith('/')) return undefined
  const path = PLAIN.test(encoded) ? encoded : decoded(encoded)
  return path === undefined || /\/\.{1,2}(?:\/|$)/.test(path) ? undefined : path
}

function decoded(encoded: string): string | undefined {
  try {
    const path = encoded
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
