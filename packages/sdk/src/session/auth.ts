import type * as contract from '@svc/contract/sessions'

import { newError, type SvcError } from '../http/errors.ts'
import { onDemand } from '../on-demand.ts'
import type { Account } from './account.ts'
import type { RedirectResult } from './fragment.ts'
import { createProviders, finishSignIn, type ProviderDeps, type Providers } from './providers.ts'
import type { Player } from './session.ts'

/** Sign-in, sign-out and the player's account. A guest who links an email or a provider keeps everything. */
export type Auth = Providers & Account & Sessions

type Sessions = {
  /** True while a player is signed in; guests count. */
  readonly signedIn: boolean
  /**
   * Whether this browser will know the player at the next visit. False for a guest in a page whose storage is blocked or full: say
   * that only a sign-in keeps the progress. In a private window it is true, and the player is known until the window is closed.
   *
   * @example
   * if (svc.player.isGuest && !svc.auth.isKept) console.log('Sign in to keep your progress.')
   */
  readonly isKept: boolean
  /** If a sign-in by redirect or a link from an in-app browser opened this page: the player, or the error. */
  returned: Player | SvcError | undefined
  /** If an email link opened this page: its token, for `verifyEmail` or `resetPassword`. */
  mailLink: { type: string; token: string } | undefined

  /**
   * Returns an access token for your own server, which checks it with `server.verifyToken`. Tokens expire after minutes, so call this
   * for each request.
   *
   * @throws `signed_out` No player is signed in.
   *
   * @example
   * const token = await svc.auth.accessToken()
   * await fetch('/your-server/shop', { headers: { Authorization: `Bearer ${token}` } })
   */
  accessToken(): Promise<string>

  /**
   * Signs in as a new guest. To return to the previous player, sign in again.
   *
   * @example
   * const player = await svc.auth.guest({ displayName: 'Ada' })
   * console.log(player.displayName) // → Ada
   */
  guest(options?: { displayName?: string }): Promise<Player>

  /**
   * Signs out in all tabs. A guest has no sign-in method and loses access for good.
   *
   * @example
   * await svc.auth.signOut()
   * console.log(svc.auth.signedIn) // → false
   */
  signOut(): Promise<void>

  /**
   * Continues as the player who created the code with `createTransferCode`.
   *
   * @throws `invalid_code` The code is wrong, has expired, or was already used.
   *
   * @example
   * const player = await svc.auth.redeemTransferCode(codeInput.value)
   * console.log(`Welcome back, ${player.displayName}`)
   */
  redeemTransferCode(code: string): Promise<Player>
}

/** Sign-in, sign-out, and everything that players do with their accounts. */
export async function createAuth(deps: ProviderDeps, fragment: RedirectResult): Promise<Auth> {
  const { call, session } = deps
  const { transfer } = fragment

  const redeemTransferCode = async (code: string): Promise<Player> => {
    const body = { code }
    return session.startSession(
      await call<typeof contract.redeemTransferCode>('POST /v1/auth/transfer/redeem', { body }),
    )
  }

  /** A player with an account stays signed in, because an attacker can send a link with a code. */
  const continueFromApp = async (code: string) =>
    session.isLive && !session.player.isGuest
      ? undefined
      : redeemTransferCode(code).catch((failure: SvcError) => failure)
  const returned = await (transfer === undefined ? finishSignIn(deps, fragment) : continueFromApp(transfer))

  return {
    ...createProviders(deps),
    ...onDemand<Account>(async () => (await import('./account.ts')).createAccount({ ...deps, newError }), {
      signUpWithEmail: 1,
      signInWithEmail: 1,
      signUp: 1,
      logIn: 1,
      linkEmail: 1,
      resendVerification: 1,
      verifyEmail: 1,
      forgotPassword: 1,
      resetPassword: 1,
      native: 1,
      unlink: 1,
      identities: 1,
      rename: 1,
      exportData: 1,
      deleteAccount: 1,
      age: 1,
      declareAge: 1,
      reportAgeSignal: 1,
      sanctions: 1,
      appeal: 1,
      createTransferCode: 1,
      newsBox: 1,
    }),

    get signedIn() {
      return session.isLive
    },
    get isKept() {
      return session.isKept
    },
    returned,
    mailLink: fragment.mailLink,

    accessToken: () => session.accessToken(),
    guest: (options = {}) => session.guest(options.displayName),
    signOut: () => session.signOut(),

    redeemTransferCode,
  }
}
