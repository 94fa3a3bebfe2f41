import { sql } from 'kysely'

import { type Database, type Queries, statement, type Tables } from '../../engines/database/database.ts'
import { deleteBy, insertRow, updateBy } from '../../engines/database/row-statements.ts'

type BlobRow = Tables['hosting_blobs']
export type StoredBlob = Pick<BlobRow, 'key' | 'sha256' | 'size' | 'brSize' | 'gzSize'>
export type BlobStore = ReturnType<typeof createBlobStore>

/** The blobs of projects, and when their unused ones are removed. */
export const createBlobStore = (db: Database) => ({ ...blobRows(db), in: blobRows })

/** SQLite accepts 32,766 values per statement, and a statement of another length has to be prepared again. */
const HASHES_PER_QUERY = 500
const REMOVALS_PER_TURN = 500

type Sweep = { projectId: string; sweepAt: string | null }

/** The rows of the blobs. Every statement contains the project, except those of the sweeper. */
function blobRows(queries: Queries) {
  return {
    insert: (blob: BlobRow) => queries.run(insertBlob, blob),
    setStored: (key: string, size: number, changedAt: string) =>
      queries.run(setStored, { key, size, changedAt }),
    setRemoving: (key: string) => queries.run(setRemoving, { key }),
    /** False if the blob no longer exists. */
    setCopies: async (key: string, brSize: number, gzSize: number) =>
      (await queries.run(setCopies, { key, brSize, gzSize })) === 1,
    forget: (key: string) => queries.run(deleteBlobRow, { key }),

    /** The completely stored blobs, by hash. */
    async stored(projectId: string, hashes: Iterable<string>): Promise<Map<string, StoredBlob>> {
      const wanted = [...new Set(hashes)]
      const found = new Map<string, StoredBlob>()
      for (let from = 0; from < wanted.length; from += HASHES_PER_QUERY) {
        const some = wanted.slice(from, from + HASHES_PER_QUERY)
        for (const blob of await queries.search((q) =>
          q
            .selectFrom('hosting_blobs')
            .select(['key', 'sha256', 'size', 'brSize', 'gzSize'])
            .where('projectId', '=', projectId)
            .where('sha256', 'in', some)
            .where('state', '=', 'stored'),
        )) {
          found.set(blob.sha256, blob)
        }
      }
      return found
    },

    /** Blobs that were not changed since `before`, so that no request is still using them. */
    unchangedSince: (projectId: string, before: string) => queries.all(listSettled, { projectId, before }),
    oldestSince: async (projectId: string, since: string) =>
      (await queries.first(findOldest, { projectId, since }))?.changedAt,
    removing: () => queries.all(listRemoving, {}),

    /** An earlier time is never replaced by a later one. */
    scheduleSweep: (projectId: string, sweepAt: string) => queries.run(scheduleSweep, { projectId, sweepAt }),
    setSweep: (sweep: Sweep) => queries.run(setSweep, sweep),
    dueForSweep: (now: string) => queries.all(listDue, { now }),
    /** Deletes the rows of projects without a scheduled sweep and without a suspension. */
    deleteIdleProjectRows: () => queries.run(deleteIdleProjectRows, {}),
    /** The next sweep removes all blobs of the project, including new ones. */
    expireAll: (projectId: string) => queries.run(expireAll, { projectId }),
  }
}

const insertBlob = insertRow('hosting_blobs', [
  'key',
  'projectId',
  'sha256',
  'size',
  'state',
  'changedAt',
  'brSize',
  'gzSize',
])
const setStored = statement((q, { key, size, changedAt }: { key: string; size: number; changedAt: string }) =>
  q
    .updateTable('hosting_blobs')
    .set({ state: sql.lit('stored'), size, changedAt })
    .where('key', '=', key),
)
const setRemoving = statement((q, { key }: { key: string }) =>
  q
    .updateTable('hosting_blobs')
    .set({ state: sql.lit('removing') })
    .where('key', '=', key),
)
const setCopies = statement((q, { key, brSize, gzSize }: { key: string; brSize: number; gzSize: number }) =>
  q
    .updateTable('hosting_blobs')
    .set({ brSize, gzSize })
    .where('key', '=', key)
    .where('state', '=', sql.lit('stored')),
)
const deleteBlobRow = deleteBy('hosting_blobs', ['key'])
const listSettled = statement((q, { projectId, before }: { projectId: string; before: string }) =>
  q
    .selectFrom('hosting_blobs')
    .select(['key', 'sha256', 'state'])
    .where('projectId', '=', projectId)
    .where('changedAt', '<=', before)
    .where('state', '<>', sql.lit('removing')),
)
const findOldest = statement((q, { projectId, since }: { projectId: string; since: string }) =>
  q
    .selectFrom('hosting_blobs')
    .select('changedAt')
    .where('projectId', '=', projectId)
    .where('changedAt', '>', since)
    .orderBy('changedAt')
    .limit(sql.lit(1)),
)
const listRemoving = statement((q) =>
  q
    .selectFrom('hosting_blobs')
    .select('key')
    .where('state', '=', sql.lit('removing'))
    .limit(sql.lit(REMOVALS_PER_TURN)),
)

const scheduleSweep = statement((q, { projectId, sweepAt }: { projectId: string; sweepAt: string }) =>
  q
    .insertInto('hosting_projects')
    .values({ projectId, sweepAt, suspendedAt: null })
    .onConflict((conflict) =>
      conflict
        .column('projectId')
        .doUpdateSet({ sweepAt })
        .where((e) =>
          e.or([e('hosting_projects.sweepAt', 'is', null), e('hosting_projects.sweepAt', '>', sweepAt)]),
        ),
    ),
)
const setSweep = updateBy('hosting_projects', ['sweepAt'], ['projectId'])
const listDue = statement((q, { now }: { now: string }) =>
  q
    .selectFrom('hosting_projects')
    .select('projectId')
    .where('sweepAt', '<=', now)
    .orderBy('sweepAt')
    .limit(sql.lit(100)),
)
const deleteIdleProjectRows = statement((q) =>
  q.deleteFrom('hosting_projects').where('sweepAt', 'is', null).where('suspendedAt', 'is', null),
)
const expireAll = statement((q, { projectId }: { projectId: string }) =>
  q
    .updateTable('hosting_blobs')
    .set({ changedAt: sql.lit('') })
    .where('projectId', '=', projectId),
)
