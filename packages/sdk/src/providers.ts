import type { Provider } from '@svc/contract/features'
import type * as contract from '@svc/contract/player-sign-in'

import { isSvcError, SvcError, type SvcErrorCode } from './errors.ts'
import type { Returned } from './fragment.ts'
import type { Call } from './http.ts'
import { base64Url, pause, randomText } from './platform.ts'
import type { Player, Session } from './session.ts'
import { attempt } from './storage.ts'

export type { Provider }
export type ProviderOptions = {
  /** `redirect` leaves the page; what came of it is in `svc.auth.returned` after the way back. */
  mode?: 'popup' | 'redirect'
  /** Where the provider's pages lead back to: this page, unless said otherwise. */
  redirectUrl?: string
}
export type NativeSignIn = {
  idToken: string
  nonce: string
  platform: 'ios' | 'android' | 'web'
  link?: boolean
  name?: string
}

export type ProviderNeeds = { call: Call; asPlayer: Call; session: Session; page: Window | undefined }

const VERIFIER = 'svc.verifier'
const POPUP = 'popup,width=480,height=680'
const POPUP_LOOK_EVERY_MS = 500
const POPUP_MAX_MS = 10 * 60_000

/** External sign-in, through the provider's own pages and back, with PKCE. */
export function createProviders({ call, asPlayer, session, page }: ProviderNeeds) {
  const exchange = async (code: string, verifier: string) =>
    session.adopt(
      await call<typeof contract.exchangePlayerCode>('POST /v1/auth/oauth/exchange', {
        body: { code, verifier },
      }),
    )

  /** As a player it links the provider to this player, as anybody it signs in. */
  function go(as: Call, provider: Provider, { mode = 'popup', redirectUrl }: ProviderOptions) {
    if (!page) throw new SvcError('not_available', { message: 'sign-in with a provider needs a page' })
    const verifier = randomText()
    attempt(() => page.sessionStorage.setItem(VERIFIER, verifier))
    // Before anything is waited for: browsers allow a window only during the click.
    const popup = mode === 'popup' ? page.open('', '', POPUP) : undefined
    if (popup === null) throw new SvcError('popup_blocked')

    const back = redirectUrl ?? page.location.href.replace(/#.*/, '')
    const start = async () => {
      const body = { redirectUrl: back, challenge: await challengeOf(verifier), mode }
      const request = { params: { provider }, body }
      return as<typeof contract.startPlayerSignIn>('POST /v1/auth/oauth/:provider/start', request)
    }
    return popup ? throughPopup(page, popup, start, verifier) : throughRedirect(page, start)
  }

  async function throughRedirect(page: Window, start: () => Promise<{ url: string }>): Promise<Player> {
    page.location.assign((await start()).url)
    // The page is on its way out: nothing after this call may run in it.
    return new Promise(() => {})
  }

  async function throughPopup(
    page: Window,
    popup: Window,
    start: () => Promise<{ url: string }>,
    verifier: string,
  ): Promise<Player> {
    try {
      const { url } = await start()
      popup.location.href = url
      const said = new URLSearchParams(await messageOf(page, popup, new URL(url)))
      const code = said.get('svc_code')
      if (code === null) throw new SvcError((said.get('svc_error') ?? 'provider_error') as SvcErrorCode)
      return await exchange(code, verifier)
    } finally {
      attempt(() => page.sessionStorage.removeItem(VERIFIER))
      popup.close()
    }
  }

  return {
    /** A player who has signed in with the provider before, or a new one. */
    signIn: async (provider: Provider, options: ProviderOptions = {}): Promise<Player> =>
      go(call, provider, options),

    /** Attaches the provider to this player: a guest becomes an account and loses nothing. */
    link: async (provider: Provider, options: ProviderOptions = {}): Promise<Player> =>
      go(asPlayer, provider, options),

    /** With an ID token of the platform's own sign-in. */
    native: async (provider: Provider, body: NativeSignIn) => {
      const session_ = await asPlayer<typeof contract.signInNatively>(
        'POST /v1/auth/oauth/:provider/native',
        { params: { provider }, body },
      )
      return { player: await session.adopt(session_), linked: session_.linked }
    },

    unlink: async (provider: Provider | 'email'): Promise<Player> => {
      const answer = await session.withTokens(({ accessToken, refreshToken }) =>
        call<typeof contract.unlinkPlayerIdentity>(
          'DELETE /v1/players/me/identities/:provider',
          { params: { provider }, body: { refreshToken } },
          { headers: { Authorization: `Bearer ${accessToken}` } },
        ),
      )
      return session.learn(answer.player)
    },

    identities: async () =>
      (await asPlayer<typeof contract.listPlayerIdentities>('GET /v1/players/me/identities', {})).identities,

    /** The way back of a sign-in by redirect. */
    async finish({ code, error }: Returned): Promise<Player | SvcError | undefined> {
      if (error !== undefined) return new SvcError(error as SvcErrorCode)
      if (code === undefined || !page) return undefined
      const verifier = attempt(() => page.sessionStorage.getItem(VERIFIER))
      attempt(() => page.sessionStorage.removeItem(VERIFIER))
      // Somebody else's sign-in, which they would like us to take for ours.
      if (!verifier) return new SvcError('invalid_code')
      return exchange(code, verifier).catch((failure: unknown) =>
        isSvcError(failure) ? failure : new SvcError('invalid_code'),
      )
    },
  }
}

/** What the last page of the sign-in posts to the page that has opened it. */
async function messageOf(page: Window, popup: Window, { origin }: URL): Promise<string> {
  let fragment: string | undefined
  const listen = ({ data, source }: MessageEvent) => {
    if (source === popup && typeof data === 'string' && data.startsWith('#svc_')) fragment = data.slice(1)
  }
  page.addEventListener('message', listen)
  try {
    for (let waitedMs = 0; waitedMs < POPUP_MAX_MS; waitedMs += POPUP_LOOK_EVERY_MS) {
      // Looked at before the pause: a message that came just before the window closed is read in the next round.
      const wasClosed = popup.closed
      await pause(POPUP_LOOK_EVERY_MS)
      if (fragment !== undefined) return fragment
      if (wasClosed) break
    }
    throw new SvcError('popup_closed', { message: `the window of ${origin} was closed` })
  } finally {
    page.removeEventListener('message', listen)
  }
}

async function challengeOf(verifier: string): Promise<string> {
  if (!globalThis.crypto?.subtle) throw new SvcError('insecure_context')
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64Url(new Uint8Array(hash))
}
