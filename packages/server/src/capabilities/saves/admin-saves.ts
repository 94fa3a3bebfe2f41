import type { Actor } from '@svc/contract/common/schemas'
import type { SaveSummary } from '@svc/contract/saves'

import { ApiError } from '../../platform/api-error.ts'
import { timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { RawJson } from '../../platform/http/raw-json.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import {
  type IfVersion,
  newSave,
  type NullableIfVersion,
  putSave,
  rawSave,
  removeSave,
  type SaveDeps,
} from './saves.ts'
import type { PlayerSaves, SaveStore, Transaction } from './store.ts'

type AdminSaveDeps = SaveDeps & {
  audit: Audit<Transaction>
  /** Undefined if there is no such player. */
  findPlayer(environmentId: string, playerId: string): Promise<object | undefined>
}
export type AdminSaves = ReturnType<typeof createAdminSaves>

/** Saves of players, for developers (DSH-06). The limits of players apply; every change is in the audit log. */
export function createAdminSaves(
  store: SaveStore,
  { clock, limits, audit, findPlayer, findPlayerStatus }: AdminSaveDeps,
) {
  /** The entry names neither the key nor the data: it is kept after the player is deleted, and a player may have chosen the key. */
  const change = <T>(
    environment: Environment,
    actor: Actor,
    playerId: string,
    action: string,
    work: (saves: PlayerSaves) => Promise<{ answer: T; details: Record<string, unknown> }>,
  ): Promise<T> =>
    store.change(environment.id, playerId, async (saves, transaction) => {
      if (!(await findPlayerStatus(transaction, environment.id, playerId)))
        throw new ApiError('player_not_found')
      const { answer, details } = await work(saves)
      await audit.record(transaction, changeIn(environment, actor, action, playerId, details))
      return answer
    })

  return {
    async read({ id: environmentId }: Environment, playerId: string, key: string): Promise<RawJson> {
      const save = await store.find(environmentId, playerId, key)
      if (save) return rawSave({ key, ...save })
      const player = await findPlayer(environmentId, playerId)
      throw new ApiError(player ? 'save_not_found' : 'player_not_found')
    },

    /** `data` is JSON text, and is stored unchanged. */
    async write(
      environment: Environment,
      actor: Actor,
      { playerId, key }: { playerId: string; key: string },
      data: string,
      { ifVersion }: NullableIfVersion,
    ): Promise<SaveSummary> {
      const save = newSave(key, data, clock, limits)
      const { size, updatedAt } = save
      return change(environment, actor, playerId, 'save.write', async (saves) => {
        const version = await putSave(saves, save, ifVersion ?? undefined, limits)
        return { answer: { key, version, size, updatedAt }, details: { version, size } }
      })
    },

    remove: (
      environment: Environment,
      actor: Actor,
      { playerId, key }: { playerId: string; key: string },
      { ifVersion }: IfVersion,
    ): Promise<{ deleted: true }> =>
      change(environment, actor, playerId, 'save.delete', async (saves) => {
        const version = await removeSave(saves, key, ifVersion, timestamp(clock), limits)
        return { answer: { deleted: true }, details: { version } }
      }),
  }
}
