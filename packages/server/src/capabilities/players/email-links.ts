import { LIMITS } from '@svc/contract/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import type { EmailStore, LinkKind } from './email-store.ts'
import { type Mail, mailOf } from './mails.ts'
import type { Transaction } from './store.ts'

export type LinkNeeds = {
  clock: Clock
  random: Random
  isRedirectAllowed(environment: Environment, url: string): Promise<boolean>
  appName(environment: Environment): Promise<string>
  /** Where the built-in pages are that finish the job; from configuration, never from a request (RELIABILITY 1.8). */
  pagesAt(environment: Environment): Promise<string>
  sendMail(transaction: Transaction, mail: Mail): Promise<void>
}

export type EmailLinks = ReturnType<typeof createEmailLinks>

/** What the caller may say about a mail. */
export type MailWish = { redirectUrl?: string; language?: string }
/** A mail as it will be written, for whomever. */
export type Letter = {
  environment: Environment
  redirectUrl?: string
  pagesAt: string
  language: string
  appName: string
}

const LIFETIME_MS: Record<LinkKind, number> = {
  verify: LIMITS.verificationLinkMs,
  reset: LIMITS.resetLinkMs,
}

/** The links in mails to players: each works once, for a while, and only the newest of its kind. */
export function createEmailLinks(store: EmailStore, needs: LinkNeeds) {
  const { clock, random, isRedirectAllowed, appName, pagesAt, sendMail } = needs

  const requireLive = <T extends { expiresAt: string }>(token: T | undefined): T => {
    if (!token || token.expiresAt <= timestamp(clock)) throw new ApiError('invalid_or_expired_token')
    return token
  }

  return {
    /** First of all, so that a refusal says nothing about the email (AUT-16). */
    async prepare(environment: Environment, { redirectUrl, language = 'en' }: MailWish): Promise<Letter> {
      const isForbidden = redirectUrl !== undefined && !(await isRedirectAllowed(environment, redirectUrl))
      if (isForbidden) throw new ApiError('redirect_url_not_allowed')
      const letter = {
        environment,
        pagesAt: await pagesAt(environment),
        language,
        appName: await appName(environment),
      }
      return redirectUrl === undefined ? letter : { ...letter, redirectUrl }
    },

    async send(
      transaction: Transaction,
      kind: LinkKind,
      letter: Letter,
      player: { id: string; email: string },
    ) {
      const { environment, language, appName: app } = letter
      const { redirectUrl = `${letter.pagesAt}/.auth/${kind}?env=${environment.id}` } = letter
      const token = randomToken(random)
      await store.in(transaction).dropTokens(environment.id, player.id, kind)
      await store.in(transaction).insertToken({
        tokenHash: sha256(token),
        environmentId: environment.id,
        playerId: player.id,
        kind,
        email: player.email,
        expiresAt: timestamp(clock, LIFETIME_MS[kind]),
      })
      // In the fragment, which reaches neither a server's log nor a Referer.
      const url = `${redirectUrl}#svc_token=${token}&svc_type=${kind}`
      await sendMail(transaction, mailOf(kind, { environment, to: player.email, app, url, language }))
    },

    /** Whose link this is, while it works. */
    find: async ({ id }: Environment, token: string, kind: LinkKind) =>
      requireLive(await store.findToken(id, sha256(token), kind)),

    use: async (transaction: Transaction, { id }: Environment, token: string, kind: LinkKind) =>
      requireLive(await store.in(transaction).takeToken(id, sha256(token), kind)),
  }
}
