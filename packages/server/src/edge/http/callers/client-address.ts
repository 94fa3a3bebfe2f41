import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

import { isLoopbackHost } from '../../../platform/network/networks.ts'

/** The client's IP address. Every limit per address and every check of it uses this one. */
export type ClientAddressOf = (request: IncomingMessage) => string

/**
 * Each trusted proxy adds the address it was called from to X-Forwarded-For, so the client's is as many entries from the end as
 * there are proxies. If a proxy wrote something else there (`unknown`, a name), the request counts as the proxy's own.
 */
export function createClientAddress(trustedProxies: number, warn: (line: string) => void): ClientAddressOf {
  let hasWarned = false

  return ({ socket, headers }) => {
    const { remoteAddress = '' } = socket
    if (trustedProxies === 0) return remoteAddress
    const nearestFirst = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
      .reverse()
      .slice(0, trustedProxies)
    const addresses = nearestFirst.map(addressIn)
    if (addresses.length > 0 && addresses.at(-1) === undefined && !hasWarned) {
      hasWarned = true
      warn(
        `A proxy sends X-Forwarded-For with ${JSON.stringify(nearestFirst.at(-1)?.slice(0, 64))} where the client's IP address should be. Such requests count as the proxy's own, also for rate limits. Check the proxy and SVC_TRUSTED_PROXIES.`,
      )
    }
    return addresses.findLast((address) => address !== undefined) ?? remoteAddress
  }
}

/** Whether a program on this machine has sent the request itself, and not a proxy on this machine for somebody else. */
export const isFromThisMachine = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopbackHost(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => FORWARDED.test(name))

const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/

/** The address of an entry without port, brackets and zone: `9.9.9.9:4001`, `[2001:db8::1]:4001`, `fe80::1%eth0`. */
function addressIn(entry: string): string | undefined {
  const [, inBrackets, v4] = WITH_PORT.exec(entry) ?? []
  const address = (inBrackets ?? v4 ?? entry).replace(/%.*/, '')
  return isIP(address) > 0 ? address : undefined
}
