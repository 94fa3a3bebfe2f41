import { UNSAFE_SCHEMES } from '@svc/contract/config/urls'

import { isLoopbackHost } from '../../../platform/network/networks.ts'
import { isWeb, plainUrl } from '../../../platform/network/redirect-rules.ts'

const isLoopbackUrl = ({ hostname }: URL) => isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))

/** Whether the URL leads to a program on the computer of the developer: loopback, or the scheme of a native app. */
export const isThisComputer = (url: URL): boolean => !isWeb(url) || isLoopbackUrl(url)

/**
 * Whether a client may have this redirect URI: https, http on loopback, or the scheme of a native app. From a document that anybody
 * can publish, a scheme must be a domain name backwards (RFC 8252, 7.1); an operator may add any other.
 */
export function mayBeRedirectUri(text: string, by: 'operator' | 'document'): boolean {
  const url = text.length <= 2_000 ? plainUrl(text) : undefined
  if (!url) return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopbackUrl(url)
  // Code in one of them would run on our page, or show a page as ours.
  if (UNSAFE_SCHEMES.has(url.protocol)) return false
  return by === 'operator' || url.protocol.includes('.')
}

/** Compares exactly, except that on loopback any port is the same: a program gets a free one when it starts (RFC 8252, 7.3). */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true
  const url = plainUrl(redirectUri)
  if (url?.protocol !== 'http:' || !isLoopbackUrl(url)) return false
  const asked = withoutPort(url)
  return registered.some((text) => {
    const one = plainUrl(text)
    return one?.protocol === 'http:' && isLoopbackUrl(one) && withoutPort(one) === asked
  })
}

function withoutPort(url: URL): string {
  const copy = new URL(url)
  copy.port = ''
  return copy.href
}
