import type * as contract from '@svc/contract/saves'

import { isSvcError, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { onLeave } from '../http/platform.ts'
import { dataHash } from './data-hash.ts'
import { createSaveQueue } from './save-queue.ts'
import type { SeenSaves } from './seen-saves.ts'

/** A save without its data. */
export type SaveSummary = contract.SaveSummary
/** A save with its data. */
export type Save<Data = unknown> = SaveSummary & { data: Data }
/** Options for `svc.saves.put`. */
export type PutOptions = {
  /** The version to overwrite (default: the one last read or written here). Null overwrites whatever is there. */
  ifVersion?: number | null
}

/** Keys that the service accepts. */
const KEY = /^(?!\.\.?$)[\w.-]{1,64}$/

/**
 * Versioned JSON documents of the player, up to 100 of them. `put` remembers the version that was last read, so it never overwrites
 * what another device wrote in the meantime.
 */
export type Saves = ReturnType<typeof createSaves>

/** As many as the service accepts. */
const UNANSWERED_MAX = 8

/**
 * Cloud saves. The last known versions are kept, so that changes of other devices are not overwritten unseen.
 */
export function createSaves(
  call: Call,
  // The versions belong to one player: pending writes of a previous player fail. Version 0: the save did not exist.
  versionsNow: () => Map<string, number>,
  seen: SeenSaves,
  page: Window | undefined,
  signal: AbortSignal,
) {
  const { inTurn, beginAll } = createSaveQueue<unknown>()
  onLeave(page, beginAll, signal)
  /** The hash of the last write of each save. */
  const newest = new Map<string, number>()
  /** Hashes of writes whose response has not arrived, by save: the service may have any of them. */
  const unanswered = new Map<string, number[]>()

  function requireSame(versions: Map<string, number>) {
    if (versions !== versionsNow()) throw new SvcError('signed_out')
  }

  /** Records the known version; 0 if the save does not exist. */
  function recordVersion(versions: Map<string, number>, key: string, version: number) {
    versions.set(key, version)
    if (versions === versionsNow()) seen.record(key, version > 0)
  }

  const list = async (): Promise<SaveSummary[]> =>
    (await call<typeof contract.listSaves>('GET /v1/saves', {})).saves

  async function read<Data>(key: string): Promise<Save<Data> | null> {
    const versions = versionsNow()
    const save = await call<typeof contract.readSave>('GET /v1/saves/:key', { params: { key } }).catch(
      (error: unknown) => {
        if (!isSvcError(error, 'save_not_found')) throw error
        return null
      },
    )
    recordVersion(versions, key, save?.version ?? 0)
    return save as Save<Data> | null
  }

  async function get<Data = unknown>(key: string): Promise<Save<Data> | null> {
    const versions = versionsNow()
    // For an invalid key the service returns the error.
    if (seen.has(key) || !KEY.test(key) || (await list()).some((save) => save.key === key)) return read(key)
    recordVersion(versions, key, 0)
    return null
  }

  async function send(
    key: string,
    text: string,
    versions: Map<string, number>,
    ifVersion: number | null | undefined,
  ): Promise<SaveSummary> {
    requireSame(versions)
    const expected = ifVersion === undefined ? versions.get(key) : (ifVersion ?? undefined)
    const before = unanswered.get(key) ?? []
    const hash = dataHash(text)
    unanswered.set(key, [...before, hash].slice(-UNANSWERED_MAX))
    newest.set(key, hash)
    const hasVersion = expected !== undefined
    const options = {
      json: `{"data":${text}${hasVersion ? `,"ifVersion":${expected},"unanswered":[${before.join()}]` : ''}}`,
      // With a version a repeated write has no second effect.
      mayRepeat: hasVersion,
    }
    const request = { params: { key }, body: { data: null } }
    const { version, size, updatedAt } = await call<typeof contract.writeSave>(
      'PUT /v1/saves/:key',
      request,
      options,
    ).catch(async (error: unknown) => {
      if (!isSvcError(error, 'version_conflict')) throw error
      const current = await read(key)
      error.current = current
      // Our own write whose response was lost, a newer one that was faster, or the same write of another tab.
      if (current && [hash, newest.get(key)].includes(dataHash(JSON.stringify(current.data)))) return current
      throw error
    })
    unanswered.set(
      key,
      (unanswered.get(key) ?? []).filter((other) => other !== hash),
    )
    recordVersion(versions, key, Math.max(version, versions.get(key) ?? 0))
    return { key, version, size, updatedAt }
  }

  return {
    /**
     * Reads a save. Resolves with null if it does not exist.
     *
     * @example
     * const save = await svc.saves.get('slot1')
     * console.log(save?.version, save?.data) // → 1 { level: 3 }
     */
    get,

    /**
     * Writes a save: any JSON, up to 1 MiB. It never overwrites a version that this device has not seen.
     *
     * @param key 1 to 64 letters, digits, `_`, `.` and `-`.
     * @throws `version_conflict` Another device or tab wrote first. `error.current` is the newest save: merge, then put again.
     * @throws `save_too_large` The data is larger than the limit.
     * @throws `too_many_saves` The player has 100 saves.
     *
     * @example
     * const { version } = await svc.saves.put('slot1', { level: 4 })
     * console.log(version) // → 2
     */
    put: async (key: string, data: unknown, { ifVersion }: PutOptions = {}): Promise<SaveSummary> => {
      const text = JSON.stringify(data)
      if (text === undefined) throw new SvcError('invalid_request', { message: 'there is no data to save' })
      const versions = versionsNow()
      return inTurn(
        key,
        () => send(key, text, versions, ifVersion),
        ifVersion === undefined ? versions : undefined,
      )
    },

    /**
     * Lists the player's saves, without their data.
     *
     * @example
     * const saves = await svc.saves.list()
     * for (const { key, version } of saves) console.log(key, version) // → slot1 1
     */
    list,

    /**
     * Deletes a save. Resolves with false if it did not exist.
     *
     * @param query `ifVersion` deletes only that version.
     * @throws `version_conflict` The save has another version than `ifVersion`.
     *
     * @example
     * const wasThere = await svc.saves.delete('slot1')
     * console.log(wasThere) // → true
     */
    delete: (key: string, query: { ifVersion?: number } = {}): Promise<boolean> => {
      const versions = versionsNow()
      return inTurn(key, async () => {
        requireSame(versions)
        try {
          await call<typeof contract.deleteSave>('DELETE /v1/saves/:key', { params: { key }, query })
        } catch (error) {
          if (!isSvcError(error, 'save_not_found')) throw error
          return false
        } finally {
          if (versions === versionsNow()) seen.record(key, false)
          versions.delete(key)
        }
        return true
      })
    },
  }
}
