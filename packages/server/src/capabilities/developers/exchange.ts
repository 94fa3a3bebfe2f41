import type { Exchanged } from '@svc/contract/developers/sign-in'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import { provesCode } from '../../platform/security/sign-in.ts'
import { type Accounts, type InviteCodes, view } from './accounts.ts'
import { identityView } from './identities.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { Code, OpenCode, SignInStore, Transaction } from './sign-in-store.ts'

export type ExchangeDeps = {
  accounts: Pick<Accounts, 'create' | 'newReauthToken'>
  sessions: Pick<DeveloperSessions, 'open' | 'find' | 'isLive'>
  /** Ends a session on every node; `sessionHash` is the SHA-256 of its token. */
  endSession: (sessionHash: string) => Promise<unknown>
  invites: Pick<InviteCodes, 'limitGuessesFrom'>
  clock: Clock
}

export type Exchange = ReturnType<typeof createExchange>

type ExchangeInput = { code: string; verifier: string; inviteCode?: string; invitation?: string }
type Refused = { refused: true; replayOf?: string }

/** The last step of an external sign-in, and the only one that has an effect. */
export function createExchange(store: SignInStore, deps: ExchangeDeps) {
  const { accounts, sessions, endSession, invites, clock } = deps
  return async (
    { code, verifier, inviteCode, invitation }: ExchangeInput,
    bearer: string | undefined,
    from: string,
  ): Promise<Exchanged> => {
    // Linking requires an active session here too: if a password reset has ended it, the old session must not add a sign-in method.
    const caller = bearer === undefined ? undefined : await sessions.find(bearer)
    const exchange = () =>
      store.exchange(sha256(code), async (transaction, found): Promise<Exchanged | Refused> => {
        if (found?.state === 'used') return { refused: true, replayOf: found.sessionHash }
        if (!isGood(found, verifier, caller?.id)) return refuse(transaction, sha256(code))
        switch (found.intent) {
          case 'signin':
            return signIn(transaction, found, inviteCode, invitation)
          case 'link':
            return link(transaction, found, found.developerId, bearer ?? '')
          case 'reauth':
            return confirm(transaction, found, found.developerId)
        }
      })
    const result = await (inviteCode === undefined ? exchange() : invites.limitGuessesFrom(from, exchange))
    if (!('refused' in result)) return result

    // Thrown after the transaction, so that a code that a wrong attempt has invalidated stays invalid.
    if (result.replayOf !== undefined) await endSession(result.replayOf)
    throw new ApiError('invalid_code')
  }

  function isGood(code: Code | undefined, verifier: string, callerId: string | undefined): code is OpenCode {
    if (code?.state !== 'open' || !provesCode(code, verifier, clock)) return false
    return code.intent === 'signin' || code.developerId === callerId
  }

  /** The first wrong attempt invalidates a code (OAU-10). */
  async function refuse(transaction: Transaction, codeHash: string): Promise<Refused> {
    await store.removeCode(transaction, codeHash)
    return { refused: true }
  }

  async function signIn(
    transaction: Transaction,
    code: OpenCode,
    inviteCode: string | undefined,
    invitation: string | undefined,
  ): Promise<Exchanged> {
    await store.lockIdentity(transaction, code)
    const known = await store.findIdentity(code, transaction)
    const account = known
      ? await store.findAccount(transaction, known.developerId)
      : await signUp(transaction, code, inviteCode, invitation)
    const session = await sessions.open(transaction, account.id)
    await store.markUsed(transaction, code.codeHash, sha256(session.token))
    return {
      developer: view(account),
      ...session,
      ...(known && inviteCode !== undefined && { invite: { ignored: true } }),
    }
  }

  async function signUp(
    transaction: Transaction,
    code: OpenCode,
    inviteCode: string | undefined,
    invitation: string | undefined,
  ) {
    const { email, emailVerified, name, provider } = code
    // The callback rejects these, so the identity was removed from its account since.
    if (email === null) throw new ApiError('invalid_code')
    const input = { email, emailVerified: emailVerified === 1, name, inviteCode, invitation }
    const account = await accounts.create(transaction, input).catch(tellToLink(provider))
    await addIdentity(transaction, code, account.id)
    return account
  }

  async function link(
    transaction: Transaction,
    code: OpenCode,
    developerId: string,
    bearer: string,
  ): Promise<Exchanged> {
    await store.removeCode(transaction, code.codeHash)
    await store.lockAccount(transaction, developerId)
    // A password reset may have ended the session in the meantime; then it must not add a sign-in method.
    if (!(await sessions.isLive(transaction, bearer))) throw new ApiError('invalid_code')
    await store.lockIdentity(transaction, code)
    const owned = await store.findIdentity(code, transaction)
    const mine = (await store.identitiesOf(developerId, transaction)).find(
      ({ provider }) => provider === code.provider,
    )
    const taken = owned ? owned.developerId !== developerId : mine !== undefined
    if (taken) throw new ApiError('identity_already_linked')

    const identity = owned ?? (await addIdentity(transaction, code, developerId))
    return {
      developer: view(await store.findAccount(transaction, developerId)),
      identity: identityView(identity),
    }
  }

  async function confirm(transaction: Transaction, code: OpenCode, developerId: string): Promise<Exchanged> {
    await store.removeCode(transaction, code.codeHash)
    const owned = await store.findIdentity(code, transaction)
    if (owned?.developerId !== developerId) throw new ApiError('identity_not_found')
    return accounts.newReauthToken(transaction, developerId)
  }

  async function addIdentity(
    transaction: Transaction,
    { provider, subject, email }: OpenCode,
    developerId: string,
  ) {
    const identity = { provider, subject, developerId, email, linkedAt: timestamp(clock) }
    await store.addIdentity(transaction, identity)
    return identity
  }
}

/** Accounts are never merged by email: the owner of the account signs in to it and links the identity. */
const tellToLink = (provider: string) => (error: unknown) => {
  if (!(error instanceof ApiError) || error.code !== 'email_taken') throw error
  throw new ApiError('email_taken', { hint: `Sign in to that account, then link ${provider} to it.` })
}
