import { LOCALHOST } from '@svc/contract/config/urls'

import type { Environment } from '../environment.ts'

/** What decides which redirect URLs an environment allows. */
export type RedirectRules = {
  /** `auth.redirectUrls` of the config, whose form was checked when it was pushed. */
  redirectUrls: readonly string[]
  environment: Pick<Environment, 'name'>
  /** The origin under which the service hosts the app of this environment. */
  hostedOrigin: string
}

/** Whether a player's browser may be redirected to the URL with a one-time code or token (AUT-20, AUT-21). */
export function isRedirectAllowed(
  text: string,
  { redirectUrls, environment, hostedOrigin }: RedirectRules,
): boolean {
  const url = plainUrl(text)
  if (!url) return false
  if (isWeb(url) && url.origin === hostedOrigin) return true
  if (isWeb(url) && environment.name === 'development' && LOCALHOST.test(url.hostname)) return true
  return redirectUrls.some((allowed) => matches(url, allowed))
}

/** Encoded dots, slashes, backslashes, control characters and invalid characters, also when encoded twice. */
const HIDDEN = /%(?:25)*(?:[01][0-9a-f]|2e|2f|5c|7f|c[01])/i
/** `/..;/` is `/../` to some servers. */
const DOTS_WITH_PARAMETERS = /\/\.{1,2};/
const UNPRINTABLE = /[\\\s\p{Cc}]/u

/**
 * The URL, if it is written exactly as a browser would write it, so that no other program can read another host or path in the same
 * text. It has no user name, password or fragment: the service adds its own fragment.
 */
export function plainUrl(text: string): URL | undefined {
  const [beforeQuery = ''] = text.split('?', 1)
  if (UNPRINTABLE.test(text) || text.includes('#')) return undefined
  if (HIDDEN.test(beforeQuery) || DOTS_WITH_PARAMETERS.test(beforeQuery)) return undefined

  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return undefined
  return url.href === text || (isWeb(url) && url.href === `${text}/`) ? url : undefined
}

/** Whether the URL is http or https, not the scheme of a native app. */
export const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

function matches(url: URL, allowed: string): boolean {
  const isPrefix = allowed.endsWith('*')
  const rule = URL.parse(isPrefix ? allowed.slice(0, -1) : allowed)
  if (!rule || url.protocol !== rule.protocol || url.host !== rule.host) return false
  return isPrefix ? isBelow(url.pathname, rule.pathname) : isSame(url, rule)
}

/** `/a/*` matches all paths below `/a/`; `/a*` also matches `/a` itself, but never `/ab`. */
const isBelow = (path: string, prefix: string) =>
  path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)

/** Any query is allowed; if the rule has a query, the URL's query must begin with it. */
const isSame = (url: URL, rule: URL) =>
  url.pathname === rule.pathname &&
  (rule.search === '' || url.search === rule.search || url.search.startsWith(`${rule.search}&`))
