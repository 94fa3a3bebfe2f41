import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

import type { Database, Tables } from '../engines/database/database.ts'
import { prepare } from '../engines/database/statement.ts'

/** Builds the SQL of an engine, and sends none. */
export function compilerOf(engine: Database['engine']): Kysely<Tables> {
  const dialect =
    engine === 'sqlite'
      ? {
          createAdapter: () => new SqliteAdapter(),
          createQueryCompiler: () => new SqliteQueryCompiler(),
          createIntrospector: (k: never) => new SqliteIntrospector(k),
        }
      : {
          createAdapter: () => new PostgresAdapter(),
          createQueryCompiler: () => new PostgresQueryCompiler(),
          createIntrospector: (k: never) => new PostgresIntrospector(k),
        }
  return new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } as never })
}

/** All reads that `work` sends, as text with their values, so that a test can ask for their plan. */
export async function sentBy(db: Database, work: (db: Database) => Promise<unknown>) {
  const sent: { sql: string; values: unknown[] }[] = []
  const compiler = compilerOf(db.engine)
  const note = (statement: never, values: never) => {
    const { sql, bind } = prepare(compiler, statement)
    sent.push({ sql, values: bind(values) })
  }
  const recording = {
    ...db,
    first: (statement: never, values: never) => (note(statement, values), db.first(statement, values)),
    all: (statement: never, values: never) => (note(statement, values), db.all(statement, values)),
  }
  await work(recording as Database)
  return sent
}
