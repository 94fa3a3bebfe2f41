import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type EntryRow = Tables['audit_entries']
/** `action` is exact, or the part before the dot; `actor` an id or a label. */
export type Filter = {
  env?: string
  action?: string
  actor?: string
  target?: string
  from?: string
  to?: string
}
export type Head = { sequence: number; hash: string }
export type AuditStore = ReturnType<typeof createAuditStore>

/** The entries of the audit log, and the last one of each project. */
export const createAuditStore = (db: Database) => ({
  list: (projectId: string, filter: { beforeSequence: number; env: string | null; limit: number }) =>
    filter.env === null
      ? db.all(listEntries, { projectId, beforeSequence: filter.beforeSequence, limit: filter.limit })
      : db.scan(listEntriesOf, {
          projectId,
          beforeSequence: filter.beforeSequence,
          limit: filter.limit,
          env: filter.env,
        }),
  /** Entries of a range of numbers that pass the filter, newest first. */
  search: (
    projectId: string,
    { begin, end }: { begin: number; end: number },
    { env, action, actor, target, from, to }: Filter,
    limit: number,
  ) =>
    db.search((q) => {
      let found = q
        .selectFrom('audit_entries')
        .select(entryColumns)
        .where('projectId', '=', projectId)
        .where('sequence', '>=', begin)
        .where('sequence', '<', end)
      if (env !== undefined) found = found.where('env', '=', env)
      if (action !== undefined)
        found = found.where((e) =>
          e.or([
            e('action', '=', action),
            e(sql<string>`substr(action, 1, ${sql.lit(action.length + 1)})`, '=', `${action}.`),
          ]),
        )
      // Both databases have `replace`: it changes the actor only if that contains the text.
      if (actor !== undefined)
        found = found.where((e) =>
          e.or(
            ['id', 'label'].map((field) =>
              e(
                sql<string>`replace(actor, ${`"${field}":${JSON.stringify(actor)}`}, '')`,
                '!=',
                e.ref('actor'),
              ),
            ),
          ),
        )
      if (target !== undefined) found = found.where('target', '=', target)
      if (from !== undefined) found = found.where('at', '>=', from)
      if (to !== undefined) found = found.where('at', '<', to)
      return found.orderBy('sequence', 'desc').limit(limit)
    }),
  idAt: async (projectId: string, sequence: number) =>
    (await db.first(findIdAt, { projectId, sequence }))?.id,
  sequenceOf: async (projectId: string, id: string) =>
    (await db.first(findEntry, { projectId, id }))?.sequence,
  projects: async () => (await db.all(listHeads, {})).map(({ projectId }) => projectId),
  head: (projectId: string) => db.first(findHead, { projectId }),
  after: (projectId: string, sequence: number, limit: number) =>
    db.all(listAfter, { projectId, sequence, limit }),

  in: (transaction: Transaction) => chain(transaction),
})

/** The end of one project's chain. The lock is kept until the transaction ends, so that two entries never get the same number. */
const chain = (transaction: Transaction) => ({
  async hold(projectId: string): Promise<Head | undefined> {
    await transaction.lock(`audit:${projectId}`)
    return transaction.first(findHead, { projectId })
  },
  async append(entry: EntryRow) {
    await transaction.run(insertEntry, entry)
    await setHead(transaction, entry)
  },
})

const setHead = (queries: Queries, { projectId, sequence, hash }: EntryRow) =>
  queries.run(writeHead, { projectId, sequence, hash })

const entryColumns = [
  'projectId',
  'sequence',
  'id',
  'at',
  'env',
  'actor',
  'action',
  'target',
  'details',
  'hash',
] as const

const insertEntry = insertRow('audit_entries', entryColumns)
const writeHead = statement((q, { projectId, sequence, hash }: Tables['audit_heads']) =>
  q
    .insertInto('audit_heads')
    .values({ projectId, sequence, hash })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet({ sequence, hash })),
)
const findHead = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('audit_heads').select(['sequence', 'hash']).where('projectId', '=', projectId),
)
const listHeads = statement((q) => q.selectFrom('audit_heads').select('projectId').orderBy('projectId'))
const findIdAt = statement((q, { projectId, sequence }: { projectId: string; sequence: number }) =>
  q
    .selectFrom('audit_entries')
    .select('id')
    .where((e) => e.and({ projectId, sequence })),
)
const findEntry = statement((q, { projectId, id }: { projectId: string; id: string }) =>
  q.selectFrom('audit_entries').select('sequence').where('projectId', '=', projectId).where('id', '=', id),
)

type Before = { projectId: string; beforeSequence: number; limit: number }
const listEntries = statement((q, { projectId, beforeSequence, limit }: Before) =>
  q
    .selectFrom('audit_entries')
    .select(entryColumns)
    .where('projectId', '=', projectId)
    .where('sequence', '<', beforeSequence)
    .orderBy('sequence', 'desc')
    .limit(limit),
)
const listEntriesOf = statement((q, { projectId, beforeSequence, limit, env }: Before & { env: string }) =>
  q
    .selectFrom('audit_entries')
    .select(entryColumns)
    .where('projectId', '=', projectId)
    .where('sequence', '<', beforeSequence)
    .where('env', '=', env)
    .orderBy('sequence', 'desc')
    .limit(limit),
)
const listAfter = statement(
  (q, { projectId, sequence, limit }: { projectId: string; sequence: number; limit: number }) =>
    q
      .selectFrom('audit_entries')
      .select(entryColumns)
      .where('projectId', '=', projectId)
      .where('sequence', '>', sequence)
      .orderBy('sequence')
      .limit(limit),
)
