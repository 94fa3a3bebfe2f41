import type { Actor } from '@svc/contract/common/schemas'
import type { SignUpMode } from '@svc/contract/platform'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { pageOf } from '../../platform/http/row-pages.ts'
import { normalisedEmail } from '../../platform/mail/address.ts'
import { type Audit, SERVICE_CHAIN } from '../../platform/ports/audit.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import { invitationMail, type Mail } from './mails.ts'
import type { Invitation, SignUpStore, Transaction } from './sign-up-store.ts'

type SignUpDeps = {
  mode: SignUpMode
  clock: Clock
  random: Random
  baseUrl: string
  audit: Audit<Transaction>
  /** Undefined if mails are captured instead of sent. */
  sendMail: ((transaction: Transaction, mail: Mail) => Promise<{ sent: boolean }>) | undefined
}

export type SignUp = ReturnType<typeof createSignUp>

/** Who wants an account, and with which link. */
type Invited = { email: string; invitation: string | undefined }

type NewInvitation = { email: string; link: string; expiresAt: string; isMailed: boolean }

const LIFETIME_MS = 7 * DAY_MS
/** For a command line that uses the link immediately. */
const OWN_LIFETIME_MS = MINUTE_MS
/** Who has not answered for longer is invited again. */
const INVITATIONS_SHOWN_MAX = 200

/** Who works at the command line of the service. */
const COMMAND_LINE: Actor = { type: 'system', id: 'svc-server', label: 'svc-server' }

/**
 * Who may create a developer account (SVC_SIGN_UP). `open`: everybody. `first`: the operator with the set-up link, others with
 * invitations. `closed`: nobody. Only the set-up link makes an account the operator's: it is printed where the service was started, and
 * given to commands that can open the socket in the data folder. Being first or being on this machine proves nothing, because every
 * page that a browser on this machine shows is also on this machine.
 */
export function createSignUp(store: SignUpStore, deps: SignUpDeps) {
  const { mode, clock, random, baseUrl, sendMail, audit } = deps
  /** Once there is a developer there always is one. */
  let hasDevelopers = false

  const isLive = ({ expiresAt }: { expiresAt: string }) => expiresAt > timestamp(clock)

  const awaitsOperator = async () => mode !== 'closed' && !(await store.hasOperators())

  /** An invitation is for one address; the set-up link is for any. */
  function requireGood(found: Pick<Invitation, 'email' | 'expiresAt'> | undefined, email: string) {
    if (!found || !isLive(found)) throw new ApiError('invalid_or_expired_token')
    if (found.email !== null && found.email !== normalisedEmail(email))
      throw new ApiError('invalid_or_expired_token', { hint: 'This invitation is for another address.' })
  }

  function requireMode(invitation: string | undefined) {
    if (mode === 'closed' || (mode === 'first' && invitation === undefined))
      throw new ApiError('sign_up_closed')
  }

  type NewToken = { kind: 'setup' | 'invite'; email?: string; lifetimeMs?: number }
  async function newToken(
    transaction: Transaction,
    { kind, email, lifetimeMs = LIFETIME_MS }: NewToken,
  ): Promise<string> {
    const token = randomToken(random)
    await store.in(transaction).insert({
      tokenHash: sha256(token),
      kind,
      email: email ?? null,
      createdAt: timestamp(clock),
      expiresAt: timestamp(clock, lifetimeMs),
    })
    return token
  }

  const record = (transaction: Transaction, actor: Actor, action: string, email: string) =>
    audit.record(transaction, {
      projectId: SERVICE_CHAIN,
      env: null,
      actor,
      action,
      target: email,
      details: {},
    })

  async function takeSetUp(transaction: Transaction, { email, invitation }: Invited): Promise<boolean> {
    if (invitation === undefined) return false
    const invitations = store.in(transaction)
    // There may be several set-up links, but there is one first operator. Before the row: each use of a set-up link removes all of them.
    await store.lockFirst(transaction)
    const taken = await invitations.take(sha256(invitation))
    requireGood(taken, email)
    if (taken?.kind !== 'setup') return false
    if (await invitations.hasOperators()) throw new ApiError('invalid_or_expired_token')
    await invitations.dropSetUp()
    return true
  }

  return {
    /** Rejects early, before a password is hashed; `takeInvitation` decides. */
    async requireAdmission({ email, invitation }: Invited): Promise<void> {
      requireMode(invitation)
      if (invitation !== undefined) requireGood(await store.find(sha256(invitation)), email)
    },

    /** What a link is for, before the form is filled in. */
    async findLink({ invitation }: { invitation: string }) {
      const found = await store.find(sha256(invitation))
      if (!found || !isLive(found)) throw new ApiError('invalid_or_expired_token')
      const kind = found.kind === 'setup' ? ('setup' as const) : ('invite' as const)
      return { kind, email: found.email, expiresAt: found.expiresAt }
    },

    /** Call in the transaction that creates the account: an invitation counts as used only if the account is created. */
    async takeInvitation(transaction: Transaction, invited: Invited): Promise<{ isOperator: boolean }> {
      requireMode(invited.invitation)
      return { isOperator: await takeSetUp(transaction, invited) }
    },

    /** Whether there is no developer account yet. False while the database is down. */
    async isNew(): Promise<boolean> {
      if (hasDevelopers) return false
      const found = await store.hasDevelopers().catch(() => undefined)
      hasDevelopers = found === true
      return found === false
    },

    /** Whether a set-up link can be created. */
    awaitsOperator,

    /**
     * A one-time link for the operator's account while there is no operator; earlier ones stop working. `forCommand`: a link that is
     * used immediately, and leaves the one that was printed valid.
     */
    async newSetupLink({ forCommand = false } = {}): Promise<string | undefined> {
      if (!(await awaitsOperator())) return undefined
      const token = await store.change(async (transaction) => {
        if (forCommand) return newToken(transaction, { kind: 'setup', lifetimeMs: OWN_LIFETIME_MS })
        await store.in(transaction).dropSetUp()
        return newToken(transaction, { kind: 'setup' })
      })
      return `${baseUrl}/dashboard#setup=${token}`
    },

    /** Whether there are developers, but no operator: they signed up before somebody used the set-up link. */
    lacksOperator: async (): Promise<boolean> =>
      (await store.hasDevelopers()) && !(await store.hasOperators()),

    /** Throws if the sign-up mode accepts no invitations. */
    requireInvitations() {
      if (mode === 'closed') throw new ApiError('sign_up_closed')
    },

    /** A one-time link for one more developer; an earlier one for this address stops working. */
    async invite(address: string, actor: Actor = COMMAND_LINE): Promise<NewInvitation> {
      if (mode === 'closed') throw new Error('SVC_SIGN_UP is closed: invitations are not accepted.')
      const email = normalisedEmail(address)
      return store.change(async (transaction) => {
        await store.in(transaction).dropOf(email)
        const token = await newToken(transaction, { kind: 'invite', email })
        const link = `${baseUrl}/dashboard#invitation=${token}&email=${encodeURIComponent(email)}`
        await record(transaction, actor, 'invitation.create', email)
        const mailed = await sendMail?.(transaction, invitationMail(email, link))
        return { email, link, expiresAt: timestamp(clock, LIFETIME_MS), isMailed: mailed?.sent ?? false }
      })
    },

    /** The number of invitations that were revoked. */
    revoke: (address: string, actor: Actor = COMMAND_LINE): Promise<number> =>
      store.change(async (transaction) => {
        const email = normalisedEmail(address)
        const revoked = await store.in(transaction).dropOf(email)
        if (revoked > 0) await record(transaction, actor, 'invitation.revoke', email)
        return revoked
      }),

    /** False if there is no account with this address. */
    setOperator: (address: string, isOperator: boolean): Promise<boolean> =>
      store.change(async (transaction) => {
        const email = normalisedEmail(address)
        const isFound = (await store.in(transaction).setOperator(email, isOperator ? 1 : 0)) === 1
        if (isFound)
          await record(transaction, COMMAND_LINE, isOperator ? 'operator.add' : 'operator.remove', email)
        return isFound
      }),

    /** By their ids, which are in the order of their creation. */
    async list({ limit = 50, cursor }: { limit?: number; cursor?: string } = {}) {
      const rows = await store.developers(cursor ?? '', limit + 1)
      const { shown, nextCursor } = pageOf(rows, limit)
      const developers = shown.map(({ isOperator, emailVerifiedAt, ...developer }) => ({
        ...developer,
        emailVerified: emailVerifiedAt !== null,
        isOperator: isOperator === 1,
      }))
      return {
        developers,
        invitations: cursor === undefined ? (await store.list(INVITATIONS_SHOWN_MAX)).filter(isLive) : [],
        nextCursor,
      }
    },

    purgeExpired: (stopping?: AbortSignal) => store.dropExpired(timestamp(clock), stopping),
  }
}
