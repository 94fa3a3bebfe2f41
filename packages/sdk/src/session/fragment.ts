/** What the service put into the fragment of the URL: one-time codes and tokens are only there. */
export type RedirectResult = {
  /** Code of a sign-in by redirect. */
  code?: string | undefined
  error?: string | undefined
  /** Transfer code from an in-app browser, to continue as the same player. */
  transfer?: string | undefined
  /** Token of a mailed link: `verify` or `reset`. */
  mailLink?: { type: string; token: string } | undefined
}

/** Reads the fragment and removes it from the URL, so that it is not copied, reloaded or bookmarked. */
export function takeFragment(page: Window | undefined): RedirectResult {
  const parameters = new URLSearchParams(page?.location.hash.slice(1))
  const [code, error, token, type, transfer] = ['code', 'error', 'token', 'type', 'transfer'].map(
    (name) => parameters.get(`svc_${name}`) ?? undefined,
  )
  if (!page || (code ?? error ?? token ?? transfer) === undefined) return {}

  const { pathname, search } = page.location
  page.history.replaceState(page.history.state, '', pathname + search)
  return { code, error, transfer, mailLink: token === undefined ? token : { type: type ?? '', token } }
}
