import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type pg from 'pg'

import { sha256 } from '../../../platform/crypto.ts'
import type { Queries } from '../database.ts'
import { prepare, type Prepared, type Statement, type Values } from '../statement.ts'
import type { Tables } from '../tables/index.ts'
import type { Answer } from './statement-query.ts'

/** Kysely only builds the SQL; this file sends it. */
const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

type Plan = Prepared & { name: string }
const plans = new WeakMap<object, Plan>()

function planOf<V extends Values, Row>(statement: Statement<V, Row>): Plan {
  const known = plans.get(statement)
  if (known) return known
  const prepared = prepare(compiler, statement)
  // PostgreSQL plans a named statement once per connection.
  const plan = { ...prepared, name: `svc_${sha256(prepared.sql).slice(0, 24)}` }
  plans.set(statement, plan)
  return plan
}

export type Send = (query: pg.QueryConfig, isWrite: boolean) => Promise<Answer>

export function queriesOver(send: Send): Queries {
  const run = <V extends Values, Row>(statement: Statement<V, Row>, values: V) => {
    const { name, sql, bind, writes } = planOf(statement)
    return send({ name, text: sql, values: bind(values) }, writes)
  }

  return {
    first: async (statement, values) => (await run(statement, values)).rows[0],
    all: async (statement, values) => (await run(statement, values)).rows,
    run: async (statement, values) => (await run(statement, values)).rowCount,
    async search<Row>(build: Parameters<Queries['search']>[0]) {
      const { sql, parameters, query } = build(compiler).compile()
      const { rows } = await send({ text: sql, values: [...parameters] }, query.kind !== 'SelectQueryNode')
      return rows as Row[]
    },
  }
}

/** Advisory lock: other transactions with the same key wait until this one has ended. */
export const lockQuery = (key: string): pg.QueryConfig => ({
  name: 'svc_lock',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  values: [key],
})

/** For sessions that are shared with others: until the end of the transaction. */
export const localTimeoutQuery = (timeoutMs: number): pg.QueryConfig => ({
  text: `set local statement_timeout = ${timeoutMs}`,
})

/**
 * Writes of one tick commit one by one without waiting for the disk, then this record is flushed, and with it everything before it in
 * the log (on a synchronous standby, too); only then do the writes resolve. A commit that is flushed takes 125 to 230 µs of CPU, one
 * that is not 95. One transaction for all of them would take less, but would hold their locks together and so deadlock.
 */
export const COMMIT_WITHOUT_FLUSH = `select set_config('svc.synchronous_commit', current_setting('synchronous_commit'), false),
  set_config('synchronous_commit', 'off', false)`
export const FLUSH: pg.QueryConfig = {
  name: 'svc_flush',
  text: `select set_config('synchronous_commit', current_setting('svc.synchronous_commit'), true),
    pg_logical_emit_message(true, 'svc', '')`,
}

/** A WAL record that is committed like any write but changes no row. It fails on a standby or read-only database. */
export const PROBE: pg.QueryConfig = {
  name: 'svc_probe',
  text: `select pg_logical_emit_message(true, 'svc', '') where current_setting('transaction_read_only') = 'off'`,
}
