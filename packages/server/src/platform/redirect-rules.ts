import { LOCALHOST } from '@svc/contract/config-urls'

import type { Environment } from './environment.ts'

export type RedirectRules = {
  /** `auth.redirectUrls` of the config, whose form was checked when it was pushed. */
  redirectUrls: readonly string[]
  environment: Pick<Environment, 'name'>
  /** Where the service itself hosts the app of this environment. */
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

/** What decodes to a dot, a slash, a backslash, a control character or no character at all, also when encoded twice. */
const HIDDEN = /%(?:25)*(?:[01][0-9a-f]|2e|2f|5c|7f|c[01])/i
/** `/..;/` is `/../` to some servers. */
const DOTS_WITH_PARAMETERS = /\/\.{1,2};/
const UNPRINTABLE = /[\\\s\p{Cc}]/u

/**
 * An address written as a browser itself would write it, so that nobody downstream can read another host or path out of the
 * same text; without user name, password and fragment, because the fragment is ours.
 */
export function plainUrl(text: string): URL | undefined {
  const [beforeQuery = ''] = text.split('?', 1)
  if (UNPRINTABLE.test(text) || text.includes('#')) return undefined
  if (HIDDEN.test(beforeQuery) || DOTS_WITH_PARAMETERS.test(beforeQuery)) return undefined

  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return undefined
  return url.href === text || (isWeb(url) && url.href === `${text}/`) ? url : undefined
}

export const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

function matches(url: URL, allowed: string): boolean {
  const isPrefix = allowed.endsWith('*')
  const rule = URL.parse(isPrefix ? allowed.slice(0, -1) : allowed)
  if (!rule || url.protocol !== rule.protocol || url.host !== rule.host) return false
  return isPrefix ? isBelow(url.pathname, rule.pathname) : isSame(url, rule)
}

/** `/a/*` is all below `/a/`; `/a*` is `/a` itself too, but never `/ab`. */
const isBelow = (path: string, prefix: string) =>
  path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)

/** Any query will do; where the rule has one of its own, it comes first. */
const isSame = (url: URL, rule: URL) =>
  url.pathname === rule.pathname &&
  (rule.search === '' || url.search === rule.search || url.search.startsWith(`${rule.search}&`))
