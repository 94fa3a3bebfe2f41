import type * as features from '@svc/contract/common/features'

import { isSvcError, newError, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { type Platform, randomText } from '../http/platform.ts'
import { loadFile } from '../on-demand.ts'
import type { EmailDeps } from './email.ts'
import type { RedirectResult } from './fragment.ts'
import type { SignInTools } from './popup.ts'
import type { Player } from './session.ts'
import { attempt } from './storage.ts'

/** The part of `svc.auth` for sign-in with providers. */
export type Providers = ReturnType<typeof createProviders>
/** A sign-in provider. */
export type Provider = features.Provider
/** How the provider's pages are shown. */
export type ProviderOptions = {
  /** `redirect` leaves the page; after the return the result is in `svc.auth.returned`. */
  mode?: 'popup' | 'redirect'
  /** The page to return to after the sign-in (default: this page). */
  redirectUrl?: string
}
/** Options for `svc.auth.linkWith`. */
export type LinkOptions = ProviderOptions & {
  /**
   * If the account already belongs to another player, sign in as that player. A guest who has saves or stats gets
   * `identity_already_linked` first: ask the player, then call `error.signIn()`.
   */
  orSignIn?: boolean
}
/** What `createProviders` takes. */
export type ProviderDeps = EmailDeps & { platform: Pick<Platform, 'page' | 'fetch'> }

/** The features of the sign-in window, for `window.open`. */
const POPUP = 'popup,width=480,height=680'
const VERIFIER = 'svc.verifier'
/** The popup window inherits `sessionStorage` of the page, so it can also read this value. */
const POPUP_VERIFIER = 'svc.popup'

/** External sign-in through the pages of the provider, with PKCE. */
export function createProviders(deps: ProviderDeps) {
  const { call, asPlayer, platform } = deps
  const { page } = platform

  /** Called as a player it links the provider to this player, otherwise it signs in. */
  async function startSignIn(
    as: Call,
    provider: Provider,
    { mode = 'popup', redirectUrl, orSignIn }: LinkOptions,
  ): Promise<Player> {
    if (!page)
      throw new SvcError('not_available', { message: 'sign-in with a provider works only in a browser page' })
    const verifier = randomText()
    attempt(() => page.sessionStorage.setItem(mode === 'popup' ? POPUP_VERIFIER : VERIFIER, verifier))
    // Before the first await: browsers allow a window only during the click.
    const popup = mode === 'popup' ? page.open('', '', POPUP) : undefined
    if (popup === null) {
      takeItem(page, POPUP_VERIFIER)
      throw new SvcError('popup_blocked')
    }

    return loadWindow()
      .then((window) =>
        window.startSignIn(toolsOf(deps), page, popup, verifier, {
          as,
          provider,
          mode,
          redirectUrl,
          orSignIn,
        }),
      )
      .finally(() => {
        takeItem(page, POPUP_VERIFIER)
        popup?.close()
      })
  }

  const signInWith = (provider: Provider, options: ProviderOptions = {}): Promise<Player> =>
    startSignIn(call, provider, options)
  const linkWith = (provider: Provider, options: LinkOptions = {}): Promise<Player> =>
    startSignIn(asPlayer, provider, options)

  return {
    /**
     * Signs in with Google, Discord, Apple or X: as the player who is linked to that account, or as a new player. Call it in a
     * click handler, because it opens a window.
     *
     * @throws `popup_closed` The player closed the window.
     * @throws `access_denied` The player refused at the provider.
     * @throws `popup_blocked` The browser blocked the window. Call this directly in the click handler.
     * @throws `player_banned` `error.details` has the reason and the end of the ban.
     * @example
     * googleButton.onclick = () => svc.auth.signInWith('google')
     */
    signInWith,

    /**
     * Links an account at Google, Discord, Apple or X to the current player. A guest becomes an account and keeps everything.
     *
     * @throws `identity_already_linked` The account belongs to another player. With `orSignIn`, `error.signIn()` switches to them.
     * @throws `popup_closed` The player closed the window.
     * @throws `access_denied` The player refused at the provider.
     * @throws `popup_blocked` The browser blocked the window. Call this directly in the click handler.
     * @example
     * try {
     *   await svc.auth.linkWith('google', { orSignIn: true })
     * } catch (error) {
     *   if (!isSvcError(error) || !error.signIn) throw error
     *   if (confirm(`Switch to ${error.details['displayName']}?`)) await error.signIn()
     * }
     */
    linkWith,

    /** @deprecated Use `signInWith`. */
    signIn: signInWith,
    /** @deprecated Use `linkWith`. */
    link: linkWith,
  }
}

/** The code for the window of a sign-in and for its return is loaded when it is needed. */
const loadWindow = () => loadFile(() => import('./account.ts'))

/** What that code takes from here. */
const toolsOf = (deps: ProviderDeps): SignInTools => ({ ...deps, isSvcError, newError })

/** Completes a sign-in that has returned to this page; undefined if there is none. */
export async function finishSignIn(
  deps: ProviderDeps,
  returned: RedirectResult,
): Promise<Player | SvcError | undefined> {
  const { page } = deps.platform
  if (!page || (returned.code ?? returned.error) === undefined) return undefined
  const verifiers = { popup: takeItem(page, POPUP_VERIFIER), redirect: takeItem(page, VERIFIER) }
  return loadWindow().then(
    (window) => window.finishSignIn(toolsOf(deps), page, verifiers, returned),
    (failure: SvcError) => failure,
  )
}

function takeItem(page: Window, name: string): string | undefined {
  const kept = attempt(() => page.sessionStorage.getItem(name)) ?? undefined
  attempt(() => page.sessionStorage.removeItem(name))
  return kept
}
