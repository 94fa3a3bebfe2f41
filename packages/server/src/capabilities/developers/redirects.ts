import { isWeb, plainUrl } from '../../platform/redirect-rules.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Where a developer's browser may be sent with a one-time code: to this service's own pages, or to this very computer,
 * where a command line waits.
 */
export function isReturnAddress(text: string, baseUrl: string): boolean {
  const url = plainUrl(text)
  if (!url || !isWeb(url)) return false
  return url.origin === new URL(baseUrl).origin || LOOPBACK.includes(url.hostname)
}
