import type { RequestOf } from '@svc/contract/common/endpoint'
import type * as contract from '@svc/contract/players'

import type { Call } from '../http/http.ts'
import type { Player, Session } from './session.ts'

/** What `createEmail` takes. */
export type EmailDeps = { call: Call; asPlayer: Call; session: Session }
/** The part of `svc.auth` about email and password. */
export type Email = ReturnType<typeof createEmail>
/** Email, password and options of a new player. */
export type SignUp = RequestOf<typeof contract.signUpWithEmail>['body']
/** Email and password. */
export type LogIn = RequestOf<typeof contract.logInWithEmail>['body']
/** Email and password for the current player. */
export type LinkEmail = RequestOf<typeof contract.linkEmail>['body']
/** The language of an email, and the page that its link leads back to. */
export type MailOptions = RequestOf<typeof contract.resendPlayerVerification>['body']

/** Accounts with an email and a password. */
export function createEmail({ call, asPlayer, session }: EmailDeps) {
  const signUpWithEmail = async (body: SignUp): Promise<Player> =>
    session.startSession(await call<typeof contract.signUpWithEmail>('POST /v1/auth/email/signup', { body }))
  const signInWithEmail = async (body: LogIn): Promise<Player> =>
    session.startSession(await call<typeof contract.logInWithEmail>('POST /v1/auth/email/login', { body }))

  return {
    /**
     * Creates a new player with an email and a password. To turn the current guest into an account and keep its data, use
     * `linkEmail`.
     *
     * @throws `email_taken` Another player has this email address.
     * @example
     * const account = { email: 'ada@example.com', password: 'correct horse' }
     * const player = await svc.auth.signUpWithEmail(account)
     * console.log(player.email, player.emailVerified) // → ada@example.com false
     */
    signUpWithEmail,

    /**
     * Signs in with email and password.
     *
     * @throws `invalid_credentials` The email or the password is wrong.
     * @throws `player_banned` `error.details` has the reason and the end of the ban.
     * @example
     * try {
     *   const password = passwordInput.value
     *   await svc.auth.signInWithEmail({ email: 'ada@example.com', password })
     * } catch (error) {
     *   if (!isSvcError(error, 'invalid_credentials')) throw error
     *   console.log('Email or password is wrong.') // → Email or password is wrong.
     * }
     */
    signInWithEmail,

    /** @deprecated Use `signUpWithEmail`. */
    signUp: signUpWithEmail,
    /** @deprecated Use `signInWithEmail`. */
    logIn: signInWithEmail,

    /**
     * Adds an email and a password to the current player. A guest becomes an account and keeps everything.
     *
     * @throws `email_taken` Another player has this email address. Offer to sign in instead.
     *
     * @example
     * const account = { email: 'bo@example.com', password: 'correct horse' }
     * const player = await svc.auth.linkEmail(account)
     * console.log(player.isGuest) // → false
     */
    linkEmail: async (body: LinkEmail): Promise<Player> =>
      session.updatePlayer(
        (await asPlayer<typeof contract.linkEmail>('POST /v1/auth/link/email', { body })).player,
      ),

    /**
     * Sends the verification email again. Resolves with false if the address is already verified.
     *
     * @example
     * const isSent = await svc.auth.resendVerification({ language: 'pt-BR' })
     * console.log(isSent) // → true
     */
    resendVerification: async (body: MailOptions = {}): Promise<boolean> =>
      (await asPlayer<typeof contract.resendPlayerVerification>('POST /v1/auth/email/resend', { body })).sent,

    /**
     * Confirms the email address with the token from `svc.auth.mailLink`. The built-in page does this for you.
     *
     * @throws `invalid_or_expired_token` The link has expired or was already used. Send a new one with `resendVerification`.
     *
     * @example
     * const link = svc.auth.mailLink
     * if (link?.type === 'verify') await svc.auth.verifyEmail(link.token)
     */
    async verifyEmail(token: string): Promise<void> {
      await call<typeof contract.verifyPlayerEmail>('POST /v1/auth/email/verify', { body: { token } })
      // The response does not contain the player; it may be the current one.
      const me = await asPlayer<typeof contract.readPlayer>('GET /v1/players/me', {}).catch(() => undefined)
      if (me) await session.updatePlayer(me.player)
    },

    /**
     * Sends an email with a link to set a new password. It does not reveal whether the account exists.
     *
     * @example
     * await svc.auth.forgotPassword('ada@example.com')
     */
    forgotPassword: async (email: string, options: MailOptions = {}): Promise<void> => {
      const body = { email, ...options }
      await call<typeof contract.forgotPlayerPassword>('POST /v1/auth/password/forgot', { body })
    },

    /**
     * Sets a new password with the token from `svc.auth.mailLink`, and signs the player out everywhere.
     *
     * @throws `invalid_or_expired_token` The link has expired or was already used. Send a new one with `forgotPassword`.
     *
     * @example
     * const link = svc.auth.mailLink
     * if (link?.type === 'reset') {
     *   await svc.auth.resetPassword(link.token, passwordInput.value)
     * }
     */
    resetPassword: async (token: string, password: string): Promise<void> => {
      const body = { token, password }
      await call<typeof contract.resetPlayerPassword>('POST /v1/auth/password/reset', { body })
    },
  }
}
