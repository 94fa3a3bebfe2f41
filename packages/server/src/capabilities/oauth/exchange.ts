import type { SessionView } from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Random } from '../../platform/random.ts'
import { newCode, provesCode } from '../../platform/security/sign-in.ts'
import type { Code, SignInStore, Transaction } from './sign-in-store.ts'

export type ExternalIdentity = { provider: string; subject: string; name: string | null; profile: string }
export type OpenedSession = { playerId: string; use: { sessionId: string; generation: number } }

export type ExchangeDeps = {
  clock: Clock
  random: Random
  /** Errors are thrown before the first write. */
  players: {
    signIn(
      transaction: Transaction,
      environmentId: string,
      externalIdentity: ExternalIdentity,
    ): Promise<OpenedSession>
    link(
      transaction: Transaction,
      environmentId: string,
      externalIdentity: ExternalIdentity,
      linking: { id: string; sessionId: string; orSignIn: boolean },
    ): Promise<OpenedSession>
    answer(environmentId: string, openedSession: OpenedSession): Promise<SessionView>
  }
  /** Ends a session and its connections, on every node. */
  endSession(environmentId: string, playerId: string, sessionId: string): Promise<void>
}

export type Exchange = ReturnType<typeof createExchange>

type Open = Extract<Code, { state: 'open' }>
type Result =
  | { openedSession: OpenedSession }
  | { refused: ApiError }
  | { replayed: Extract<Code, { state: 'used' }> }

/** How long a player may take to confirm the switch to the other account. */
const CONFIRMATION_MS = 10 * MINUTE_MS

/** The last step of an external sign-in, and the only one that has an effect (OAU-10). */
export function createExchange(store: SignInStore, { clock, random, players, endSession }: ExchangeDeps) {
  return async (
    { id: environmentId }: Environment,
    { code, verifier }: { code: string; verifier: string },
  ): Promise<SessionView> => {
    const codeHash = sha256(code)
    const result = await store.exchange(codeHash, async (transaction, found): Promise<Result> => {
      if (found?.state === 'used') return { replayed: found }
      if (!found) return { refused: new ApiError('invalid_code') }
      const tried = isGood(found, environmentId, verifier)
        ? await enter(transaction, found).catch((error: unknown) => refusedBy(error, transaction, found))
        : { refused: new ApiError('invalid_code') }
      // The first attempt invalidates a code, also if it fails (OAU-10).
      if ('refused' in tried) await store.removeCode(transaction, codeHash)
      else await store.markUsed(transaction, { codeHash, ...sessionOf(tried.openedSession) })
      return tried
    })
    if ('openedSession' in result) return players.answer(environmentId, result.openedSession)

    // Thrown after the transaction, so that a code that a wrong attempt has invalidated stays invalid.
    if ('refused' in result) throw result.refused
    const { replayed } = result
    await endSession(replayed.environmentId, replayed.playerId, replayed.sessionId)
    throw new ApiError('invalid_code')
  }

  function isGood(code: Open, environmentId: string, verifier: string): boolean {
    return code.environmentId === environmentId && provesCode(code, verifier, clock)
  }

  async function enter(transaction: Transaction, code: Open): Promise<{ openedSession: OpenedSession }> {
    const { environmentId, provider, subject, profile, refusal, playerId, linkSessionId, orSignIn } = code
    if (refusal === 'client-not-enrolled') throw new ApiError(refusal, { provider })

    const externalIdentity = { provider, subject, profile, name: nameIn(profile) }
    if (playerId === null)
      return { openedSession: await players.signIn(transaction, environmentId, externalIdentity) }
    const linking = { id: playerId, sessionId: linkSessionId ?? '', orSignIn: orSignIn === 1 }
    return { openedSession: await players.link(transaction, environmentId, externalIdentity, linking) }
  }

  async function refusedBy(
    error: unknown,
    transaction: Transaction,
    code: Open,
  ): Promise<{ refused: ApiError }> {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const mayConfirm = error.code === 'identity_already_linked' && error.details !== undefined
    return { refused: mayConfirm ? await withCode(error, transaction, code) : error }
  }

  /** Adds a code that signs in as the owner, so that a player who agrees does not have to visit the provider again. */
  async function withCode({ code, details }: ApiError, transaction: Transaction, found: Open) {
    const confirmation = newCode({ clock, random }, CONFIRMATION_MS)
    const signsIn = { playerId: null, linkSessionId: null, orSignIn: 0 }
    await store.addCodeIn(transaction, { ...found, ...confirmation.stored, ...signsIn })
    return new ApiError(code, { ...details, code: confirmation.code })
  }
}

const sessionOf = ({ playerId, use }: OpenedSession) => ({ playerId, sessionId: use.sessionId })

const nameIn = (profile: string) => (JSON.parse(profile) as { name: string | null }).name
