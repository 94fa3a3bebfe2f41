const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Traps for whoever decodes or splits the path a second time: encoded dots and slashes, and dot segments with parameters. */
const AMBIGUOUS = /%2e|%2f|%5c|\/\.{1,2};/i

/**
 * Where a developer's browser may be sent with a one-time code: to this service's own pages, or to this very computer,
 * where a command line waits. Only addresses written as a browser itself would write them, so that nobody downstream can
 * read another host or path out of the same text (RELIABILITY 1.4).
 */
export function isReturnAddress(text: string, baseUrl: string): boolean {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  if (url.href !== text && url.href !== `${text}/`) return false
  if (url.username !== '' || url.password !== '' || text.includes('#') || AMBIGUOUS.test(text)) return false
  return url.origin === new URL(baseUrl).origin || LOOPBACK.includes(url.hostname)
}
