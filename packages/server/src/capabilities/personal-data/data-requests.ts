import type { Actor } from '@svc/contract/common/schemas'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { type RawJson, rawObject } from '../../platform/http/raw-json.ts'
import type { Player, PlayerKey } from '../../platform/player.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { PersonalData } from '../../platform/ports/personal-data.ts'

export type Proof = { password?: string; refreshToken?: string }

type DataRequestDeps<Transaction> = {
  parts: readonly PersonalData<Transaction>[]
  clock: Clock
  players: {
    exists(environmentId: string, playerId: string, transaction?: Transaction): Promise<boolean>
    /** A transaction that excludes other changes of this player. */
    change<T>(
      environmentId: string,
      playerId: string,
      work: (transaction: Transaction) => Promise<T>,
    ): Promise<T>
    /**
     * Checks that the request comes from the owner of the account. Returns a second check for the transaction that deletes: it
     * throws if the account has changed since, and returns an error for a banned player.
     */
    verifyOwner(
      environment: Environment,
      player: Player,
      proof: Proof,
      from: string,
    ): Promise<(transaction: Transaction) => Promise<'banned' | 'verified'>>
    /** The error for a banned player. */
    banned(environmentId: string, playerId: string): Promise<ApiError>
  }
  deletions: {
    note(transaction: Transaction, environmentId: string, playerId: string): Promise<void>
    announce(environmentId: string, playerId: string): Promise<void>
    expired(): Promise<PlayerKey[]>
    forget(transaction: Transaction, environmentId: string, playerId: string): Promise<unknown>
  }
  audit: Audit<Transaction>
  /** Closes all connections of the player, on every node. */
  disconnect(environmentId: string, playerId: string): Promise<void>
}

export type DataRequests = Pick<
  ReturnType<typeof createDataRequests>,
  'exportOwn' | 'removeOwn' | 'exportFor' | 'removeFor'
>

/** Export and deletion of everything about a player (OWN-01 … OWN-04; Authentication, rule 12). */
export function createDataRequests<Transaction>(deps: DataRequestDeps<Transaction>) {
  const { parts, clock, players, deletions, audit, disconnect } = deps

  async function collect(environmentId: string, playerId: string): Promise<RawJson> {
    const sections = await Promise.all(parts.map((part) => part.exportForPlayer(environmentId, playerId)))
    return rawObject(Object.assign({ exportedAt: timestamp(clock) }, ...sections))
  }

  async function remove(transaction: Transaction, environmentId: string, playerId: string) {
    for (const part of parts) await part.removeForPlayer(transaction, environmentId, playerId)
  }

  /** Sent after the commit, so that a node that reads because of this message finds no data. */
  async function announce(environmentId: string, playerId: string): Promise<{ deleted: true }> {
    await deletions.announce(environmentId, playerId)
    await disconnect(environmentId, playerId)
    return { deleted: true }
  }

  async function requireExisting(transaction: Transaction, environmentId: string, playerId: string) {
    if (!(await players.exists(environmentId, playerId, transaction))) throw new ApiError('player_not_found')
  }

  return {
    async exportOwn({ environmentId, id }: Player) {
      if (!(await players.exists(environmentId, id))) throw new ApiError('invalid_token')
      return collect(environmentId, id)
    },

    async removeOwn(environment: Environment, player: Player, proof: Proof, from: string) {
      const verify = await players.verifyOwner(environment, player, proof, from)
      const outcome = await players.change(environment.id, player.id, async (transaction) => {
        if ((await verify(transaction)) === 'banned') return 'banned'
        await remove(transaction, environment.id, player.id)
        await deletions.note(transaction, environment.id, player.id)
        return 'removed'
      })
      if (outcome === 'banned') throw await players.banned(environment.id, player.id)
      return announce(environment.id, player.id)
    },

    async exportFor(environment: Environment, actor: Actor, playerId: string) {
      await players.change(environment.id, playerId, async (transaction) => {
        await requireExisting(transaction, environment.id, playerId)
        await audit.record(transaction, changeIn(environment, actor, 'player.export', playerId))
      })
      return collect(environment.id, playerId)
    },

    async removeFor(environment: Environment, actor: Actor, playerId: string) {
      await players.change(environment.id, playerId, async (transaction) => {
        await requireExisting(transaction, environment.id, playerId)
        await remove(transaction, environment.id, playerId)
        await deletions.note(transaction, environment.id, playerId)
        await audit.record(transaction, changeIn(environment, actor, 'player.delete', playerId))
      })
      return announce(environment.id, playerId)
    },

    /** A request in flight when its player was deleted may have written afterwards: removes that too, then the deletion record. */
    async purgeExpired() {
      for (const { environmentId, playerId } of await deletions.expired()) {
        await players.change(environmentId, playerId, async (transaction) => {
          await remove(transaction, environmentId, playerId)
          await deletions.forget(transaction, environmentId, playerId)
        })
      }
    },
  }
}
