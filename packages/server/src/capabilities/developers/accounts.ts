import { LIMITS } from '@svc/contract/common/limits'
import type { DeveloperSession, DeveloperView } from '@svc/contract/developers/developers'

import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer } from '../../platform/environment.ts'
import { normalisedEmail } from '../../platform/mail/address.ts'
import { type Ids, type Random, randomToken } from '../../platform/random.ts'
import type { Attempt, FailedAttempts } from '../../platform/security/failed-attempts.ts'
import type { KnownAddresses } from '../../platform/security/known-addresses.ts'
import type { Passwords } from '../../platform/security/passwords.ts'
import { cleanLine } from '../../platform/text/text.ts'
import { requireAdmitted, type SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { type Mail, removedMail, resetMail, verificationMail } from './mails.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { SignUp } from './sign-up.ts'
import type { Account, AccountStore, Transaction } from './store.ts'

export type AccountDeps = {
  sessions: DeveloperSessions
  signUp: Pick<SignUp, 'requireAdmission' | 'takeInvitation'>
  invites: InviteCodes
  /** Credit for the account of the set-up link, on a service without real payments. */
  creditSetUp(transaction: Transaction, developerId: string): Promise<void>
  clock: Clock
  random: Random
  ids: Ids
  passwords: Passwords
  failedAttempts: FailedAttempts
  knownAddresses: KnownAddresses<{ developerId: string }, Transaction>
  counters: SlidingCounters
  background: Background
  baseUrl: string
  mails: {
    send(transaction: Transaction, mail: Mail): Promise<SendOutcome>
    /** Does the same work whether or not the mail is wanted; returns true if it is sent. */
    sendSecretly(transaction: Transaction, mail: Mail, isWanted: boolean): Promise<boolean>
  }
}

/** Codes that give a developer credit. */
export type InviteCodes = {
  /** Runs `work`, which redeems a code; rejects too many wrong codes from this client address. */
  limitGuessesFrom<T>(address: string, work: () => Promise<T>): Promise<T>
  /** Throws if the code cannot be redeemed. */
  redeemForNew(transaction: Transaction, developerId: string, code: string): Promise<void>
  /** Call in the transaction that confirms the address. */
  emailConfirmed(transaction: Transaction, developerId: string): Promise<void>
}

type SendOutcome = { sent: true } | { sent: false; retryAfterSeconds: number }
export type Accounts = ReturnType<typeof createAccounts>

/** Accounts of developers: sign-up, sign-in with a password, confirmation of the address, changes of name and password. */
export function createAccounts(store: AccountStore, deps: AccountDeps) {
  const { sessions, signUp, clock, random, ids, passwords, failedAttempts, knownAddresses, counters } = deps
  const { invites, creditSetUp, background, baseUrl, mails } = deps

  const attemptOf = (email: string, developerId: string, from: string): Attempt => ({
    account: `developer:${email}`,
    from,
    isKnown: () => knownAddresses.isKnown({ developerId }, from),
  })

  /**
   * Creates an account and sends its confirmation mail, unless a mail limit is reached; part of sign-up and of the first external
   * sign-in.
   */
  async function create(transaction: Transaction, input: NewAccount): Promise<Account> {
    const { isOperator } = await signUp.takeInvitation(transaction, input)
    const account: Account = {
      id: ids('dev'),
      email: normalisedEmail(input.email),
      name: input.name ?? null,
      passwordHash: input.passwordHash ?? null,
      emailVerifiedAt: input.emailVerified ? timestamp(clock) : null,
      createdAt: timestamp(clock),
      isOperator: isOperator ? 1 : 0,
    }
    if (!(await store.in(transaction).insert(account))) throw new ApiError('email_taken')
    if (isOperator) await creditSetUp(transaction, account.id)
    if (input.inviteCode !== undefined) await invites.redeemForNew(transaction, account.id, input.inviteCode)
    if (!account.emailVerifiedAt) await mailVerification(transaction, account)
    return account
  }

  /** A new link replaces the previous one only if it is sent. */
  async function mailVerification(transaction: Transaction, account: Account): Promise<SendOutcome> {
    const { secret, token } = newToken(account, 'verify', LIMITS.verificationLinkTtlMs)
    const link = `${baseUrl}/dashboard/confirm#token=${secret}`
    const outcome = await mails.send(transaction, verificationMail(account.email, link))
    if (!outcome.sent) return outcome
    await store.in(transaction).dropTokens(account.id, 'verify')
    await store.in(transaction).insertToken(token)
    return outcome
  }

  function newToken({ id: developerId, email }: Pick<Account, 'id' | 'email'>, kind: string, ms: number) {
    const secret = randomToken(random)
    const token = { tokenHash: sha256(secret), developerId, kind, email, expiresAt: timestamp(clock, ms) }
    return { secret, token }
  }

  /** Does the same work for an unknown address, so that the time of the next response does not reveal it. */
  async function mailReset(email: string) {
    const found = await store.findByEmail(email)
    const { secret, token } = newToken({ id: found?.id ?? '', email }, 'reset', LIMITS.resetLinkTtlMs)
    const isFirstProof = !found?.emailVerifiedAt
    const mail = resetMail(email, `${baseUrl}/dashboard/reset#token=${secret}`, isFirstProof)
    await store.changeAccount(found?.id ?? email, async (transaction) => {
      const tokens = store.in(transaction)
      if (await mails.sendSecretly(transaction, mail, found !== undefined)) {
        await tokens.dropTokens(token.developerId, 'reset')
        await tokens.insertToken(token)
      } else {
        await tokens.insertToken(token)
        await tokens.takeToken(token.tokenHash, 'reset')
      }
    })
  }

  /** The person who linked them did not prove that the address is theirs, and may be an attacker (AUT-17). */
  async function removeIdentities(transaction: Transaction, developerId: string, email: string) {
    const providers = await store.removeIdentities(transaction, developerId)
    if (providers.length > 0) await mails.send(transaction, removedMail(email, providers))
  }

  const isLive = (token: { expiresAt: string } | undefined) =>
    token !== undefined && token.expiresAt > timestamp(clock)

  function requireLink<T extends { expiresAt: string }>(token: T | undefined): T {
    if (!token || !isLive(token)) throw new ApiError('invalid_or_expired_token')
    return token
  }

  async function account(
    developerId: string,
    accounts: Pick<AccountStore, 'find'> = store,
  ): Promise<Account> {
    const found = await accounts.find(developerId)
    if (!found) throw new ApiError('unauthorized')
    return found
  }

  /** Requires a second proof of identity: the password, or a fresh external sign-in (DEV-07). */
  async function requireProof(
    developerId: string,
    { password, reauthToken }: Proof,
    from: string,
  ): Promise<void> {
    if (reauthToken !== undefined) {
      const taken = await store.takeToken(sha256(reauthToken), 'reauth')
      if (isLive(taken) && taken?.developerId === developerId) return
    }
    if (password === undefined) throw new ApiError('reauth_required')
    const { email, passwordHash } = await account(developerId)
    const attempt = attemptOf(email, developerId, from)
    await failedAttempts.begin(attempt)
    if (await passwords.verify(password, passwordHash)) return failedAttempts.succeeded(attempt)
    await failedAttempts.failed(attempt)
    throw new ApiError('invalid_credentials')
  }

  const me = async (developer: Developer) => ({ developer: view(await account(developer.id)) })

  return {
    create,
    requireProof,
    me,

    async newReauthToken(transaction: Transaction, developerId: string) {
      const owner = await account(developerId, store.in(transaction))
      const { secret, token } = newToken(owner, 'reauth', LIMITS.reauthTokenTtlMs)
      await store.in(transaction).insertToken(token)
      return { reauthToken: secret, expiresIn: LIMITS.reauthTokenTtlMs / 1_000 }
    },

    async signUp(
      { email, password, name, inviteCode, invitation }: NewDeveloper,
      from: string,
    ): Promise<DeveloperSession> {
      await signUp.requireAdmission({ email, invitation })
      const signUpNow = async () => {
        const passwordHash = await passwords.hash(password)
        const account = { email, name: name ?? null, passwordHash, inviteCode, invitation }
        return store.change(async (transaction) => {
          const created = await create(transaction, account)
          return { developer: view(created), ...(await sessions.open(transaction, created.id)) }
        })
      }
      const session = await (inviteCode === undefined
        ? signUpNow()
        : invites.limitGuessesFrom(from, signUpNow))
      await knownAddresses.note({ developerId: session.developer.id }, from)
      return session
    },

    async logIn(
      { email, password }: { email: string; password: string },
      from: string,
    ): Promise<DeveloperSession> {
      const address = normalisedEmail(email)
      const found = await store.findByEmail(address)
      const attempt = attemptOf(address, found?.id ?? '', from)
      await failedAttempts.begin(attempt)
      if (!(await passwords.verify(password, found?.passwordHash ?? null)) || !found) {
        await failedAttempts.failed(attempt)
        throw new ApiError('invalid_credentials')
      }
      await failedAttempts.succeeded(attempt)
      const session = await store.changeAccount(found.id, async (transaction) => {
        // A reset that came in between wins.
        const current = await account(found.id, store.in(transaction))
        if (current.passwordHash !== found.passwordHash) throw new ApiError('invalid_credentials')
        return { developer: view(current), ...(await sessions.open(transaction, found.id)) }
      })
      await knownAddresses.note({ developerId: found.id }, from)
      return session
    },

    async verifyEmail({ token }: { token: string }): Promise<{ verified: true }> {
      return store.change(async (transaction) => {
        const taken = requireLink(await store.in(transaction).takeToken(sha256(token), 'verify'))
        await store.in(transaction).setVerified(taken.developerId, taken.email, timestamp(clock))
        await invites.emailConfirmed(transaction, taken.developerId)
        return { verified: true }
      })
    },

    /** Rejects a link that was used, replaced or has expired; changes nothing. */
    requireLink: async (token: string, kind: 'verify' | 'reset'): Promise<void> =>
      void requireLink(await store.findToken(sha256(token), kind)),

    async resendVerification(developer: Developer): Promise<{ sent: boolean }> {
      const owner = await account(developer.id)
      if (owner.emailVerifiedAt) return { sent: false }
      requireAdmitted(await counters.admit(`resend:${developer.id}`, MINUTE_MS, 1))
      const outcome = await store.changeAccount(owner.id, (transaction) =>
        mailVerification(transaction, owner),
      )
      if (outcome.sent) return { sent: true }
      throw new ApiError('rate_limited', { retryAfterSeconds: outcome.retryAfterSeconds })
    },

    /** Responds before the lookup, so that neither the response nor its time reveals whether the account exists. */
    async forgotPassword({ email }: { email: string }): Promise<object> {
      await background.runLater(() => mailReset(normalisedEmail(email)))
      return {}
    },

    async resetPassword(
      { token, password }: { token: string; password: string },
      from: string,
    ): Promise<object> {
      const { developerId, email } = requireLink(await store.findToken(sha256(token), 'reset'))
      const passwordHash = await passwords.hash(password)
      const forget = await store.changeAccount(developerId, async (transaction) => {
        requireLink(await store.in(transaction).takeToken(sha256(token), 'reset'))
        const { emailVerifiedAt } = await account(developerId, store.in(transaction))
        const accounts = store.in(transaction)
        await accounts.setPassword(developerId, passwordHash)
        // The link was mailed to this address, so the caller owns it.
        await accounts.setVerified(developerId, email, timestamp(clock))
        await invites.emailConfirmed(transaction, developerId)
        // After the line above, in the lock order of charges: the money of an account before its mailbox.
        if (!emailVerifiedAt) await removeIdentities(transaction, developerId, email)
        for (const kind of ['verify', 'reauth', 'browser']) await accounts.dropTokens(developerId, kind)
        await knownAddresses.forget(transaction, { developerId })
        return sessions.endOthers(transaction, developerId, undefined)
      })
      await forget()
      await failedAttempts.passwordChanged(attemptOf(email, developerId, from))
      await knownAddresses.note({ developerId }, from)
      return {}
    },

    async changePassword(developer: Developer, bearer: string, body: PasswordChange, from: string) {
      const { password, currentPassword, reauthToken } = body
      const proof = {
        ...(currentPassword !== undefined && { password: currentPassword }),
        ...(reauthToken !== undefined && { reauthToken }),
      }
      await requireProof(developer.id, proof, from)
      const passwordHash = await passwords.hash(password)
      const forget = await store.changeAccount(developer.id, async (transaction) => {
        // A reset that came in between wins.
        if (!(await sessions.isLive(transaction, bearer))) throw new ApiError('unauthorized')
        await store.in(transaction).setPassword(developer.id, passwordHash)
        for (const kind of ['reset', 'browser']) await store.in(transaction).dropTokens(developer.id, kind)
        return sessions.endOthers(transaction, developer.id, bearer)
      })
      await forget()
      return me(developer)
    },

    async rename(developer: Developer, { name }: { name: string }) {
      await store.setName(developer.id, cleanLine(name) || null)
      return me(developer)
    },

    async purgeExpired(stopping?: AbortSignal) {
      await store.purgeExpired(timestamp(clock), stopping)
      await knownAddresses.purgeExpired(stopping)
    },
  }
}

type NewAccount = {
  email: string
  name: string | null
  passwordHash?: string
  emailVerified?: boolean
  inviteCode: string | undefined
  invitation: string | undefined
}
type NewDeveloper = {
  email: string
  password: string
  name?: string
  inviteCode?: string
  invitation?: string
}
type PasswordChange = { password: string; currentPassword?: string; reauthToken?: string }
export type Proof = { password?: string; reauthToken?: string }

export const view = (account: Account): DeveloperView => ({
  id: account.id,
  email: account.email,
  name: account.name,
  emailVerified: account.emailVerifiedAt !== null,
  hasPassword: account.passwordHash !== null,
  isOperator: account.isOperator === 1,
  createdAt: account.createdAt,
})
