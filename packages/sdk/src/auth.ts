import type { ResponseOf } from '@svc/contract/endpoint'
import type { readNewsBox } from '@svc/contract/news'
import type * as contract from '@svc/contract/sessions'

import { type Account, createAccount } from './account.ts'
import { createEmail, type Email } from './email.ts'
import type { SvcError } from './errors.ts'
import type { RedirectResult } from './fragment.ts'
import type { Call } from './http.ts'
import type { Platform } from './platform.ts'
import { createProviders, finishSignIn, type Providers } from './providers.ts'
import type { Player, Session } from './session.ts'

/** What `createAuth` takes. */
export type AuthDeps = {
  call: Call
  asPlayer: Call
  session: Session
  platform: Pick<Platform, 'page' | 'fetch'>
}
/** The news opt-in box for sign-up screens. */
export type NewsBox = ResponseOf<typeof readNewsBox>
/** A code with which another browser continues as the same player. */
export type TransferCode = ResponseOf<typeof contract.createTransferCode>

/** `svc.auth`: sign-in, sign-out and the account of the player. */
export type Auth = Email & Providers & Account & Sessions

type Sessions = {
  /** False while no player is signed in. */
  readonly signedIn: boolean
  /** What came of a sign-in by redirect, or of a link from the browser of an app, that led to this page: the player, or the error. */
  returned: Player | SvcError | undefined
  /** The token of the mail link that led to this page, for `verifyEmail` or `resetPassword`. */
  mailLink: { type: string; token: string } | undefined

  /** For your own server, which asks the service whose it is; good for a few minutes, so ask for it each time. */
  accessToken(): Promise<string>

  /** A new player without credentials; whoever played before is only found again by signing in. */
  guest(options?: { displayName?: string }): Promise<Player>

  /** In all tabs. A guest who signs out cannot come back. */
  signOut(): Promise<void>

  /** For another browser, which has ten minutes to redeem it. */
  createTransferCode(): Promise<TransferCode>
  /** Continues as the player who created the code. */
  redeemTransferCode(code: string): Promise<Player>

  /** The box for sign-up screens, drawn by the service; show it as it is, or nothing when `show` is false. */
  newsBox(language?: string): Promise<NewsBox>
}

/** Who plays: signing in and out, and everything players do about their accounts. */
export async function createAuth(deps: AuthDeps, fragment: RedirectResult): Promise<Auth> {
  const { call, asPlayer, session } = deps
  const { transfer } = fragment

  const redeemTransferCode = async (code: string): Promise<Player> => {
    const body = { code }
    return session.startSession(
      await call<typeof contract.redeemTransferCode>('POST /v1/auth/transfer/redeem', { body }),
    )
  }

  /** Whoever has an account here stays: anybody can send a link with a code of their own. */
  const continueFromApp = async (code: string) =>
    session.isLive && !session.player.isGuest
      ? undefined
      : redeemTransferCode(code).catch((failure: SvcError) => failure)
  const returned = await (transfer === undefined ? finishSignIn(deps, fragment) : continueFromApp(transfer))

  return {
    ...createEmail(deps),
    ...createProviders(deps),
    ...createAccount(deps),

    get signedIn() {
      return session.isLive
    },
    returned,
    mailLink: fragment.mailLink,

    accessToken: () => session.accessToken(),
    guest: (options = {}) => session.guest(options.displayName),
    signOut: () => session.signOut(),

    createTransferCode: () => asPlayer<typeof contract.createTransferCode>('POST /v1/auth/transfer', {}),
    redeemTransferCode,

    newsBox: (language) =>
      call<typeof readNewsBox>('GET /v1/news/box', { query: language === undefined ? {} : { language } }),
  }
}
