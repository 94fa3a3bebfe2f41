import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, timestamp } from '../../../platform/clock.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Environment } from '../../../platform/environment.ts'
import { mailName } from '../../../platform/mail/name.ts'
import { type Random, randomToken } from '../../../platform/random.ts'
import type { Transaction } from '../store.ts'
import { type Mail, removedMail, resetMail, verificationMail } from './mails.ts'
import type { EmailStore, LinkKind } from './store.ts'

export type LinkDeps = {
  clock: Clock
  random: Random
  isRedirectAllowed(environment: Environment, url: string): Promise<boolean>
  /** The built-in pages are on the host of the app, or here while it has none; never on the host of a request. */
  findAddress(environment: Environment): Promise<{ origin: string | undefined; name: string }>
  baseUrl: string
  mails: {
    send(transaction: Transaction, mail: Mail): Promise<SendOutcome>
    /** Does the same work whether or not the mail is wanted; returns true if it is sent. */
    sendSecretly(transaction: Transaction, mail: Mail, isWanted: boolean): Promise<boolean>
  }
}

export type SendOutcome = { sent: true } | { sent: false; retryAfterSeconds: number }
export type EmailLinks = ReturnType<typeof createEmailLinks>

/** The options of a mail that the caller may choose. */
export type MailOptions = { redirectUrl?: string; language?: string }
/** The values that all mails of a request share. */
export type MailContext = {
  environment: Environment
  redirectUrl?: string
  pagesAt: string
  language: string
  appName: string
}

const LIFETIME_MS: Record<LinkKind, number> = {
  verify: LIMITS.verificationLinkTtlMs,
  reset: LIMITS.resetLinkTtlMs,
}

/** The links in mails to players: each works once, until it expires, and only the newest of its kind. */
export function createEmailLinks(store: EmailStore, deps: LinkDeps) {
  const { clock, random, isRedirectAllowed, findAddress, baseUrl, mails } = deps

  const requireLive = <T extends { expiresAt: string }>(token: T | undefined): T => {
    if (!token || token.expiresAt <= timestamp(clock)) throw new ApiError('invalid_or_expired_token')
    return token
  }

  function newLink(
    kind: LinkKind,
    { environment, ...mailContext }: MailContext,
    player: { id: string; email: string },
  ) {
    const { redirectUrl = `${mailContext.pagesAt}/.auth/${kind}?env=${environment.id}` } = mailContext
    const secret = randomToken(random)
    const token = {
      tokenHash: sha256(secret),
      environmentId: environment.id,
      playerId: player.id,
      kind,
      email: player.email,
      expiresAt: timestamp(clock, LIFETIME_MS[kind]),
    }
    // The token is in the fragment, which appears neither in server logs nor in a Referer header.
    return { token, url: `${redirectUrl}#svc_token=${secret}&svc_type=${kind}` }
  }

  const recipient = ({ environment, language, appName: app }: MailContext, to: string) => ({
    environment,
    to,
    app,
    language,
  })

  return {
    /** Call it first, so that an error reveals nothing about the email (AUT-16). */
    async prepare(
      environment: Environment,
      { redirectUrl, language = 'en' }: MailOptions,
    ): Promise<MailContext> {
      const isForbidden = redirectUrl !== undefined && !(await isRedirectAllowed(environment, redirectUrl))
      if (isForbidden) throw new ApiError('redirect_url_not_allowed')
      const { origin = baseUrl, name } = await findAddress(environment)
      const mailContext = {
        environment,
        pagesAt: origin,
        language,
        appName: mailName(name) || environment.slug,
      }
      return redirectUrl === undefined ? mailContext : { ...mailContext, redirectUrl }
    },

    /** A new link replaces the previous one only if it is sent. */
    async sendVerification(
      transaction: Transaction,
      mailContext: MailContext,
      player: { id: string; email: string },
    ): Promise<SendOutcome> {
      const { token, url } = newLink('verify', mailContext, player)
      const outcome = await mails.send(
        transaction,
        verificationMail(recipient(mailContext, player.email), url),
      )
      if (!outcome.sent) return outcome
      await store.in(transaction).dropTokens(mailContext.environment.id, player.id, 'verify')
      await store.in(transaction).insertToken(token)
      return outcome
    },

    /**
     * For an address that may be unknown: does the same work then, so that the response time does not reveal whether the account
     * exists.
     */
    async sendReset(
      transaction: Transaction,
      mailContext: MailContext,
      email: string,
      player: { id: string; emailVerifiedAt: string | null } | undefined,
    ): Promise<void> {
      const { token, url } = newLink('reset', mailContext, { id: player?.id ?? '', email })
      const isFirstProof = !player?.emailVerifiedAt
      const mail = resetMail(recipient(mailContext, email), url, isFirstProof)
      const tokens = store.in(transaction)
      if (await mails.sendSecretly(transaction, mail, player !== undefined)) {
        await tokens.dropTokens(token.environmentId, token.playerId, 'reset')
        await tokens.insertToken(token)
      } else {
        await tokens.insertToken(token)
        await tokens.takeToken(token.environmentId, token.tokenHash, 'reset')
      }
    },

    /** Mails the owner of an address which sign-in methods its first confirmation has removed. */
    notifyRemoved: (transaction: Transaction, mailContext: MailContext, email: string, providers: string[]) =>
      mails.send(transaction, removedMail(recipient(mailContext, email), providers)),

    /** The player of a valid link. */
    find: async ({ id }: Environment, token: string, kind: LinkKind) =>
      requireLive(await store.findToken(id, sha256(token), kind)),

    use: async (transaction: Transaction, { id }: Environment, token: string, kind: LinkKind) =>
      requireLive(await store.in(transaction).takeToken(id, sha256(token), kind)),
  }
}
