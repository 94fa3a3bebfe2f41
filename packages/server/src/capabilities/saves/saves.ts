import type { SaveSummary } from '@svc/contract/saves'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { RawJson, rawList, rawObject } from '../../platform/http/raw-json.ts'
import type { Player, PlayerRef, PlayerStatus } from '../../platform/player.ts'
import { dataHash } from './data-hash.ts'
import type { NewSave, PlayerSaves, SaveStore, Transaction } from './store.ts'

type SaveLimits = { bytesMax: number; perPlayerMax: number }
export type SaveDeps = {
  clock: Clock
  limits: SaveLimits
  /** Undefined if the player was deleted. */
  findPlayerStatus(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
  ): Promise<Pick<PlayerStatus, 'bannedUntil'> | undefined>
  isBanned(status: Pick<PlayerStatus, 'bannedUntil'>): boolean
}

export type Saves = ReturnType<typeof createSaves>
export type IfVersion = { ifVersion?: number }
/** Null is treated as absent. */
export type NullableIfVersion = { ifVersion?: number | null }
type SaveInput = NullableIfVersion & { unanswered?: readonly number[] }

/** Bytes of a body besides the data: `ifVersion`, white space, fields of a later version. */
const ENVELOPE_BYTES_MAX = 4_096
/** Stored versions of deleted saves, per allowed save: creating and deleting saves must not fill the database. */
const DELETIONS_PER_SAVE_MAX = 10

/** Reads, writes, lists and deletes the cloud saves of a player. */
export function createSaves(store: SaveStore, { clock, limits, findPlayerStatus, isBanned }: SaveDeps) {
  /**
   * The first write of a key, or a write that will be rejected: decided under the lock for creating and deleting saves of this
   * player.
   */
  const writeUnderLock = (
    { environmentId, id }: Player,
    save: NewSave,
    ifVersion: number | undefined,
    unanswered: readonly number[] = [],
  ) =>
    store.change(environmentId, id, async (saves, transaction) => {
      const status = await findPlayerStatus(transaction, environmentId, id)
      if (!status) throw new ApiError('invalid_token')
      if (isBanned(status)) throw new ApiError('player_banned')
      return putSave(saves, save, await expectedVersion(saves, save.key, ifVersion, unanswered), limits)
    })

  return {
    bodyLimit: {
      bytesMax: limits.bytesMax + ENVELOPE_BYTES_MAX,
      refusal: (size: number | undefined) => tooLarge(limits, size),
    },

    async list({ environmentId, id }: PlayerRef): Promise<{ saves: SaveSummary[] }> {
      return { saves: await store.of(environmentId, id).list() }
    },

    async read({ environmentId, id }: Player, key: string): Promise<RawJson> {
      const save = await store.find(environmentId, id, key)
      if (!save) throw new ApiError('save_not_found')
      return rawSave({ key, ...save })
    },

    /** `data` is JSON text, and is stored unchanged. */
    async write(player: Player, key: string, data: string, input: SaveInput): Promise<SaveSummary> {
      const ifVersion = input.ifVersion ?? undefined
      const save = newSave(key, data, clock, limits)
      const version =
        (await store.overwriteUnlessBanned(
          { environmentId: player.environmentId, playerId: player.id },
          save,
          ifVersion,
        )) ?? (await writeUnderLock(player, save, ifVersion, input.unanswered))
      return { key, version, size: save.size, updatedAt: save.updatedAt }
    },

    remove: ({ environmentId, id }: Player, key: string, { ifVersion }: IfVersion) =>
      store.change(environmentId, id, async (saves): Promise<{ deleted: true }> => {
        await removeSave(saves, key, ifVersion, timestamp(clock), limits)
        return { deleted: true }
      }),

    /** Everything that is stored about a player here. */
    async exportForPlayer(environmentId: string, playerId: string) {
      const rows = await store.of(environmentId, playerId).listWithData()
      const texts = rows.map(({ data, ...save }) => rawObject({ ...save, data: new RawJson(data) }).text)
      return { saves: rawList(texts) }
    },
    removeForPlayer: store.removeForPlayer,
    hasAny: store.hasAny,
  }
}

/** The save as a write stores it. `data` is JSON text. */
export function newSave(key: string, data: string, clock: Clock, limits: SaveLimits): NewSave {
  const size = Buffer.byteLength(data)
  if (size > limits.bytesMax) throw tooLarge(limits, size)
  return { key, size, updatedAt: timestamp(clock), data }
}

export function rawSave({ key, version, size, updatedAt, data }: NewSave & { version: number }): RawJson {
  // Key and time contain no character that JSON would escape.
  return new RawJson(
    `{"key":"${key}","version":${version},"size":${size},"updatedAt":"${updatedAt}","data":${data}}`,
  )
}

/** Under the lock of the player. Returns the new version. */
export async function putSave(
  saves: PlayerSaves,
  save: NewSave,
  ifVersion: number | undefined,
  { perPlayerMax }: SaveLimits,
): Promise<number> {
  const current = await saves.version(save.key)
  requireVersion(ifVersion, current)
  if (current > 0) return (await saves.overwrite(save, ifVersion)) ?? throwVersionConflict(saves, save.key)
  if ((await saves.count()) >= perPlayerMax) throw new ApiError('too_many_saves', { limit: perPlayerMax })
  return saves.create(save)
}

/** Under the lock of the player. Returns the version that was deleted. */
export async function removeSave(
  saves: PlayerSaves,
  key: string,
  ifVersion: number | undefined,
  now: string,
  { perPlayerMax }: SaveLimits,
): Promise<number> {
  const current = await saves.version(key)
  if (current === 0) throw new ApiError('save_not_found')
  requireVersion(ifVersion, current)
  if (!(await saves.softDelete(key, now, ifVersion))) await throwVersionConflict(saves, key)
  await saves.mergeDeletions(perPlayerMax * DELETIONS_PER_SAVE_MAX, now)
  return current
}

/** `ifVersion`, or the version that an unanswered write of the same device has made of it (SAV-16). */
async function expectedVersion(
  saves: PlayerSaves,
  key: string,
  ifVersion: number | undefined,
  unanswered: readonly number[],
): Promise<number | undefined> {
  if (ifVersion === undefined || unanswered.length === 0) return ifVersion
  const current = await saves.find(key)
  const isOwn =
    current &&
    current.version > ifVersion &&
    current.version <= ifVersion + unanswered.length &&
    unanswered.includes(dataHash(current.data))
  return isOwn ? current.version : ifVersion
}

const tooLarge = ({ bytesMax }: SaveLimits, size: number | undefined) =>
  new ApiError('save_too_large', { limit: bytesMax, ...(size !== undefined && { size }) })

function requireVersion(ifVersion: number | undefined, currentVersion: number) {
  if (ifVersion === undefined || ifVersion === currentVersion) return
  throw new ApiError('version_conflict', { currentVersion })
}

/** Overwriting a save takes no lock, so the version may change between the read and the write. */
async function throwVersionConflict(saves: PlayerSaves, key: string): Promise<never> {
  throw new ApiError('version_conflict', { currentVersion: await saves.version(key) })
}
