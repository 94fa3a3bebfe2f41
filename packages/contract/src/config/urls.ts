import { pathProblem } from '../common/deployed-paths.ts'
import { LIMITS } from '../common/limits.ts'
import type { EnvironmentName } from '../common/schemas.ts'

/** Each returns the problem of a URL as a sentence, or undefined if it is valid. */
type Problem = string | undefined

/** Host names of this machine (GEN-31). */
export const LOCALHOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/

/** Schemes that run or show content instead of opening an app. */
export const UNSAFE_SCHEMES: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
])

/**
 * Characters that browsers and people may read differently: `\`, spaces, control characters, dot segments, encoded dots and
 * slashes.
 */
const AMBIGUOUS = /[\\\s\p{Cc}]|%(?:2e|2f|5c)|\/\.{1,2}(?:[/;?#]|$)/iu

/** AUT-20, AUT-21: an absolute URL of http, https or an app's own scheme; `*` only as the last character of the path. */
export function redirectUrlProblem(text: string): Problem {
  const prefix = text.endsWith('*')
  const address = prefix ? text.slice(0, -1) : text
  const url = parsed(address)
  if (!url || !/^[a-z][a-z0-9+.-]*:\//i.test(address)) {
    return 'must be an absolute URL like https://app.example.com/signed-in or mygame://signed-in'
  }
  if (UNSAFE_SCHEMES.has(url.protocol)) return `must not be a ${url.protocol} URL`
  if (isWeb(url) && !/^https?:\/\//i.test(address)) return `must begin with ${url.protocol}//`
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, \\, dot segments or encoded dots and slashes'
  if (url.username || url.password) return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  if (address.includes('*') || (prefix && /\?|:$/.test(address)))
    return 'may contain * only as the last character of the path'
  return undefined
}

/** CFG-13: exactly as browsers send it, so that origins can be compared as texts; one `*.` matches subdomains. */
export function originProblem(text: string): Problem {
  const example =
    'must be an origin like https://app.example.com, https://*.example.com or capacitor://localhost'
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\\\s]*$/i.test(text)) return `${example}, without path, query or *`
  if (!/^https?:/i.test(text))
    return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]*(:\d{1,5})?$/.test(text) ? undefined : example

  const url = parsed(text.replace('://*.', '://wildcard.'))
  if (!url || url.hostname === 'wildcard.' || url.hostname.includes('*')) return example
  const isWildcard = text.includes('://*.')
  if (isWildcard && !isBelowOneOwner(url.hostname.slice('wildcard.'.length)))
    return 'must name a domain of your own behind *. like https://*.example.com'
  const origin = url.origin.replace('://wildcard.', isWildcard ? '://*.' : '://wildcard.')
  return origin === text ? undefined : `must be written as browsers send it: ${origin}`
}

/** Registries below a country's domain, and hosts that give a name to each customer: the common part of the Public Suffix List. */
const PUBLIC_SUFFIXES = [
  /^(?:ac|co|com|edu|gob|gov|mil|net|org)\.[a-z]{2}$/,
  /^(?:ltd|me|nhs|plc|police|sch)\.uk$/,
  /^(?:ad|ed|go|gr|lg|ne|or)\.jp$/,
  /^(?:go|ne|or|pe|re)\.kr$/,
  /^(?:asn|id)\.au$/,
  /^(?:gv|or)\.at$/,
  /^(?:firm|gen|ind)\.in$/,
  /^(?:geek|gen|kiwi|maori|school)\.nz$/,
  /^(?:nom|web)\.za$/,
  /^(?:blogspot|firebaseapp|herokuapp|onrender)\.com$/,
  /^(?:fly|pages|r2|workers)\.dev$/,
  /^(?:netlify|vercel|web)\.app$/,
  /^(?:github|gitlab|itch)\.io$/,
]

/** Everybody can register a name under a public suffix, so a wildcard there would allow everybody. */
const isBelowOneOwner = (domain: string): boolean => {
  if (LOCALHOST.test(domain)) return true
  const name = domain.replace(/\.$/, '')
  return name.includes('.') && !PUBLIC_SUFFIXES.some((suffix) => suffix.test(name))
}

/** Before the path of the environment's own functions. */
export const OWN_FUNCTIONS = '/.fn/'

/** CFG-17 */
export function webhookUrlProblem(text: string, environment: EnvironmentName): Problem {
  if (text.startsWith('/'))
    return text.startsWith(OWN_FUNCTIONS) &&
      !AMBIGUOUS.test(text.slice(OWN_FUNCTIONS.length - 1)) &&
      !text.includes('#')
      ? undefined
      : 'must be an https URL, or a path of your functions like /.fn/verify'
  const url = parsed(text)
  if (!url || !isWeb(url) || AMBIGUOUS.test(text))
    return 'must be an https URL like https://api.example.com/verify'
  if (url.username || url.password) return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.protocol === 'https:') return undefined
  if (!LOCALHOST.test(url.hostname))
    return 'must use https; http is allowed only for localhost in development'
  return environment === 'development' ? undefined : 'must be https in production'
}

/** CFG-15: `share.tags.image` */
export function imageProblem(text: string): Problem {
  const message = 'must be a path in the deployment like art/card.png, or an https URL'
  if (/^https:\/\//i.test(text)) {
    const url = parsed(text)
    return url && !url.username && !url.password && !AMBIGUOUS.test(text) ? undefined : message
  }
  // `javascript:x` would also be a path, but browsers treat it as a scheme.
  const hasScheme = /^[^/]*:/.test(text)
  const isPath = text.length <= LIMITS.deployedPathLengthMax && pathProblem(text) === undefined
  return isPath && !hasScheme ? undefined : message
}

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:'
