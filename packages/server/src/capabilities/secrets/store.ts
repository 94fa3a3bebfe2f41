import { sql } from 'kysely'

import {
  type Database,
  type Queries,
  type Tables,
  type Transaction,
  columns,
  statement,
} from '../../engines/database/database.ts'
import { deleteBy } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'
export type SecretStore = ReturnType<typeof createSecretStore>
export type SecretRow = Tables['secrets']

const PAGE_ROWS = 200

const find = statement((q, { id }: { id: string }) =>
  q.selectFrom('secrets').select('sealed').where('id', '=', id),
)

const insertIfNone = statement((q, row: SecretRow) =>
  q
    .insertInto('secrets')
    .values(columns(row, ['id', 'sealed', 'updatedAt']))
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

const write = statement((q, row: SecretRow) =>
  q
    .insertInto('secrets')
    .values(columns(row, ['id', 'sealed', 'updatedAt']))
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns(row, ['sealed', 'updatedAt']))),
)

const remove = deleteBy('secrets', ['id'])

const removeRange = statement((q, { from, before }: { from: string; before: string }) =>
  q.deleteFrom('secrets').where('id', '>=', from).where('id', '<', before),
)

const page = statement((q, { after }: { after: string }) =>
  q
    .selectFrom('secrets')
    .select(['id', 'sealed'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(sql.lit(PAGE_ROWS)),
)

const exchange = statement((q, { id, from, to }: { id: string; from: string; to: string }) =>
  q.updateTable('secrets').set({ sealed: to }).where('id', '=', id).where('sealed', '=', from),
)

/** Encrypted secrets, by name. */
export const createSecretStore = (db: Database) => ({
  find: async (id: string, queries: Queries = db) => (await queries.first(find, { id }))?.sealed,
  insertIfNone: (row: SecretRow) => db.run(insertIfNone, row),
  write: (transaction: Transaction, row: SecretRow) => transaction.run(write, row),
  remove: (transaction: Transaction, id: string) => transaction.run(remove, { id }),
  removeRange: (from: string, before: string) => db.run(removeRange, { from, before }),

  /** Yields every row once; rows that are inserted in the meantime may be left out. */
  async *walk() {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: { id: string; sealed: string }[] = await db.all(page, { after })
      yield* rows
      after = rows.at(-1)?.id
    }
  },

  /** Returns false if another writer has changed the row; its value stays. */
  exchange: async (id: string, from: string, to: string) => (await db.run(exchange, { id, from, to })) === 1,
})
