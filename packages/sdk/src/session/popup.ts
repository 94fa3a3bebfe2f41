import type { Provider } from '@svc/contract/common/features'
import type * as contract from '@svc/contract/player-sign-in'

import type { isSvcError, NewError, SvcError, SvcErrorCode } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { base64Url, pause, type Platform } from '../http/platform.ts'
import type { RedirectResult } from './fragment.ts'
import type { Player, Session } from './session.ts'
import { signInError } from './sign-in-errors.ts'
import { attempt } from './storage.ts'

const POLL_INTERVAL_MS = 500
const SIGN_IN_MAX_MS = 10 * 60_000
const HEADERS_TIMEOUT_MS = 5_000
/** How long the SDK waits for the result after the player has returned to the page. */
const RESULT_GRACE_MS = 3_000
const ACKNOWLEDGE_TIMEOUT_MS = 1_000
const CLOSE_TIMEOUT_MS = 1_000

/** Connects all pages of one origin, without an opener. */
const openBroadcast = () => attempt(() => new BroadcastChannel('svc.sign-in'))

type Delivery = { for: string; fragment: string }
type Acknowledgement = { welcome: string }

/** What this file takes from `providers.ts`, which every page loads. */
export type SignInTools = {
  call: Call
  session: Pick<Session, 'startSession'>
  platform: Pick<Platform, 'fetch'>
  isSvcError: typeof isSvcError
  newError: NewError
}

/** What a sign-in asks for; `as` is the call of a player, or of nobody. */
export type StartOptions = {
  as: Call
  provider: Provider
  mode: 'popup' | 'redirect'
  redirectUrl: string | undefined
  orSignIn: boolean | undefined
}

/** Opens the page of the provider in the window, or instead of this page. */
export async function startSignIn(
  tools: SignInTools,
  page: Window,
  popup: Window | undefined,
  verifier: string,
  { as, provider, mode, redirectUrl = page.location.href.replace(/#.*/, ''), orSignIn }: StartOptions,
): Promise<Player> {
  const challenge = await challengeOf(verifier, tools)
  const body = { redirectUrl, challenge, mode, ...(orSignIn && { orSignIn }) }
  const request = { params: { provider }, body }
  const { url } = await as<typeof contract.startPlayerSignIn>('POST /v1/auth/oauth/:provider/start', request)
  if (popup) {
    popup.location.href = url
    return finishInPopup(tools, page, popup, verifier)
  }
  page.location.assign(url)
  // Never resolves, because the page is being left; rejects if the player returns to it from the back/forward cache.
  return new Promise((_, reject) =>
    page.addEventListener('pageshow', ({ persisted }) => persisted && reject(tools.newError('aborted'))),
  )
}

async function challengeOf(verifier: string, { newError }: SignInTools): Promise<string> {
  if (!globalThis.crypto?.subtle) throw newError('insecure_context')
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64Url(new Uint8Array(hash))
}

/** Waits for the result of the sign-in in the window, and signs the player in. */
async function finishInPopup(
  tools: SignInTools,
  page: Window,
  popup: Window,
  verifier: string,
): Promise<Player> {
  const { platform, newError } = tools
  const challenge = await challengeOf(verifier, tools)
  const result = new URLSearchParams(await waitForResult(platform, page, popup, challenge, newError))
  const code = result.get('svc_code')
  if (code !== null) return exchange(tools, code, verifier)
  throw signInError(newError, (result.get('svc_error') ?? 'provider_error') as SvcErrorCode)
}

async function exchange(tools: SignInTools, code: string, verifier: string): Promise<Player> {
  const { call, session, isSvcError } = tools
  const body = { code, verifier }
  const opened = await call<typeof contract.exchangePlayerCode>('POST /v1/auth/oauth/exchange', {
    body,
  }).catch((error: unknown) => {
    const next = isSvcError(error, 'identity_already_linked') && error.details['code']
    if (isSvcError(error) && typeof next === 'string') error.signIn = () => exchange(tools, next, verifier)
    throw error
  })
  return session.startSession(opened)
}

/**
 * Resolves with the result of the sign-in: `svc_code=…` or `svc_error=…`. The last page of the sign-in posts it to its opener.
 * If a Cross-Origin-Opener-Policy separates the two, the window is redirected to a page of the app, which sends the result
 * (see `deliverToOpener`).
 */
async function waitForResult(
  platform: Pick<Platform, 'fetch'>,
  page: Window,
  popup: Window,
  challenge: string,
  newError: NewError,
): Promise<string> {
  const broadcast = openBroadcast()
  const stop = new AbortController()
  const { signal } = stop
  let fragment: string | undefined
  let hasFocusReturned = false
  page.addEventListener('focus', () => (hasFocusReturned = true), { signal })
  page.addEventListener(
    'message',
    ({ data, source }: MessageEvent) => {
      if (source === popup && typeof data === 'string' && data.startsWith('#svc_')) fragment = data.slice(1)
    },
    { signal },
  )
  broadcast?.addEventListener('message', ({ data }: MessageEvent<Partial<Delivery>>) => {
    if (data.for !== challenge) return
    fragment = data.fragment
    broadcast.postMessage({ welcome: challenge } satisfies Acknowledgement)
  })

  try {
    await until(() => fragment !== undefined || popup.closed, SIGN_IN_MAX_MS)
    // A message sent just before the window was closed may still arrive.
    await until(() => fragment !== undefined, POLL_INTERVAL_MS)
    if (fragment !== undefined) return fragment
    if (!popup.closed || !(await isSeparated(platform, page))) throw signInError(newError, 'popup_closed')

    hasFocusReturned = false
    await until(() => fragment !== undefined || hasFocusReturned, SIGN_IN_MAX_MS)
    await until(() => fragment !== undefined, RESULT_GRACE_MS)
    if (fragment === undefined) throw signInError(newError, 'popup_unreachable')
    return fragment
  } finally {
    stop.abort()
    broadcast?.close()
  }
}

async function until(holds: () => boolean, timeoutMs: number) {
  for (let waitedMs = 0; waitedMs < timeoutMs && !holds(); waitedMs += POLL_INTERVAL_MS)
    await pause(POLL_INTERVAL_MS)
}

/** A separated window also looks closed. But when a window is closed, the page has the focus again. */
async function isSeparated({ fetch }: Pick<Platform, 'fetch'>, page: Window): Promise<boolean> {
  if (!page.document.hasFocus() || page.crossOriginIsolated) return true
  const { href } = page.location
  const own = await fetch(href, { method: 'HEAD', signal: AbortSignal.timeout(HEADERS_TIMEOUT_MS) }).catch(
    () => {},
  )
  return /^(same-origin|noopener-allow-popups)\b(?!-)/.test(
    own?.headers.get('Cross-Origin-Opener-Policy') ?? '',
  )
}

/** Sends the result to the page that opened this window; closes the window once it is acknowledged. */
async function deliverToOpener(
  page: Window,
  { code, error }: RedirectResult,
  challenge: string,
): Promise<boolean> {
  const broadcast = openBroadcast()
  if (!broadcast) return false
  const acknowledged = new Promise<boolean>((resolve) => {
    broadcast.onmessage = ({ data }: MessageEvent<Partial<Acknowledgement>>) =>
      data.welcome === challenge && resolve(true)
    setTimeout(() => resolve(false), ACKNOWLEDGE_TIMEOUT_MS)
  })
  const fragment = code === undefined ? `svc_error=${error}` : `svc_code=${code}`
  broadcast.postMessage({ for: challenge, fragment } satisfies Delivery)
  const isAcknowledged = await acknowledged
  broadcast.close()
  if (!isAcknowledged) return false
  page.close()
  await pause(CLOSE_TIMEOUT_MS)
  return true
}

/** The verifier of a sign-in in a window, and of one by redirect, if this page started one. */
type Verifiers = { popup: string | undefined; redirect: string | undefined }

/** Completes a sign-in by redirect, or one in a popup that could not reach the page that opened it. */
export async function finishSignIn(
  tools: SignInTools,
  page: Window,
  verifiers: Verifiers,
  returned: RedirectResult,
): Promise<Player | SvcError | undefined> {
  const { isSvcError, newError } = tools
  const { code, error } = returned
  const verifier = verifiers.popup ?? verifiers.redirect
  if (
    verifiers.popup !== undefined &&
    (await deliverToOpener(page, returned, await challengeOf(verifiers.popup, tools)))
  )
    return undefined
  if (error !== undefined) return signInError(newError, error as SvcErrorCode)
  // Login CSRF: ignore a sign-in that this page did not start.
  if (code === undefined || verifier === undefined) return signInError(newError, 'invalid_code')
  return exchange(tools, code, verifier).catch((failure: unknown) =>
    isSvcError(failure) ? failure : signInError(newError, 'invalid_code'),
  )
}
