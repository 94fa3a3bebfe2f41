import {
  type Database,
  type Queries,
  type Tables,
  type Transaction,
  statement,
} from '../../engines/database/database.ts'
import { deleteBy, insertNew, pageAfter, selectBy, upsertRow } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'
export type SecretStore = ReturnType<typeof createSecretStore>
export type SecretRow = Tables['secrets']

const PAGE_ROWS = 200

const find = selectBy('secrets', ['sealed'], ['id'])

const insertIfNone = insertNew('secrets', ['id', 'sealed', 'updatedAt'], ['id'])

const write = upsertRow('secrets', ['id', 'sealed', 'updatedAt'], ['id'])

const remove = deleteBy('secrets', ['id'])

const removeRange = statement((q, { from, before }: { from: string; before: string }) =>
  q.deleteFrom('secrets').where('id', '>=', from).where('id', '<', before),
)

const page = pageAfter('secrets', ['id', 'sealed'], [], 'id')

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
      const rows: { id: string; sealed: string }[] = await db.all(page, { after, limit: PAGE_ROWS })
      yield* rows
      after = rows.at(-1)?.id
    }
  },

  /** Returns false if another writer has changed the row; its value stays. */
  exchange: async (id: string, from: string, to: string) => (await db.run(exchange, { id, from, to })) === 1,
})
