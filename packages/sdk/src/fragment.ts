/** What the service has put behind the # of the address: one-time codes and tokens never travel anywhere else. */
export type RedirectResult = {
  /** Back from a sign-in by redirect. */
  code?: string
  error?: string
  /** From the browser of an app, to continue as the player there. */
  transfer?: string
  /** Here by a link of a mail: `verify` or `reset`. */
  mailLink?: { type: string; token: string }
}

/** Read once, and taken out of the address, so that nobody copies, reloads or bookmarks it. */
export function takeFragment(page: Window | undefined): RedirectResult {
  const parameters = new URLSearchParams(page?.location.hash.slice(1))
  const [code, error, token, type, transfer] = ['code', 'error', 'token', 'type', 'transfer'].map(
    (name) => parameters.get(`svc_${name}`) ?? undefined,
  )
  if (!page || (code ?? error ?? token ?? transfer) === undefined) return {}

  const { pathname, search } = page.location
  page.history.replaceState(page.history.state, '', pathname + search)
  return {
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(transfer !== undefined && { transfer }),
    ...(token !== undefined && { mailLink: { type: type ?? '', token } }),
  }
}
