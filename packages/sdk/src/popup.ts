import { SvcError } from './errors.ts'
import type { RedirectResult } from './fragment.ts'
import { pause, type Platform } from './platform.ts'
import { attempt } from './storage.ts'

/** The features of the sign-in window, for `window.open`. */
export const POPUP = 'popup,width=480,height=680'
const POLL_INTERVAL_MS = 500
const SIGN_IN_MAX_MS = 10 * 60_000
const HEADERS_TIMEOUT_MS = 5_000
/** For the answer of a window whose player is back at the page. */
const LAST_WORD_MS = 3_000
const HOME_TIMEOUT_MS = 1_000
const CLOSE_TIMEOUT_MS = 1_000

/** Between pages of one origin, whoever has opened whom. */
const openHome = () => attempt(() => new BroadcastChannel('svc.sign-in'))

type Brought = { for: string; fragment: string }
type Welcomed = { welcome: string }

/**
 * What the last page of the sign-in says: `svc_code=…` or `svc_error=…`. It posts it to the page that has opened the window.
 * Where a Cross-Origin-Opener-Policy has cut the two off from each other, the window comes back to a page of the app, and
 * that one brings it home.
 */
export async function answerOf(
  platform: Pick<Platform, 'fetch'>,
  page: Window,
  popup: Window,
  challenge: string,
): Promise<string> {
  const home = openHome()
  const stop = new AbortController()
  const { signal } = stop
  let fragment: string | undefined
  let isSeenBack = false
  page.addEventListener('focus', () => (isSeenBack = true), { signal })
  page.addEventListener(
    'message',
    ({ data, source }: MessageEvent) => {
      if (source === popup && typeof data === 'string' && data.startsWith('#svc_')) fragment = data.slice(1)
    },
    { signal },
  )
  home?.addEventListener('message', ({ data }: MessageEvent<Partial<Brought>>) => {
    if (data.for !== challenge) return
    fragment = data.fragment
    home.postMessage({ welcome: challenge } satisfies Welcomed)
  })

  try {
    await until(() => fragment !== undefined || popup.closed, SIGN_IN_MAX_MS)
    // A message that came just before the window was closed is still on its way.
    await until(() => fragment !== undefined, POLL_INTERVAL_MS)
    if (fragment !== undefined) return fragment
    if (!popup.closed || !(await isCutOff(platform, page))) throw new SvcError('popup_closed')

    isSeenBack = false
    await until(() => fragment !== undefined || isSeenBack, SIGN_IN_MAX_MS)
    await until(() => fragment !== undefined, LAST_WORD_MS)
    if (fragment === undefined) throw new SvcError('popup_unreachable')
    return fragment
  } finally {
    stop.abort()
    home?.close()
  }
}

async function until(holds: () => boolean, withinMs: number) {
  for (let waitedMs = 0; waitedMs < withinMs && !holds(); waitedMs += POLL_INTERVAL_MS)
    await pause(POLL_INTERVAL_MS)
}

/** A window that is closed gives the focus back. One that was cut off looks closed, and is not. */
async function isCutOff({ fetch }: Pick<Platform, 'fetch'>, page: Window): Promise<boolean> {
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
export async function deliverToOpener(
  page: Window,
  { code, error }: RedirectResult,
  challenge: string,
): Promise<boolean> {
  const home = openHome()
  if (!home) return false
  const welcomed = new Promise<boolean>((resolve) => {
    home.onmessage = ({ data }: MessageEvent<Partial<Welcomed>>) =>
      data.welcome === challenge && resolve(true)
    setTimeout(() => resolve(false), HOME_TIMEOUT_MS)
  })
  const fragment = code === undefined ? `svc_error=${error}` : `svc_code=${code}`
  home.postMessage({ for: challenge, fragment } satisfies Brought)
  const isWelcome = await welcomed
  home.close()
  if (!isWelcome) return false
  page.close()
  await pause(CLOSE_TIMEOUT_MS)
  return true
}
