import { type Environment, hostLabel } from '../../../platform/environment.ts'

/** Where the service itself is reached and where it hosts apps; from settings, never from a request. */
export type Addresses = { baseUrl: string; appsDomain: string }

const LOOPBACK =
  /^https?:\/\/(?:[a-z0-9-]+\.)*localhost(?::\d+)?$|^https?:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** An origin of the machine itself. */
export const isLoopback = (origin: string): boolean => LOOPBACK.test(origin)

/** GEN-27, GEN-30, GEN-31: an empty list allows any origin; the hosted app and development localhost are always allowed. */
export function isOriginAllowed(
  origin: string,
  allowedOrigins: readonly string[],
  environment: Environment,
  addresses: Addresses,
): boolean {
  if (allowedOrigins.length === 0) return true
  if (environment.name === 'development' && isLoopback(origin)) return true
  if (origin === hostedOrigin(environment, addresses)) return true
  return allowedOrigins.some((allowed) => matches(origin, allowed))
}

/** `https://star-duel.example.app`, for development `https://star-duel--dev.example.app`. */
export const hostedOrigin = (environment: Environment, addresses: Addresses): string =>
  originsBelow(addresses)(hostLabel(environment))

/** Returns the origin of the host with this label below the apps domain. */
export function originsBelow({ baseUrl, appsDomain }: Addresses) {
  const { protocol, port } = new URL(baseUrl)
  const end = `.${appsDomain}${port ? `:${port}` : ''}`
  return (label: string): string => `${protocol}//${label}${end}`
}

/** Returns the part of a host name before the apps domain; undefined for every other host, which is the service itself. */
export function hostLabels({ baseUrl, appsDomain }: Addresses) {
  const own = new URL(baseUrl).hostname
  const below = `.${appsDomain}`
  // Each request asks several times, and the next one often has the same host.
  let lastHost = ''
  let lastLabel: string | undefined

  return (host: string): string | undefined => {
    if (host !== lastHost) {
      lastHost = host
      lastLabel = labelIn(host.toLowerCase())
    }
    return lastLabel
  }

  function labelIn(lowerCase: string): string | undefined {
    if (!lowerCase.includes(below)) return undefined
    const name = lowerCase.replace(/:\d*$/, '').replace(/\.$/, '')
    return name !== own && name.endsWith(below) ? name.slice(0, -below.length) : undefined
  }
}

/** `https://*.example.com` matches one or more labels, never the apex (CFG-13). */
function matches(origin: string, allowed: string): boolean {
  const [before, after] = allowed.split('//*.')
  if (after === undefined) return origin === allowed
  if (!origin.startsWith(`${before}//`) || !origin.endsWith(`.${after}`)) return false
  const labels = origin.slice(`${before}//`.length, -`.${after}`.length)
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(labels)
}
