import { type Database, type Queries, statement, type Tables } from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { insertRow } from '../../engines/database/row-statements.ts'

export type { Queries }

export type RevocationRow = Tables['revocations']
export type RevocationStore = ReturnType<typeof createRevocationStore>

/** Changes that every node must know of, also if it missed the bus message. */
export const createRevocationStore = (db: Database) => ({
  databaseNowMs: db.databaseNowMs,
  insert: (queries: Queries, row: RevocationRow) => queries.run(insertRevocation, row),
  after: (atMs: number) => db.all(listAfter, { atMs }),
  removeUpTo: (atMs: number, stopping?: AbortSignal) => removeOld(db, old, atMs, stopping),
})

const revocationColumns = ['id', 'atMs', 'kind', 'environmentId', 'subject'] as const

const insertRevocation = insertRow('revocations', revocationColumns)
const listAfter = statement((q, { atMs }: { atMs: number }) =>
  q.selectFrom('revocations').select(revocationColumns).where('atMs', '>', atMs).orderBy('atMs'),
)
const old = removalUpTo('revocations', ['atMs'])
