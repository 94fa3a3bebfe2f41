import type { RequestOf, ResponseOf } from '@svc/contract/common/endpoint'
import type * as features from '@svc/contract/common/features'
import type * as moderation from '@svc/contract/moderation'
import type { readNewsBox } from '@svc/contract/news'
import type * as signIn from '@svc/contract/player-sign-in'
import type * as contract from '@svc/contract/players'
import type { createTransferCode } from '@svc/contract/sessions'

import type { NewError } from '../http/errors.ts'
import { createEmail, type Email, type EmailDeps } from './email.ts'
export { finishSignIn, startSignIn } from './popup.ts'
import type { Player } from './session.ts'

/** The dependencies of `createAccount`. */
export type AccountDeps = EmailDeps & { newError: NewError }
/** The part of `svc.auth` that is loaded on its first use: email and password, name, data, age, bans. */
export type Account = Email & OwnData
/** The part of `svc.auth` about the player's name, data, age and bans. */
export type OwnData = ReturnType<typeof createOwnData>
/** The player's age group and what it allows. */
export type AgeProfile = ResponseOf<typeof moderation.readAgeProfile>
/** An age signal from the operating system. */
export type AgeSignal = RequestOf<typeof moderation.reportAgeSignal>['body']

/** A code with which another browser continues as the same player. */
export type TransferCode = ResponseOf<typeof createTransferCode>
/** The news opt-in box for sign-up screens. */
export type NewsBox = ResponseOf<typeof readNewsBox>

/** An ID token of a native sign-in, and what it was requested with. */
export type NativeSignIn = {
  /** The ID token from the native sign-in of the platform. */
  idToken: string
  /** The nonce that the sign-in was started with. */
  nonce: string
  /** Where the sign-in took place. */
  platform: 'ios' | 'android' | 'web'
  /** True: link the identity to the current player, or fail. */
  link?: boolean
  /** The name that Apple returns only once. */
  name?: string
}

/** Calls of players about themselves: email and password, name, own data, age, bans. */
export const createAccount = (deps: AccountDeps): Account => ({
  ...createEmail(deps),
  ...createOwnData(deps),
})

const createOwnData = ({ call, asPlayer, session, newError }: AccountDeps) => ({
  /**
   * Signs in with the ID token of a native sign-in, for example in an app that shows your game.
   *
   * @throws `invalid_id_token` The token has expired or belongs to another app.
   *
   * @example
   * const { player } = await svc.auth.native('apple', { idToken, nonce, platform: 'ios' })
   */
  native: async (
    provider: features.Provider,
    body: NativeSignIn,
  ): Promise<{ player: Player; linked: boolean }> => {
    const opened = await asPlayer<typeof signIn.signInNatively>('POST /v1/auth/oauth/:provider/native', {
      params: { provider },
      body,
    })
    return { player: await session.startSession(opened), linked: opened.linked }
  },

  /**
   * Removes a sign-in method, and signs the player out on all other devices.
   *
   * @throws `last_login_method` The player could not sign in any more. Link another method first.
   *
   * @example
   * const player = await svc.auth.unlink('google')
   * console.log(player.identities)
   */
  unlink: async (provider: features.Provider | 'email'): Promise<Player> => {
    const answer = await session.withTokens(({ accessToken, refreshToken }) =>
      call<typeof signIn.unlinkPlayerIdentity>(
        'DELETE /v1/players/me/identities/:provider',
        { params: { provider }, body: { refreshToken } },
        { headers: { Authorization: `Bearer ${accessToken}` } },
      ),
    )
    return session.updatePlayer(answer.player)
  },

  /**
   * Lists the player's sign-in methods.
   *
   * @example
   * const identities = await svc.auth.identities()
   * console.log(identities.map(({ provider }) => provider)) // → []
   */
  identities: async (): Promise<Player['identities']> =>
    (await asPlayer<typeof signIn.listPlayerIdentities>('GET /v1/players/me/identities', {})).identities,

  /**
   * Changes the display name, 1 to 32 characters. Everyone in a room or channel with the player receives it.
   *
   * @example
   * const player = await svc.auth.rename('Ada')
   * console.log(player.displayName) // → Ada
   */
  rename: async (displayName: string): Promise<Player> => {
    const body = { displayName }
    return session.updatePlayer(
      (await asPlayer<typeof contract.changePlayer>('PATCH /v1/players/me', { body })).player,
    )
  },

  /**
   * Exports everything that svc stores about the player.
   *
   * @example
   * const data = await svc.auth.exportData()
   * const file = new Blob([JSON.stringify(data)], { type: 'application/json' })
   * downloadLink.href = URL.createObjectURL(file)
   */
  exportData: () => asPlayer<typeof contract.exportOwnData>('GET /v1/players/me/export', {}),

  /**
   * Deletes the account. This cannot be undone.
   *
   * @param options `password` is required if the player has one.
   * @throws `invalid_credentials` The password is wrong or missing.
   *
   * @example
   * await svc.auth.deleteAccount()
   * console.log(svc.auth.signedIn) // → false
   */
  deleteAccount: async ({ password }: { password?: string } = {}): Promise<void> => {
    await session.withTokens(({ accessToken, refreshToken }) => {
      const body = password === undefined ? { refreshToken } : { password }
      const headers = { Authorization: `Bearer ${accessToken}` }
      return call<typeof contract.deleteOwnAccount>('DELETE /v1/players/me', { body }, { headers })
    })
    session.endDeleted()
  },

  /**
   * Reads the player's age group and what it allows.
   *
   * @example
   * const { ageBand, capabilities } = await svc.auth.age()
   * console.log(ageBand, capabilities.voice)
   */
  age: (): Promise<AgeProfile> => asPlayer<typeof moderation.readAgeProfile>('GET /v1/social/profile', {}),
  /**
   * Declares the player's age group. Once declared, it can only become stricter.
   *
   * @throws `age_change_not_allowed` The new group is less strict than the current one.
   *
   * @example
   * const { ageBand } = await svc.auth.declareAge('teen')
   * console.log(ageBand) // → teen
   */
  declareAge: (band: moderation.AgeBand): Promise<AgeProfile> =>
    asPlayer<typeof moderation.declareAge>('PUT /v1/social/age', { body: { band } }),
  /**
   * Reports an age signal from the operating system.
   *
   * @example
   * const { ageBand } = await svc.auth.reportAgeSignal({
   *   platform: 'ios',
   *   status: 'sharing',
   *   upperBound: 12,
   * })
   * console.log(ageBand) // → child
   */
  reportAgeSignal: (body: AgeSignal): Promise<AgeProfile> =>
    asPlayer<typeof moderation.reportAgeSignal>('POST /v1/players/me/age-signal', { body }),

  /**
   * Lists the player's bans, newest first.
   *
   * @example
   * const [ban] = await svc.auth.sanctions()
   * if (ban?.active) console.log(`Banned: ${ban.note}`)
   */
  sanctions: async () =>
    (await asPlayer<typeof moderation.listOwnSanctions>('GET /v1/players/me/sanctions', {})).sanctions,

  /**
   * Appeals a ban. This also works after the ban has ended the session.
   *
   * @param sanctionId The ban; by default the one that is active.
   * @throws `appeal_exists` The player has already appealed.
   *
   * @example
   * svc.on('banned', async ({ sanctionId }) => {
   *   const { status } = await svc.auth.appeal('It was my little brother.', sanctionId)
   *   console.log(status)
   * })
   */
  appeal: async (message: string, sanctionId?: string): Promise<moderation.AppealView> => {
    const { refreshToken } = session
    if (refreshToken === undefined) throw newError('signed_out')
    const body = { refreshToken, message, ...(sanctionId !== undefined && { sanctionId }) }
    return (await call<typeof moderation.appealWithToken>('POST /v1/auth/appeal', { body })).appeal
  },

  /**
   * Creates a code with which the player continues in another browser. It works once, for ten minutes.
   *
   * @example
   * const { code } = await svc.auth.createTransferCode()
   * console.log(`Enter this code on your other device: ${code}`)
   */
  createTransferCode: (): Promise<TransferCode> =>
    asPlayer<typeof createTransferCode>('POST /v1/auth/transfer', {}),

  /**
   * Reads the news opt-in box for your sign-up screen, as HTML. Show it unchanged, and only if `show` is true.
   *
   * @example
   * const { show, html } = await svc.auth.newsBox('en')
   * if (show) newsPlace.innerHTML = html
   */
  newsBox: (language?: string): Promise<NewsBox> =>
    call<typeof readNewsBox>('GET /v1/news/box', { query: language === undefined ? {} : { language } }),
})
