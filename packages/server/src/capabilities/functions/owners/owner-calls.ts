import type {
  FunctionLogQuery,
  FunctionLogText,
  FunctionsEngine,
  Migration,
  Running,
  SqlValue,
} from '../../../platform/ports/functions-engine.ts'

type Engine = Pick<FunctionsEngine, 'readLogs' | 'addLogs'>

/** What only the owner of an environment can do. It does so for itself and, by the name of the call, for the other nodes. */
export const OWNER_CALLS = {
  query: (running: Running, { databaseId, sql, params }: QueryArgs) => running.query(databaseId, sql, params),
  migrate: (running: Running, { databaseId, migrations, table }: MigrateArgs) =>
    running.migrate(databaseId, migrations, table),
  scheduled: (running: Running, { cron, at }: { cron: string; at: string }) =>
    running.runScheduled(cron, new Date(at)),
  logs: (_running: Running, { dataId, query }: { dataId: string; query: FunctionLogQuery }, engine: Engine) =>
    engine.readLogs(dataId, query),
  /** Lines of rooms, which may run on any node. */
  log: async (_running: Running, { dataId, lines }: LogArgs, engine: Engine) => engine.addLogs(dataId, lines),
}

type LogArgs = { dataId: string; lines: readonly FunctionLogText[] }
type QueryArgs = { databaseId: string; sql: string; params: SqlValue[] }
type MigrateArgs = { databaseId: string; migrations: Migration[]; table?: string }

type OwnerCalls = typeof OWNER_CALLS
export type OwnerCall = keyof OwnerCalls
export type ArgumentsOf<Name extends OwnerCall> = Parameters<OwnerCalls[Name]>[1]
export type ResultOf<Name extends OwnerCall> = Awaited<ReturnType<OwnerCalls[Name]>>

export const isOwnerCall = (name: string): name is OwnerCall => Object.hasOwn(OWNER_CALLS, name)
