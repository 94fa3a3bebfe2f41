import type { Actor } from '@svc/contract/shapes'

import { ApiError } from '../../platform/api-error.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { FailedAttempts } from '../../platform/failed-attempts.ts'
import type { KnownAddresses } from '../../platform/known-addresses.ts'
import type { Player } from '../../platform/player.ts'
import { type RawJson, rawObject } from '../../platform/raw-json.ts'
import { type Accounts, identitiesOf } from './accounts.ts'
import type { Deletions } from './deletions.ts'
import type { AccountOwner } from './email-accounts.ts'
import type { PlayerRow, PlayerStore, Transaction } from './store.ts'

/**
 * What one part of the service stores about a player. A part that begins to store something states it here, in the list that
 * app/personal-data.ts keeps; a test fails on a table with a player's id that is missing from it.
 */
export type PersonalData = {
  /** Sections of the export, by name; RawJson where something is JSON text and stays as it is. Never what opens a door: no hash of a password, of a token or of a code. */
  exportOf(environmentId: string, playerId: string): Promise<Record<string, unknown>>
  /** In the transaction that deletes the player; and once more when it is certain that nobody writes any longer. */
  removeOf(transaction: Transaction, environmentId: string, playerId: string): Promise<unknown>
}

export type PersonalDataNeeds = {
  parts: readonly PersonalData[]
  clock: Clock
  accounts: Pick<Accounts, 'isBanned' | 'banned'>
  deletions: Deletions
  passwords: { verify(password: string, hash: string | null): Promise<boolean> }
  failedAttempts: FailedAttempts
  knownAddresses: Pick<KnownAddresses<AccountOwner, Transaction>, 'isKnown'>
  sessions: {
    requireOwn(environmentId: string, playerId: string, refreshToken: string): Promise<string>
    isLive(transaction: Transaction, environmentId: string, sessionId: string): Promise<boolean>
  }
  audit: Audit<Transaction>
  /** Live connections of the player close, on every node. */
  disconnect(environmentId: string, playerId: string, sessions: { except: null }): Promise<void>
}

export type Proof = { password?: string; refreshToken?: string }
export type PersonalDataOfPlayers = ReturnType<typeof createPersonalData>

/** Export and deletion of everything about a player (OWN-01 … OWN-04; Authentication, rule 12). */
export function createPersonalData(store: PlayerStore, needs: PersonalDataNeeds) {
  const { parts, clock, accounts, deletions, passwords, failedAttempts, knownAddresses } = needs
  const { sessions, audit, disconnect } = needs

  async function collect(environmentId: string, playerId: string): Promise<RawJson> {
    const sections = await Promise.all(parts.map((part) => part.exportOf(environmentId, playerId)))
    return rawObject(Object.assign({ exportedAt: timestamp(clock) }, ...sections))
  }

  async function remove(transaction: Transaction, environmentId: string, playerId: string) {
    for (const part of parts) await part.removeOf(transaction, environmentId, playerId)
  }

  /** After the transaction: whoever reads on this message must find nothing. */
  async function removed(environmentId: string, playerId: string): Promise<{ deleted: true }> {
    await deletions.tell(environmentId, playerId)
    await disconnect(environmentId, playerId, { except: null })
    return { deleted: true }
  }

  async function requirePassword(environment: Environment, row: PlayerRow, password: string, from: string) {
    const owner = { environmentId: environment.id, playerId: row.id }
    // The same account as that of log-in, so that guesses here and there are counted together.
    const attempt = {
      account: `player:${environment.id}:${row.email ?? row.id}`,
      from,
      isKnown: () => knownAddresses.isKnown(owner, from),
    }
    if (environment.name === 'production') await failedAttempts.begin(attempt)
    if (await passwords.verify(password, row.passwordHash)) return failedAttempts.succeeded(attempt)
    await failedAttempts.failed(attempt)
    throw new ApiError('invalid_credentials')
  }

  async function requireExisting(transaction: Transaction, environmentId: string, playerId: string) {
    const standing = await store.in(transaction).standing(environmentId, playerId)
    if (!standing) throw new ApiError('player_not_found')
  }

  const entry = (
    { projectId, name: env }: Environment,
    actor: Actor,
    action: 'player.export' | 'player.delete',
    target: string,
  ) => ({ projectId, env, actor, action, target, details: {} })

  return {
    async exportOwn({ environmentId, id }: Player) {
      if (!(await store.standing(environmentId, id))) throw new ApiError('invalid_token')
      return collect(environmentId, id)
    },

    /** An account is proven by its password or by a refresh token; a guest has nothing but the session that asks. */
    async removeOwn(
      environment: Environment,
      { id }: Player,
      { password, refreshToken }: Proof,
      from: string,
    ) {
      const checked = await store.find(environment.id, id)
      if (!checked) throw new ApiError('invalid_token')
      if (password !== undefined) await requirePassword(environment, checked, password, from)
      const sessionId =
        refreshToken === undefined ? undefined : await sessions.requireOwn(environment.id, id, refreshToken)
      const isProven = password !== undefined || sessionId !== undefined

      const isBanned = await store.change(environment.id, id, async (transaction) => {
        const players = store.in(transaction)
        const row = await players.find(environment.id, id)
        if (!row) throw new ApiError('invalid_token')
        if (accounts.isBanned(row)) return true
        // A reset, a sign-out or a link that came in between has the last word.
        if (row.passwordHash !== checked.passwordHash) throw new ApiError('invalid_credentials')
        if (sessionId !== undefined && !(await sessions.isLive(transaction, environment.id, sessionId))) {
          throw new ApiError('invalid_refresh_token')
        }
        const isGuest = identitiesOf(row, await players.identities(environment.id, id)).length === 0
        if (!isProven && !isGuest) throw new ApiError('invalid_credentials', acceptedFor(row))

        await remove(transaction, environment.id, id)
        await deletions.note(transaction, environment.id, id)
        return false
      })
      if (isBanned) throw await accounts.banned(environment.id, id)
      return removed(environment.id, id)
    },

    async exportFor(environment: Environment, actor: Actor, playerId: string) {
      await store.change(environment.id, playerId, async (transaction) => {
        await requireExisting(transaction, environment.id, playerId)
        await audit.record(transaction, entry(environment, actor, 'player.export', playerId))
      })
      return collect(environment.id, playerId)
    },

    async removeFor(environment: Environment, actor: Actor, playerId: string) {
      await store.change(environment.id, playerId, async (transaction) => {
        await requireExisting(transaction, environment.id, playerId)
        await remove(transaction, environment.id, playerId)
        await deletions.note(transaction, environment.id, playerId)
        // Of the player it keeps the id and nothing else: it outlives the player.
        await audit.record(transaction, entry(environment, actor, 'player.delete', playerId))
      })
      return removed(environment.id, playerId)
    },

    /** A request that was under way when its player was deleted may have written after it: removed once more, then forgotten. */
    async tidy() {
      for (const { environmentId, playerId } of await deletions.over()) {
        await store.change(environmentId, playerId, async (transaction) => {
          await remove(transaction, environmentId, playerId)
          await deletions.forget(transaction, environmentId, playerId)
        })
      }
    },
  }
}

/** Which proofs this account has, for whoever sent none. */
const acceptedFor = ({ passwordHash }: PlayerRow) => ({
  accepted: passwordHash === null ? ['refreshToken'] : ['password', 'refreshToken'],
})
