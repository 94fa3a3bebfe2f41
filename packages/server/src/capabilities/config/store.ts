import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { deleteBy, insertRow, pageBefore, selectBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type ConfigStore = ReturnType<typeof createConfigStore>
export type Versions = ReturnType<typeof versions>
type NewVersion = Omit<Tables['config_versions'], 'environmentId'>

type OfEnvironment = { environmentId: string }

/** The highest version above `version`, if there is one. */
const findNewer = statement((q, { environmentId, version }: OfEnvironment & { version: number }) =>
  q
    .selectFrom('config_versions')
    .select(['version', 'document', 'updatedAt'])
    .where('environmentId', '=', environmentId)
    .where('version', '>', version)
    .orderBy('version', 'desc')
    .limit(sql.lit(1)),
)

const find = selectBy(
  'config_versions',
  ['version', 'document', 'updatedAt', 'actor'],
  ['environmentId', 'version'],
)

/** Without the documents, which may be large. */
const list = pageBefore('config_versions', ['version', 'updatedAt', 'actor'], ['environmentId'], 'version')

const insert = insertRow('config_versions', ['environmentId', 'version', 'document', 'updatedAt', 'actor'])

const removeUpTo = statement((q, { environmentId, version }: OfEnvironment & { version: number }) =>
  q.deleteFrom('config_versions').where('environmentId', '=', environmentId).where('version', '<=', version),
)

const removeAll = deleteBy('config_versions', ['environmentId'])

/** All versions of the config of each environment. */
export const createConfigStore = (db: Database) => ({
  of: (environmentId: string) => versions(db, environmentId),
  in: versions,
  /** Pushes to one environment are serialized, so that each version is one higher than the previous one. */
  change: <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    db.exclusively(`config:${environmentId}`, work),
})

/** The versions of one environment; no query of this file can reach another's. */
function versions(queries: Queries, environmentId: string) {
  return {
    newerThan: (version: number) => queries.first(findNewer, { environmentId, version }),
    find: (version: number) => queries.first(find, { environmentId, version }),
    list: (before: number, limit: number) => queries.all(list, { environmentId, before, limit }),
    insert: (version: NewVersion) => queries.run(insert, { environmentId, ...version }),
    removeUpTo: (version: number) => queries.run(removeUpTo, { environmentId, version }),
    removeAll: () => queries.run(removeAll, { environmentId }),
  }
}
