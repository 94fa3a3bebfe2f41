import type { readNewsBox } from '@svc/contract/news'
import type * as contract from '@svc/contract/sessions'

import { createAccount } from './account.ts'
import { createEmail } from './email.ts'
import type { SvcError } from './errors.ts'
import type { Returned } from './fragment.ts'
import type { Call } from './http.ts'
import type { Platform } from './platform.ts'
import { createProviders } from './providers.ts'
import type { Player, Session } from './session.ts'

export type AuthNeeds = {
  call: Call
  asPlayer: Call
  session: Session
  platform: Pick<Platform, 'page' | 'fetch'>
}
export type Auth = Awaited<ReturnType<typeof createAuth>>

/** Who plays: signing in and out, and everything players do about their accounts. */
export async function createAuth(needs: AuthNeeds, fragment: Returned) {
  const { call, asPlayer, session } = needs
  const { finish, ...providers } = createProviders(needs)
  const returned: Player | SvcError | undefined = await finish(fragment)

  return {
    ...createEmail(needs),
    ...providers,
    ...createAccount(needs),

    get signedIn(): boolean {
      return session.isLive
    },
    /** What came of a sign-in by redirect that led to this page: the player, or the error. */
    returned,
    /** The token of the mail link that led to this page, for `verifyEmail` or `resetPassword`. */
    mailLink: fragment.mailLink,

    /** For your own server, which asks the service whose it is; good for a few minutes, so ask for it each time. */
    accessToken: () => session.accessToken(),

    /** A new player without credentials; whoever played before is only found again by signing in. */
    guest: (options: { displayName?: string } = {}) => session.guest(options.displayName),

    /** In all tabs. A guest who signs out cannot come back. */
    signOut: () => session.signOut(),

    /** For another browser, which has ten minutes to redeem it. */
    createTransferCode: () => asPlayer<typeof contract.createTransferCode>('POST /v1/auth/transfer', {}),
    redeemTransferCode: async (code: string) => {
      const body = { code }
      return session.adopt(
        await call<typeof contract.redeemTransferCode>('POST /v1/auth/transfer/redeem', { body }),
      )
    },

    /** The box for sign-up screens, drawn by the service; show it as it is, or nothing when `show` is false. */
    newsBox: (language?: string) =>
      call<typeof readNewsBox>('GET /v1/news/box', { query: language === undefined ? {} : { language } }),
  }
}
