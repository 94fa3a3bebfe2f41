import type { Compilable, Kysely } from 'kysely'

import type { Statement, Values } from './statement.ts'
import type { Tables } from './tables.ts'

export { columns, statement } from './statement.ts'
export type { Tables } from './tables.ts'

/** A connection or a transaction: what reads and writes does not care which. */
export type Queries = {
  first<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<Row | undefined>
  all<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<Row[]>
  /** The number of rows changed. */
  run<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<number>
  /** A query built for this one call: the developer's searches, whose shape depends on what is asked. */
  search<Row>(build: (queries: Kysely<Tables>) => Compilable<Row>): Promise<Row[]>
}

/** A change under way. Whoever must be part of it (audit, mail, secrets) is handed it. */
export type Transaction = Queries & {
  /** From here to the end of the transaction no other holder of `key` runs. */
  lock(key: string): Promise<void>
}

/**
 * A write is answered after it is durable. A read outside a transaction never sees an open one.
 * Inside `work` only await the transaction's own methods: other writers are waiting.
 */
export type Database = Queries & {
  engine: 'sqlite' | 'postgres'
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * A transaction whose statements need nothing of each other's answers: `work` sends all of them before it waits for any, and
   * PostgreSQL gets them, and the commit, in one message.
   */
  pipelined<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Runs `work` while no other holder of `key` does, so that read-decide-write is one step. */
  exclusively<T>(key: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Real time as every node of the service sees it: by the database's clock, which they share. */
  databaseNowMs(): number
  /** Answers when the database does; throws `service_unavailable` when it does not. */
  ping(): Promise<void>
  /** Makes a durable write that changes nothing; throws `service_unavailable` while writes cannot be made. */
  requireWritable(): Promise<void>
  close(): Promise<void>
}
