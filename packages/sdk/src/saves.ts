import type * as contract from '@svc/contract/saves'

import { isSvcError, SvcError } from './errors.ts'
import type { Call } from './http.ts'
import type { SeenSaves } from './seen-saves.ts'

/** A save without its data. */
export type SaveSummary = contract.SaveSummary
/** A save with its data. */
export type Save<Data = unknown> = SaveSummary & { data: Data }
/** How a save is written. */
export type PutOptions = {
  /** Instead of the version that was last read or written here; null: over whatever is there. */
  ifVersion?: number | null
}

/** As the service accepts them. */
const KEY = /^(?!\.\.?$)[\w.-]{1,64}$/

/** `svc.saves`. */
export type Saves = ReturnType<typeof createSaves>

/**
 * Cloud saves. The versions seen here are remembered, so that nobody's changes are overwritten unseen; 0 means that there was
 * no such save. Another player has other versions, and is not given what the one before had still to save.
 */
export function createSaves(call: Call, versionsNow: () => Map<string, number>, seen: SeenSaves) {
  const inFlight = new Map<string, Promise<unknown>>()

  /** Writes of one save go one after the other, each with the version of the one before. */
  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (inFlight.get(key) ?? Promise.resolve()).then(work, work)
    const settled = turn.catch(() => {})
    inFlight.set(key, settled)
    void settled.then(() => inFlight.get(key) === settled && inFlight.delete(key))
    return turn
  }

  function requireSame(versions: Map<string, number>) {
    if (versions !== versionsNow()) throw new SvcError('signed_out')
  }

  /** 0: there is no such save. */
  function learn(versions: Map<string, number>, key: string, version: number) {
    versions.set(key, version)
    if (versions === versionsNow()) seen.note(key, version > 0)
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
    learn(versions, key, save?.version ?? 0)
    return save as Save<Data> | null
  }

  async function get<Data = unknown>(key: string): Promise<Save<Data> | null> {
    const versions = versionsNow()
    // A key that no save can have is refused by the service, in its own words.
    if (seen.has(key) || !KEY.test(key) || (await list()).some((save) => save.key === key)) return read(key)
    learn(versions, key, 0)
    return null
  }

  async function write(
    key: string,
    data: unknown,
    ifVersion: number | undefined,
    versions: Map<string, number>,
  ): Promise<SaveSummary> {
    const body = { data, ...(ifVersion !== undefined && { ifVersion }) }
    const put = async () => {
      requireSame(versions)
      return call<typeof contract.writeSave>('PUT /v1/saves/:key', { params: { key }, body })
    }
    try {
      // Written twice is written once, where the version says over which one.
      return await put().catch((error: unknown) => {
        if (ifVersion === undefined || !isSvcError(error, 'network_error')) throw error
        return put()
      })
    } catch (error) {
      if (!isSvcError(error, 'version_conflict')) throw error
      const current = await read(key)
      // Our own write whose answer got lost, or the same one of another tab.
      if (current && JSON.stringify(current.data) === JSON.stringify(data)) return current
      error.current = current
      throw error
    }
  }

  return {
    /** Null if the save does not exist. */
    get,

    /** Over the version known here; when that is no longer the newest: `version_conflict`, with the newest in `.current`. */
    put: (key: string, data: unknown, { ifVersion }: PutOptions = {}): Promise<SaveSummary> => {
      const versions = versionsNow()
      return inTurn(key, async () => {
        if (data === undefined) throw new SvcError('invalid_request', { message: 'there is no data to save' })
        const over = ifVersion === undefined ? versions.get(key) : (ifVersion ?? undefined)
        const { version, size, updatedAt } = await write(key, data, over, versions)
        learn(versions, key, version)
        return { key, version, size, updatedAt }
      })
    },

    list,

    /** False: there was nothing to delete. */
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
          if (versions === versionsNow()) seen.note(key, false)
          versions.delete(key)
        }
        return true
      })
    },
  }
}
