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

import type { Database } from '../engines/database/database.ts'
import { prepare } from '../engines/database/statement.ts'

/** All reads that `work` sends, as text with their values, so that a test can ask for their plan. */
export async function sentBy(db: Database, work: (db: Database) => Promise<unknown>) {
  const sent: { sql: string; values: unknown[] }[] = []
  const dialect =
    db.engine === 'sqlite'
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
  const compiler = new Kysely<never>({
    dialect: { ...dialect, createDriver: () => new DummyDriver() } as never,
  })
  const note = (statement: never, values: never) => {
    const { sql, bind } = prepare(compiler as never, statement)
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
