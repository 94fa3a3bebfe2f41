import type { IncomingMessage } from 'node:http'

/**
 * The client's address, for requests that Fastify does not see (its `request.ip` is the same). Each trusted proxy adds the address it
 * was called from to X-Forwarded-For, so the client's is as many entries from the end as there are proxies.
 */
export function clientAddressOf(request: IncomingMessage, trustedProxies: number): string {
  const { socket, headers } = request
  if (trustedProxies === 0) return socket.remoteAddress ?? ''
  const nearestFirst = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)
    .reverse()
  return nearestFirst[Math.min(trustedProxies, nearestFirst.length) - 1] ?? socket.remoteAddress ?? ''
}
