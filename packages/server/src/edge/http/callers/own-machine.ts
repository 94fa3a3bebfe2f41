import type { IncomingHttpHeaders } from 'node:http'

import { ApiError } from '../../../platform/api-error.ts'
import { isLoopbackHost } from '../../../platform/network/networks.ts'
import { type Addresses, hostLabels } from './origins.ts'

export type OwnMachine = ReturnType<typeof createOwnMachine>

const FOREIGN_PAGE =
  'Pages of another origin cannot use this endpoint of a service on your machine. Use its dashboard or the command svc.'

/**
 * What a service refuses that only its own machine may reach. Browsers on that machine also show pages of strangers, which can send
 * requests to it, and a proxy in front of it would let everybody in.
 */
export function createOwnMachine(addresses: Addresses) {
  const { host: ownHost, hostname: ownName } = new URL(addresses.baseUrl)
  const labelOf = hostLabels(addresses)
  const isOwnHost = (host: string) => {
    const name = nameIn(host)
    return name === ownName || isLoopbackName(name) || labelOf(host) !== undefined
  }

  return {
    /** `host_not_allowed` for a name that somebody else lets point here (DNS rebinding), and for what a proxy has forwarded. */
    refusalOf({ headers }: { headers: IncomingHttpHeaders }): ApiError | undefined {
      const { host } = headers
      const isHere = (host === undefined || isOwnHost(host)) && !isForwardedFromElsewhere(headers)
      return isHere ? undefined : new ApiError('host_not_allowed')
    },

    /** Throws `origin_not_allowed` if a page sent the request that is not the service's own. Hosted apps are not. */
    requireOwnPage({ method, headers }: { method: string; headers: IncomingHttpHeaders }) {
      if (!isFromOwnPage(method, headers))
        throw new ApiError('origin_not_allowed', undefined, { message: FOREIGN_PAGE })
    },
  }

  function isFromOwnPage(method: string, { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders) {
    // A program, or a page that cannot read the response.
    if (origin === undefined) return method === 'GET' || site === undefined || site === 'same-origin'
    // Forms of a page with `no-referrer` send it, as every page of the service is.
    if (origin === 'null') return site === 'same-origin'
    const from = URL.canParse(origin) ? new URL(origin).host : ''
    return from === host?.toLowerCase() || from === ownHost
  }
}

/** Without port, brackets and the dot at the end. */
const nameIn = (host: string) =>
  host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const isLoopbackName = (name: string) => isLoopbackHost(name) || name.endsWith('.localhost')

/** A development server on this machine names only this machine. */
function isForwardedFromElsewhere(headers: IncomingHttpHeaders): boolean {
  let isForwarded = false
  for (const name in headers) if (FORWARDING.test(name)) isForwarded = true
  if (!isForwarded) return false
  const named = [headers['x-forwarded-for'], headers['x-forwarded-host']].flatMap((value) =>
    value === undefined ? [] : String(value).split(','),
  )
  const isHere = headers['x-forwarded-for'] !== undefined && headers.forwarded === undefined
  return !isHere || !named.every((one) => isThisMachine(one.trim()))
}

const isThisMachine = (named: string) => isLoopbackName(named) || isLoopbackName(nameIn(named))

const FORWARDING = /^(?:x-forwarded-|forwarded$|x-real-ip$)/
