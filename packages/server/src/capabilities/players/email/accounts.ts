import type { PlayerView, SessionView } from '@svc/contract/players'

import { ApiError } from '../../../platform/api-error.ts'
import type { Background } from '../../../platform/background.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../../platform/clock.ts'
import type { Environment } from '../../../platform/environment.ts'
import { normalisedEmail } from '../../../platform/mail/address.ts'
import type { Player } from '../../../platform/player.ts'
import type { Attempt, FailedAttempts } from '../../../platform/security/failed-attempts.ts'
import type { KnownAddresses } from '../../../platform/security/known-addresses.ts'
import type { Passwords } from '../../../platform/security/passwords.ts'
import { requireAdmitted, type SlidingCounters } from '../../../platform/time/sliding-limit.ts'
import { type Accounts, checkedName, view } from '../accounts.ts'
import type { PlayerSessions } from '../ports.ts'
import type { PlayerRow, PlayerStore, Transaction } from '../store.ts'
import type { EmailLinks, MailContext, MailOptions } from './links.ts'
import type { EmailStore } from './store.ts'

export type EmailDeps = {
  players: PlayerStore
  accounts: Accounts
  links: EmailLinks
  sessions: Omit<PlayerSessions, 'requireOwn'>
  passwords: Passwords
  clock: Clock
  counters: SlidingCounters
  failedAttempts: FailedAttempts
  knownAddresses: KnownAddresses<AccountOwner, Transaction>
  background: Background
  /**
   * Called before a transaction begins; if false, the news box is ignored without an error. `playerId` is empty for a new player.
   */
  mayGetNews(environmentId: string, playerId: string): Promise<boolean>
  /** The news box was checked: sends a confirmation mail; the player is not subscribed yet. */
  requestNews(transaction: Transaction, request: NewsRequest): Promise<void>
}

/** The account that a known address belongs to. */
type AccountOwner = { environmentId: string; playerId: string }
export type NewsRequest = { environment: Environment; playerId: string; email: string; language: string }
export type EmailAccounts = ReturnType<typeof createEmailAccounts>

type NewEmail = MailOptions & { email: string; password: string; newsOptIn?: boolean }

/** Players with an email and a password (AUT-03 … AUT-19). */
export function createEmailAccounts(store: EmailStore, deps: EmailDeps) {
  const { players, accounts, links, sessions, passwords, clock, counters, failedAttempts } = deps
  const { knownAddresses, background, mayGetNews, requestNews } = deps

  /** Sends the mails for a new email, in the transaction that sets it. The account is created even if a limit prevents the mail. */
  async function welcome(
    transaction: Transaction,
    mailContext: MailContext,
    player: { id: string; email: string },
    wantsNews: boolean,
  ) {
    await links.sendVerification(transaction, mailContext, player)
    const { environment, language } = mailContext
    if (wantsNews)
      await requestNews(transaction, { environment, playerId: player.id, email: player.email, language })
  }

  /** Does the same work for an unknown address, so that the time of the next response does not reveal it. */
  async function mailReset(mailContext: MailContext, email: string) {
    const { id: environmentId } = mailContext.environment
    const found = await players.findByEmail(environmentId, email)
    await players.change(environmentId, found?.id ?? email, async (transaction) => {
      const player = await players.in(transaction).find(environmentId, found?.id ?? '')
      await links.sendReset(transaction, mailContext, email, player?.email === email ? player : undefined)
    })
  }

  /** The person who linked them did not prove that the address is theirs, and may be an attacker (AUT-17). */
  async function removeIdentities(
    transaction: Transaction,
    mailContext: MailContext,
    { id, email }: PlayerRow,
  ) {
    const { id: environmentId } = mailContext.environment
    const attached = await players.in(transaction).identities(environmentId, id)
    if (attached.length === 0) return
    await players.in(transaction).removeIdentities(environmentId, id)
    const providers = attached.map(({ provider }) => provider)
    await links.notifyRemoved(transaction, mailContext, email ?? '', providers)
  }

  const attemptOf = (environmentId: string, email: string, playerId: string, from: string): Attempt => ({
    account: `player:${environmentId}:${email}`,
    from,
    isKnown: () => knownAddresses.isKnown({ environmentId, playerId }, from),
  })

  return {
    async signUp(
      environment: Environment,
      { email, password, displayName, newsOptIn = false, ...options }: NewEmail & { displayName?: string },
      from: string,
    ): Promise<SessionView> {
      const mailContext = await links.prepare(environment, options)
      const named = displayName === undefined ? {} : { displayName: checkedName(displayName) }
      const address = normalisedEmail(email)
      const wantsNews = newsOptIn && (await mayGetNews(environment.id, ''))
      const passwordHash = await passwords.hash(password)

      const { row, use } = await store.change(async (transaction) => {
        if (!(await store.isFree(transaction, environment.id, address))) throw new ApiError('email_taken')
        const input = { ...named, email: address, passwordHash }
        const created = await accounts.create(transaction, environment.id, input)
        await welcome(transaction, mailContext, { id: created.id, email: address }, wantsNews)
        return { row: created, use: await sessions.open(transaction, environment.id, created.id) }
      })
      await knownAddresses.note({ environmentId: environment.id, playerId: row.id }, from)
      return sessions.issueTokens(environment.id, view(row, []), use)
    },

    /** An unknown email, a player without password and a wrong password, banned or not: the same response and the same work. */
    async logIn(
      environment: Environment,
      { email, password }: { email: string; password: string },
      from: string,
    ): Promise<SessionView> {
      const address = normalisedEmail(email)
      const found = await players.findByEmail(environment.id, address)
      const attempt = attemptOf(environment.id, address, found?.id ?? '', from)
      // Development has no such limit (GEN-13).
      if (environment.name === 'production') await failedAttempts.begin(attempt)

      const isRight = await passwords.verify(password, found?.passwordHash ?? null)
      if (!found || !isRight) {
        await failedAttempts.failed(attempt)
        throw new ApiError('invalid_credentials')
      }
      await failedAttempts.succeeded(attempt)
      const session = await accounts.signIn(environment.id, found.id, {
        requireProven: (player) => requireUnchanged(player, found),
      })
      await knownAddresses.note({ environmentId: environment.id, playerId: found.id }, from)
      return session
    },

    /** A guest keeps everything: it is the same player, now with a sign-in method (AUT-08). */
    async link(
      environment: Environment,
      { id, sessionId }: Player,
      { email, password, newsOptIn = false, ...options }: NewEmail,
      from: string,
    ): Promise<{ player: PlayerView }> {
      const mailContext = await links.prepare(environment, options)
      const address = normalisedEmail(email)
      const wantsNews = newsOptIn && (await mayGetNews(environment.id, id))
      const passwordHash = await passwords.hash(password)

      const isBanned = await players.change(environment.id, id, async (transaction) => {
        const player = await players.in(transaction).find(environment.id, id)
        if (player && accounts.isBanned(player)) return true
        // A session that has ended since must not regain access through this link.
        const isLive = await sessions.isLive(transaction, environment.id, sessionId)
        if (!player || !isLive) throw new ApiError('invalid_token')
        if (player.email !== null) throw new ApiError('identity_already_linked')
        if (!(await store.isFree(transaction, environment.id, address))) throw new ApiError('email_taken')

        const emailLinkedAt = timestamp(clock)
        await store
          .in(transaction)
          .setEmail({ environmentId: environment.id, id, email: address, passwordHash, emailLinkedAt })
        if ((await players.in(transaction).identities(environment.id, id)).length === 0)
          await players.in(transaction).noteChange(environment.id, id, { players: 0, registered: 1 })
        await welcome(transaction, mailContext, { id, email: address }, wantsNews)
        return false
      })
      if (isBanned) throw await accounts.banned(environment.id, id)
      await knownAddresses.note({ environmentId: environment.id, playerId: id }, from)
      return accounts.me({ environmentId: environment.id, id })
    },

    async verify(environment: Environment, { token }: { token: string }): Promise<{ verified: true }> {
      return store.change(async (transaction) => {
        const { playerId: id, email } = await links.use(transaction, environment, token, 'verify')
        const verified = { environmentId: environment.id, id, email, at: timestamp(clock) }
        if (!(await store.in(transaction).setVerified(verified)))
          throw new ApiError('invalid_or_expired_token')
        return { verified: true }
      })
    },

    /** Rejects a link that was used, replaced or has expired; changes nothing. */
    requireLink: async (environment: Environment, token: string, kind: 'verify' | 'reset'): Promise<void> =>
      void (await links.find(environment, token, kind)),

    async resend(environment: Environment, { id }: Player, options: MailOptions): Promise<{ sent: boolean }> {
      const mailContext = await links.prepare(environment, options)
      const player = await players.find(environment.id, id)
      if (!player) throw new ApiError('invalid_token')
      if (player.email === null) throw new ApiError('no_email')
      if (player.emailVerifiedAt) return { sent: false }

      requireAdmitted(await counters.admit(`resend:${environment.id}:${id}`, MINUTE_MS, 1))
      return players.change(environment.id, id, async (transaction) => {
        const current = await players.in(transaction).find(environment.id, id)
        if (!current || current.email === null) throw new ApiError('no_email')
        const outcome = await links.sendVerification(transaction, mailContext, { id, email: current.email })
        if (outcome.sent) return { sent: true }
        throw new ApiError('rate_limited', { retryAfterSeconds: outcome.retryAfterSeconds })
      })
    },

    /** Responds before the lookup, so that neither the response nor its time reveals whether the account exists. */
    async forgot(
      environment: Environment,
      { email, ...options }: MailOptions & { email: string },
    ): Promise<object> {
      const mailContext = await links.prepare(environment, options)
      await background.runLater(() => mailReset(mailContext, normalisedEmail(email)))
      return {}
    },

    async reset(
      environment: Environment,
      { token, password, ...options }: { token: string; password: string; language?: string },
      from: string,
    ): Promise<object> {
      const mailContext = await links.prepare(environment, options)
      const { playerId: id, email } = await links.find(environment, token, 'reset')
      const passwordHash = await passwords.hash(password)

      await players.change(environment.id, id, async (transaction) => {
        const emails = store.in(transaction)
        await links.use(transaction, environment, token, 'reset')
        const player = await players.in(transaction).find(environment.id, id)
        if (player && !player.emailVerifiedAt) await removeIdentities(transaction, mailContext, player)
        // The link was mailed to this address, so the caller owns it.
        const verified = { environmentId: environment.id, id, email, at: timestamp(clock) }
        if (!(await emails.setVerified(verified))) throw new ApiError('invalid_or_expired_token')
        await emails.setPassword(environment.id, id, passwordHash)
        await emails.dropTokens(environment.id, id, 'verify')
        await sessions.revokeAll(transaction, environment.id, id, { reason: 'password_reset' })
        await knownAddresses.forget(transaction, { environmentId: environment.id, playerId: id })
      })
      await sessions.disconnect(environment.id, id, { except: null })
      await failedAttempts.passwordChanged(attemptOf(environment.id, email, id, from))
      await knownAddresses.note({ environmentId: environment.id, playerId: id }, from)
      return {}
    },

    async purgeExpired(stopping?: AbortSignal) {
      await store.purgeExpired(timestamp(clock), stopping)
      await knownAddresses.purgeExpired(stopping)
    },
  }
}

/** Rejects the log-in if the password was reset after it was checked. */
function requireUnchanged(player: PlayerRow | undefined, checked: PlayerRow): PlayerRow {
  if (player && player.passwordHash === checked.passwordHash && player.email === checked.email) return player
  throw new ApiError('invalid_credentials')
}
