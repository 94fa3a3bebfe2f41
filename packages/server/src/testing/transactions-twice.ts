import type { Database, Queries, Transaction } from '../engines/database/database.ts'

/**
 * Runs every callback of a transaction twice and rolls the first run back, as both engines may do: PostgreSQL after a deadlock, SQLite
 * when a statement of a neighbour fails. A callback with an effect outside of its transaction then has it twice, and a test fails.
 */
export function runTransactionsTwice(db: Database): Database {
  const rehearse = (run: Database['transaction'], work: (transaction: Transaction) => Promise<unknown>) =>
    run(async (transaction) => {
      await work(transaction)
      throw new Error('rolled back on purpose')
      // What fails here fails again below.
    }).catch(() => {})

  return {
    ...db,
    async transaction(work) {
      await rehearse(db.transaction, work)
      return db.transaction(work)
    },
    async exclusively(key, work) {
      await rehearse((again) => db.exclusively(key, again), work)
      return db.exclusively(key, work)
    },
    async pipelined<T>(work: (queries: Queries) => Promise<T>) {
      await rehearse(db.transaction, work)
      return db.pipelined(work)
    },
  }
}
