import type { createTransferCode } from '@svc/contract/sessions'
import type * as contract from '@svc/contract/sharing'

import type { NewError, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { type Platform, randomText } from '../http/platform.ts'
import type { Session } from '../session/session.ts'
import { type OfferOptions, showOffer } from './browser-offer.ts'
import { type InAppBrowser, inAppBrowserOf, leavingUrl } from './in-app-browser.ts'
import { reportOnceMore } from './visit-report.ts'

/** The dependencies of `svc.share`. */
export type ShareDeps = {
  call: Call
  asPlayer: Call
  session: Pick<Session, 'isLive'>
  platform: Pick<Platform, 'page' | 'random'>
  newError: NewError
  /** Aborted when the client is closed. */
  signal: AbortSignal
}

/** Options for `svc.share.create`: what the link shows. */
export type NewShareLink = {
  /** `challenge` asks others to beat the score. */
  kind: 'plain' | 'score' | 'challenge'
  /** Required for `score` and `challenge`. */
  score?: number
  /** Shows the player's name on the card; never that of a child. */
  showName?: boolean
  /** The URL of your page, if svc does not host it (default: this page). */
  url?: string
}

/** A share link, ready to be posted. */
export type ShareLink = {
  id: string
  /** The URL to post: social networks show the card of the link. */
  url: string
  /** The card, a PNG image of 1200x600; null while `share.images` is off. */
  imageUrl: string | null
  /** The URL that opens X with a prepared post. */
  intentUrl: string
  /** The text of the post, from the config. */
  text: string
  hashtags: string[]
  via: string | null
}

/** The share link through which this page was opened. */
export type ReceivedLink = contract.ShareLink

/** The result of `svc.share.open`: with the share sheet, on X, copied to the clipboard, or cancelled by the player. */
export type Shared = 'shared' | 'opened' | 'copied' | 'cancelled'

/** A link that lets the player continue in their regular browser. It works once, for ten minutes. */
export type BrowserLink = {
  /** For the player to copy. */
  url: string
  /** For a link: opens the regular browser, if the app allows it. */
  leavingUrl: string
  /** The app whose browser shows this page. */
  inAppBrowser: InAppBrowser | undefined
}

/** Share links with a card that shows the score. Visits are reported automatically. The code is loaded on first use. */
export type Share = {
  /**
   * Creates a link to post. Its score, name and card never change.
   *
   * @throws `share_links_disabled` `share.links` is off in the config.
   *
   * @example
   * const link = await svc.share.create({ kind: 'challenge', score: 1200, showName: true })
   * shareButton.onclick = () => svc.share.open(link)
   */
  create(link: NewShareLink): Promise<ShareLink>

  /**
   * Lets the player post a link: with the share sheet of the device, otherwise on X, otherwise by copying it. Create the link first and
   * call this in a click handler, because browsers open neither sheet nor window later.
   *
   * @example
   * const link = await svc.share.create({ kind: 'score', score: 1200 })
   * shareButton.onclick = async () => {
   *   if ((await svc.share.open(link)) === 'copied') alert('The link is copied.')
   * }
   */
  open(link: ShareLink | NewShareLink): Promise<Shared>

  /**
   * Reads the share link that led to this page, for example to show its challenge. Resolves with undefined if there is none.
   *
   * @example
   * const challenge = await svc.share.restore()
   * if (challenge) console.log(`Beat ${challenge.score} points!`)
   */
  restore(): Promise<ReceivedLink | undefined>

  /**
   * Creates a link that lets the player continue in their regular browser. It works once, for ten minutes.
   *
   * @throws `share_inAppBrowser_disabled` `share.inAppBrowser` is off in the config.
   *
   * @example
   * const { url, leavingUrl, inAppBrowser } = await svc.share.browserLink()
   * if (inAppBrowser) location.href = leavingUrl
   * else console.log(`Continue on your phone: ${url}`)
   */
  browserLink(): Promise<BrowserLink>

  /**
   * In an in-app browser (X, Instagram, Facebook, LINE, TikTok): offers to continue in the regular browser as the same player.
   * Elsewhere it shows nothing and resolves with false.
   *
   * @example
   * const isOffered = await svc.share.offerBrowser()
   * console.log(isOffered) // → false
   */
  offerBrowser(options?: OfferOptions): Promise<boolean>
}

/** Also what only the client itself calls. */
export type ShareTools = Share & { reportVisit(): Promise<void> }

const PARAMETER = 'ks'
/** The fragment of a URL is never sent to a server. */
const TRANSFER = 'svc_transfer'

/** The functions of `svc.share`. `shareId` is that of the link that led to the page. */
export function createShareTools(
  { call, asPlayer, session, platform: { page, random }, newError, signal }: ShareDeps,
  shareId: string | null,
): ShareTools {
  let received: Promise<ReceivedLink | undefined> | undefined

  function inPage(): Window {
    if (page) return page
    throw newError('not_available', { message: 'this works only in a browser page' })
  }

  const tools: ShareTools = {
    async create({ url, ...body }) {
      const own = url ?? page?.location.href
      if (own === undefined)
        throw newError('invalid_options', { message: 'share.create() requires { url } outside a browser' })
      const created = await asPlayer<typeof contract.createShareLink>(
        'POST /v1/share/links',
        { body },
        { idempotencyKey: randomText() },
      )
      const { link, imageUrl, post } = created
      const address = created.url ?? withShareId(own, link.id)
      return { id: link.id, url: address, imageUrl, intentUrl: intentUrl(address, post), ...post }
    },

    async open(given) {
      const { navigator } = inPage()
      const { text, url, intentUrl } = 'intentUrl' in given ? given : await tools.create(given)
      if (navigator.share !== undefined) {
        const failure = await navigator.share({ text, url }).then(() => undefined, nameOf)
        if (failure === undefined) return 'shared'
        if (failure === 'AbortError') return 'cancelled'
      }
      const opened = page?.open(intentUrl, '_blank')
      if (opened) {
        opened.opener = null
        return 'opened'
      }
      await navigator.clipboard.writeText(`${text} ${url}`.trim()).catch((cause: unknown) => {
        throw newError('not_available', { message: 'this browser can neither share nor copy', cause })
      })
      return 'copied'
    },

    restore: () => (received ??= readReceived()),

    async browserLink() {
      const { location, navigator } = inPage()
      const { code } = await asPlayer<typeof createTransferCode>('POST /v1/auth/transfer', {})
      return browserLink(location, navigator, `#${TRANSFER}=${encodeURIComponent(code)}`)
    },

    async offerBrowser(options) {
      const { location, navigator } = inPage()
      if (!inAppBrowserOf(navigator.userAgent)) return false
      // Without a code the player continues as another guest, which is better than not at all.
      const link = () => tools.browserLink().catch(() => browserLink(location, navigator, ''))
      showOffer(inPage(), link, signal, options)
      return true
    },

    async reportVisit() {
      const arrival = report(true)
      const stop = new AbortController()
      signal.addEventListener('abort', () => stop.abort())
      const began = () => {
        stop.abort()
        // In this order, even if the player starts immediately.
        arrival.then(() => report(false)).catch(() => {})
      }
      for (const name of ['pointerdown', 'keydown'])
        page?.addEventListener(name, began, { signal: stop.signal, capture: true, passive: true })
      await arrival
    },
  }
  return tools

  function report(landed: boolean) {
    // Chosen once: as a player who has signed in meanwhile the visitor would count again.
    const as = session.isLive ? asPlayer : call
    const body = { shareId: shareId ?? '', landed }
    const send = () => as<typeof contract.reportShareVisit>('POST /v1/share/visits', { body })
    return reportOnceMore(send, { random, signal })
  }

  async function readReceived(): Promise<ReceivedLink | undefined> {
    if (!shareId) return undefined
    try {
      const request = { params: { shareId } }
      return (await call<typeof contract.readShareLink>('GET /v1/share/links/:shareId', request)).link
    } catch (error) {
      if ((error as SvcError).status === 404) return undefined
      received = undefined
      throw error
    }
  }
}

/** The developer's own page with the id of the link, for apps that the service does not host. */
function withShareId(page: string, shareId: string): string {
  const url = new URL(page)
  url.searchParams.set(PARAMETER, shareId)
  url.hash = ''
  return url.href
}

function intentUrl(url: string, { text, hashtags, via }: contract.SharePost): string {
  const fields = { text, url, hashtags: hashtags.join(','), via: via ?? '' }
  const given = Object.entries(fields).filter(([, value]) => value !== '')
  return `https://x.com/intent/post?${new URLSearchParams(given)}`
}

function browserLink(location: Location, { userAgent }: Navigator, fragment: string): BrowserLink {
  const url = location.href.replace(/#.*/, '') + fragment
  return { url, leavingUrl: leavingUrl(url, userAgent), inAppBrowser: inAppBrowserOf(userAgent) }
}

const nameOf = (error: unknown): string => (error as Error).name
