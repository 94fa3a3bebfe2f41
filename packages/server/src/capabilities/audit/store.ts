import { type Kysely, sql } from 'kysely'

import {
  type Database,
  type Queries,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'
import { insertRow, pageAfter, selectBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type EntryRow = Tables['audit_entries']
/** `action` is exact, or the part before the dot; `actor` an id or a label. */
export type Filter = {
  action?: string
  actor?: string
  target?: string
  from?: string
  to?: string
  /** Also values that keys reported; by default only if the filter names an action. */
  reported?: boolean
}
/** Entries of one environment, also those of the whole project (`env` null) if `wholeProject`. Null: all entries of the project. */
export type Scope = { env: string; wholeProject: boolean } | null
type Page = { projectId: string; before: number; limit: number }
type Head = { sequence: number; hash: string }
export type AuditStore = ReturnType<typeof createAuditStore>

/** The entries of the audit log, and the last one of each project. */
export const createAuditStore = (db: Database) => ({
  list: (page: Page, scope: Scope) => listIn(db, EVERY, page, scope),
  /** The same without the values that keys reported. */
  listShown: (page: Page, scope: Scope) => listIn(db, WITHOUT_REPORTED, page, scope),
  /** Entries of a range of numbers that pass the filter, newest first. */
  search: (
    { projectId, begin, end, limit }: { projectId: string; begin: number; end: number; limit: number },
    scope: Scope,
    { action, actor, target, from, to, reported = action !== undefined }: Filter,
  ) =>
    db.search((q) => {
      let found = q
        .selectFrom('audit_entries')
        .select(entryColumns)
        .where('projectId', '=', projectId)
        .where('sequence', '>=', begin)
        .where('sequence', '<', end)
      if (scope)
        found = found.where((e) =>
          e.or([e('env', '=', scope.env), ...(scope.wholeProject ? [e('env', 'is', null)] : [])]),
        )
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
/** As in the partial indexes: neither database uses one for an expression that differs. */
const SHOWN = sql<boolean>`(action <> 'stats.write' or substr(actor, 1, 13) <> '{"type":"key"')`
const before = (q: Kysely<Tables>, page: Page) =>
  q
    .selectFrom('audit_entries')
    .select(entryColumns)
    .where('projectId', '=', page.projectId)
    .where('sequence', '<', page.before)
    .limit(page.limit)

/** The newest entries by scope. Both parts of `withProject` use the index of environments, however few entries one of them has. */
const listsOf = (rows: typeof before) => {
  type PageOf = Page & { env: string }
  const own = (q: Kysely<Tables>, page: PageOf) =>
    rows(q, page).where('env', '=', page.env).orderBy('sequence', 'desc')
  // By `env`, too, like the index: for PostgreSQL `is null` does not make the column constant.
  const whole = (q: Kysely<Tables>, page: Page) =>
    rows(q, page).where('env', 'is', null).orderBy('env', 'desc').orderBy('sequence', 'desc')
  return {
    all: statement((q, page: Page) => rows(q, page).orderBy('sequence', 'desc')),
    own: statement(own),
    withProject: statement((q, page: PageOf) =>
      q
        .selectFrom(own(q, page).as('own'))
        .selectAll()
        .unionAll(q.selectFrom(whole(q, page).as('whole')).selectAll())
        .orderBy('sequence', 'desc')
        .limit(page.limit),
    ),
  }
}
const EVERY = listsOf(before)
const WITHOUT_REPORTED = listsOf((q, page) => before(q, page).where(SHOWN))

const listIn = (db: Database, lists: typeof EVERY, page: Page, scope: Scope) => {
  if (scope === null) return db.all(lists.all, page)
  return db.all(scope.wholeProject ? lists.withProject : lists.own, { ...page, env: scope.env })
}

const listAfter = pageAfter('audit_entries', entryColumns, ['projectId'], 'sequence')
