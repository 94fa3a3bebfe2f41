import { type Expression, type Kysely, sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { changePlayer } from '../../engines/database/player-changes.ts'
import { deleteBy, upsertRow } from '../../engines/database/row-statements.ts'
import type { Statement } from '../../engines/database/statement.ts'
import type { PlayerKey } from '../../platform/player.ts'

export type { Transaction }

export type SaveStore = ReturnType<typeof createSaveStore>
export type PlayerSaves = ReturnType<typeof savesOf>
export type NewSave = { key: string; size: number; updatedAt: string; data: string }

/** Selects a row if the player exists and is not banned at that time. */
type SelectMayWrite = (q: Kysely<Tables>, player: PlayerKey & { now: string }) => Expression<unknown>
type OneSave = PlayerKey & { key: string }
/** Null: any version. */
type IfVersion = { ifVersion: number | null }
type Overwrite = PlayerKey & NewSave & IfVersion

/** The key of the row for merged deletions; no save can have this key. */
const MERGED = ''

/** Cloud saves. A deleted save keeps its row, so that no version is used twice. */
export const createSaveStore = (db: Database, selectMayWrite: SelectMayWrite) => {
  const overwriteUnlessBanned = statement((q, values: Overwrite) => {
    const { environmentId, playerId, updatedAt: now } = values
    return updateSave(q, values).where((e) => e.exists(selectMayWrite(q, { environmentId, playerId, now })))
  })
  return {
    /**
     * Like `overwrite`; also undefined if the player is banned or was deleted. Every write of a player except the first of a key is this
     * one statement.
     */
    overwriteUnlessBanned: (player: PlayerKey, save: NewSave, ifVersion: number | undefined) =>
      overwrite(db, overwriteUnlessBanned, player, save, ifVersion),
    of: (environmentId: string, playerId: string) => savesOf(db, { environmentId, playerId }),
    find: (environmentId: string, playerId: string, key: string) =>
      db.first(findSave, { environmentId, playerId, key }),

    /**
     * Serializes creating and deleting saves of a player, also with the deletion of the player: it takes the lock of all changes of
     * the player. Overwriting a save takes no lock.
     */
    change: <T>(
      environmentId: string,
      playerId: string,
      work: (saves: PlayerSaves, transaction: Transaction) => Promise<T>,
    ) =>
      changePlayer(db)(environmentId, playerId, (transaction) =>
        work(savesOf(transaction, { environmentId, playerId }), transaction),
      ),

    hasAny: async (transaction: Transaction, environmentId: string, playerId: string) =>
      (await savesOf(transaction, { environmentId, playerId }).count()) > 0,
    removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
      transaction.run(removeOfPlayer, { environmentId, playerId }),
  }
}

/** The saves of one player; no query of this file can reach another player's. */
function savesOf(queries: Queries, player: PlayerKey) {
  return {
    /** 0 if there is no such save. */
    version: async (key: string) => (await queries.first(findVersion, { ...player, key }))?.version ?? 0,
    find: (key: string) => queries.first(findSave, { ...player, key }),
    list: () => queries.all(listSaves, player),
    listWithData: () => queries.all(listWithData, player),
    count: async () => (await queries.first(countSaves, player))?.count ?? 0,

    /** Returns the new version; undefined if there is no such save, or not in that version. */
    overwrite: (save: NewSave, ifVersion: number | undefined) =>
      overwrite(queries, overwriteSave, player, save, ifVersion),

    /** Creates a save that does not exist; its version continues after that of a deleted save. */
    async create(save: NewSave): Promise<number> {
      const deleted = await queries.first(findDeletedVersion, { ...player, key: save.key, merged: MERGED })
      const version = (deleted?.version ?? 0) + 1
      await queries.run(putRow, { ...player, ...save, version })
      return version
    },

    /** Deletes the data and keeps the version. False if there is no such save, or not in that version. */
    softDelete: async (key: string, updatedAt: string, ifVersion: number | undefined) =>
      (await queries.run(softDeleteSave, { ...player, key, updatedAt, ifVersion: ifVersion ?? null })) === 1,

    /** Merges all deletions into one row if there are more than `max`. */
    async mergeDeletions(max: number, updatedAt: string): Promise<void> {
      const deletions = await queries.first(countDeletions, player)
      if (!deletions || deletions.count <= max) return
      const { version } = deletions
      await queries.run(removeDeletions, player)
      await queries.run(putRow, { ...player, key: MERGED, version, size: 0, updatedAt, data: null })
    },
  }
}

async function overwrite(
  queries: Queries,
  by: Statement<Overwrite, { version: number }>,
  { environmentId, playerId }: PlayerKey,
  { key, size, updatedAt, data }: NewSave,
  ifVersion: number | undefined,
): Promise<number | undefined> {
  // No save has such a version, and PostgreSQL rejects a number that it cannot store.
  if (ifVersion !== undefined && !Number.isSafeInteger(ifVersion)) return undefined
  const values = { environmentId, playerId, key, size, updatedAt, data, ifVersion: ifVersion ?? null }
  return (await queries.first(by, values))?.version
}

const summary = ['key', 'version', 'size', 'updatedAt'] as const

/** Without the rows of deleted saves. */
const current = (q: Kysely<Tables>, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('saves')
    .where((e) => e.and({ environmentId, playerId }))
    .where('data', 'is not', null)

const findSave = statement((q, save: OneSave) =>
  current(q, save)
    .select(['version', 'size', 'updatedAt', 'data'])
    .where('key', '=', save.key)
    .$narrowType<{ data: string }>(),
)
const findVersion = statement((q, save: OneSave) =>
  current(q, save).select('version').where('key', '=', save.key),
)
const listSaves = statement((q, player: PlayerKey) => current(q, player).select(summary).orderBy('key'))
const listWithData = statement((q, player: PlayerKey) =>
  current(q, player)
    .select([...summary, 'data'])
    .orderBy('key')
    .$narrowType<{ data: string }>(),
)
const countSaves = statement((q, player: PlayerKey) =>
  current(q, player).select((e) => e.fn.countAll<number>().as('count')),
)

const updateSave = (
  q: Kysely<Tables>,
  { environmentId, playerId, key, size, updatedAt, data, ifVersion }: Overwrite,
) =>
  q
    .updateTable('saves')
    .set((e) => ({ version: e('version', '+', sql.lit(1)), size, updatedAt, data }))
    .where((e) => e.and({ environmentId, playerId, key }))
    .where('data', 'is not', null)
    .where('version', '=', (e) => e.fn.coalesce(e.val(ifVersion), 'version'))
    .returning('version')
const overwriteSave = statement(updateSave)

/** The version of the key's deletion, or of the merged row: the empty key sorts before all others. */
const findDeletedVersion = statement(
  (q, { environmentId, playerId, key, merged }: OneSave & { merged: string }) =>
    q
      .selectFrom('saves')
      .select('version')
      .where((e) => e.and({ environmentId, playerId }))
      .where('key', 'in', [key, merged])
      .orderBy('key', 'desc')
      .limit(sql.lit(1)),
)
const putRow = upsertRow(
  'saves',
  ['environmentId', 'playerId', ...summary, 'data'],
  ['environmentId', 'playerId', 'key'],
)
const softDeleteSave = statement(
  (q, { environmentId, playerId, key, updatedAt, ifVersion }: OneSave & IfVersion & { updatedAt: string }) =>
    q
      .updateTable('saves')
      .set({ data: null, size: sql.lit(0), updatedAt })
      .where((e) => e.and({ environmentId, playerId, key }))
      .where('data', 'is not', null)
      .where('version', '=', (e) => e.fn.coalesce(e.val(ifVersion), 'version')),
)
const countDeletions = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('saves')
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.max('version').as('version')])
    .where((e) => e.and({ environmentId, playerId, data: null })),
)
const removeDeletions = statement((q, { environmentId, playerId }: PlayerKey) =>
  q.deleteFrom('saves').where((e) => e.and({ environmentId, playerId, data: null })),
)

const removeOfPlayer = deleteBy('saves', ['environmentId', 'playerId'])
