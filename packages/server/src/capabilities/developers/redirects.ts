import { isWeb, plainUrl } from '../../platform/network/redirect-rules.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a developer's browser may be redirected there with a one-time code: to pages of this service, or to localhost, where a
 * command line waits.
 */
export function isReturnAddress(text: string, baseUrl: string): boolean {
  const url = plainUrl(text)
  if (!url || !isWeb(url)) return false
  return url.origin === new URL(baseUrl).origin || LOOPBACK.includes(url.hostname)
}
