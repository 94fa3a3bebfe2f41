import { type Kysely, sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import {
  insertRow,
  pageAfter,
  pageBefore,
  selectBy,
  upsertRow,
} from '../../engines/database/row-statements.ts'

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
  /** Also values that keys reported; by default only if the filter names an action. */
  reported?: boolean
}
type Head = { sequence: number; hash: string }
export type AuditStore = ReturnType<typeof createAuditStore>

/** The entries of the audit log, and the last one of each project. */
export const createAuditStore = (db: Database) => ({
  list: (page: { projectId: string; before: number; limit: number }, env: string | null) =>
    env === null ? db.all(listEntries, page) : db.all(listEntriesOf, { ...page, env }),
  /** The same without the values that keys reported. */
  listShown: (page: { projectId: string; before: number; limit: number }, env: string | null) =>
    env === null ? db.all(listShown, page) : db.all(listShownOf, { ...page, env }),
  /** Entries of a range of numbers that pass the filter, newest first. */
  search: (
    projectId: string,
    { begin, end }: { begin: number; end: number },
    { env, action, actor, target, from, to, reported = action !== undefined }: Filter,
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
      if (!reported) found = found.where(SHOWN)
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
  after: (projectId: string, after: number, limit: number) => db.all(listAfter, { projectId, after, limit }),

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
const writeHead = upsertRow('audit_heads', ['projectId', 'sequence', 'hash'], ['projectId'])
const findHead = selectBy('audit_heads', ['sequence', 'hash'], ['projectId'])
const listHeads = statement((q) => q.selectFrom('audit_heads').select('projectId').orderBy('projectId'))
const findIdAt = selectBy('audit_entries', ['id'], ['projectId', 'sequence'])
const findEntry = selectBy('audit_entries', ['sequence'], ['projectId', 'id'])
const listEntries = pageBefore('audit_entries', entryColumns, ['projectId'], 'sequence')
const listEntriesOf = pageBefore('audit_entries', entryColumns, ['projectId', 'env'], 'sequence')

/** As in the partial indexes: neither database uses one for an expression that differs. */
const SHOWN = sql<boolean>`(action <> 'stats.write' or substr(actor, 1, 13) <> '{"type":"key"')`
type ShownPage = { projectId: string; before: number; limit: number }
const shown = (q: Kysely<Tables>, { projectId, before, limit }: ShownPage) =>
  q
    .selectFrom('audit_entries')
    .select(entryColumns)
    .where('projectId', '=', projectId)
    .where('sequence', '<', before)
    .where(SHOWN)
    .orderBy('sequence', 'desc')
    .limit(limit)
const listShown = statement((q, page: ShownPage) => shown(q, page))
const listShownOf = statement((q, page: ShownPage & { env: string }) =>
  shown(q, page).where('env', '=', page.env),
)
const listAfter = pageAfter('audit_entries', entryColumns, ['projectId'], 'sequence')
