import type { Compilable, Kysely, SelectQueryBuilder } from 'kysely'

import type { Metric } from '../../platform/metrics/metrics.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { Overdue } from './overdue.ts'
import type { Statement, Values } from './statement.ts'
import type { Tables } from './tables/index.ts'

export { columns, statement } from './statement.ts'
export type { Tables } from './tables/index.ts'

/**
 * A query of rows that have a player; its table is named `entry`. The capabilities that own the tables of players add columns with a
 * join, so that no other capability has to name their tables.
 */
export type PlayerRows<Row> = SelectQueryBuilder<Tables & { entry: PlayerKey }, 'entry', Row>

/** Queries, on a connection or in a transaction. */
export type Queries = {
  /** Returns the first row, or undefined. */
  first<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<Row | undefined>
  /** Returns all rows. */
  all<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<Row[]>
  /** Returns the number of rows changed. */
  run<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<number>
  /** A query that is built for this call, for searches whose shape depends on the request. */
  search<Row>(build: (queries: Kysely<Tables>) => Compilable<Row>): Promise<Row[]>
}

/** What a commit waits for. */
export type Standby = 'synchronous' | 'none' | 'unknown'

/**
 * Connections to PostgreSQL. `missing`: those that this node could not open yet. `allowed`: how many all nodes may have together;
 * undefined behind a pooler in transaction mode.
 */
export type ConnectionCounts = { perNode: number; missing: number; allowed: number | undefined }

/** An open transaction. Functions that take part in it (audit, mail, secrets) get it as an argument. */
export type Transaction = Queries & {
  /** Holds the lock `key` until the end of the transaction; waits while another transaction holds it. */
  lock(key: string): Promise<void>
}

/**
 * The database of the service. A write resolves after it is durable. A read outside a transaction never sees an uncommitted change.
 * Inside `work` await only methods of the transaction: other writers are waiting, in turn by environment (`turns.ts`). All methods throw `service_unavailable` while the
 * database cannot be used.
 */
export type Database = Queries & {
  engine: 'sqlite' | 'postgres'
  metrics?: readonly Metric[]
  /**
   * Returns all rows, for a select that may read very many: counts and sums, and lists without an index for their condition. It does not
   * delay other queries: SQLite runs it in another thread, PostgreSQL on a connection of its own. Scans run one after the other.
   */
  scan<V extends Values, Row>(statement: Statement<V, Row>, values: V): Promise<Row[]>
  /**
   * Commits when `work` resolves, and returns its result; rolls back when it throws, and rethrows. `work` may run again if the
   * transaction could not be committed, so it must have no effects outside of it.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * A transaction whose statements do not depend on each other's results: `work` sends all of them before its first `await`, and
   * PostgreSQL receives them and the commit in one message.
   */
  pipelined<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /**
   * A short transaction of work that nobody waits for, such as one step of many. One runs at a time, with a pause after it. PostgreSQL
   * has a connection for it, so that it takes none of those that requests wait for.
   */
  inBackground<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** What removals by age have left, for metrics. */
  overdue: Overdue
  /** A transaction that holds the lock `key`, so that read-decide-write is one step. */
  exclusively<T>(key: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Current Unix time in ms by the database's clock, which all nodes share; never goes back. On PostgreSQL it is the local
   * monotonic clock plus an offset that is measured every 10 s, because the two clocks drift; on SQLite it is the local one.
   */
  databaseNowMs(): number
  /**
   * Whether a commit waits for a standby, so that a failover loses nothing; `unknown` if the service does not follow a primary
   * (`target_session_attrs` in DATABASE_URL).
   */
  standby(): Standby
  /** Undefined on SQLite, which needs none. */
  connectionCounts?(): Promise<ConnectionCounts>
  /** Throws `service_unavailable` if the database does not answer. */
  ping(): Promise<void>
  /** Makes a durable write that changes no data; throws `service_unavailable` if that fails. */
  requireWritable(): Promise<void>
  /** Waits for writes that were accepted, and rejects later ones. */
  close(): Promise<void>
}
