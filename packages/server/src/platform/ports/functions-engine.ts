import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex, Readable } from 'node:stream'

import type { Metric } from '../metrics/metrics.ts'
import type {
  FunctionLogLevel,
  FunctionLogText,
  FunctionsSpec,
  FunctionsUsage,
  StoreBinding,
} from './functions-spec.ts'
import type { RoomProcess, RoomProcessSpec } from './room-process.ts'

export type * from './functions-spec.ts'

/** A request to the code, as the gateway passes it on: its headers reach the code unchanged. */
export type FunctionRequest = {
  method: string
  /** Path and query string. */
  path: string
  /** With `host`. The gateway has removed `svc-*` and `cf-*` of the caller and added its own. */
  headers: IncomingHttpHeaders
  /** Null for none. Read only after a process is ready. */
  body: Readable | null
  /** Appears in the log lines of this request. Unique among the requests of the environment. */
  requestId: string
  /** Aborts the request when the caller has disconnected. */
  signal?: AbortSignal
}

/** Bytes that the status line and all headers of a response of the code may have together. */
export const RESPONSE_HEAD_BYTES_MAX = 64 * 1024

/** An upgrade to a WebSocket. */
export type UpgradeRequest = Omit<FunctionRequest, 'body' | 'signal'> & {
  /** The headers of the response that the caller may get: name, value, name, value …. Those of the connection are added. */
  responseHeaders(headers: IncomingHttpHeaders): readonly string[]
}

/**
 * `headers` include those of the connection. A body that has arrived with its head is a buffer. A stream fails if the process ends before
 * all of it was sent; read it to its end or destroy it.
 */
export type FunctionResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer | Readable }

/** A value that a statement takes or returns; a blob is `{ $base64 }`. */
export type SqlValue = null | boolean | number | string | { $base64: string }
/** `lastRowId` is 0 where nothing was inserted. */
export type SqlResult = {
  results: Record<string, SqlValue>[]
  meta: { rowsRead: number; rowsWritten: number; lastRowId: number; durationMs: number }
}
/** One migration. It is applied at most once per database, by its name. */
export type Migration = { name: string; sql: string }
/** Names of migrations. `failed` has at most one: those after it are not tried. `skipped` were applied before. */
export type MigrationResult = {
  applied: string[]
  failed: { name: string; error: string }[]
  skipped: string[]
}

/** `exception`: the code threw. `exceeded_cpu`, `killed`: the process was ended. */
export type ScheduledOutcome = 'ok' | 'exception' | 'no_handler' | 'exceeded_cpu' | 'killed'

/** Type and id of stored data: `className` for objects. */
export type StoredResource = { type: 'db' | 'kv' | 'files' | 'queue' | 'durable_object'; id: string }

/** Which lines of the log are read. */
export type FunctionLogQuery = { after?: string; level?: FunctionLogLevel; q?: string; limit: number }
/** A line of the log of an environment. `at` is an ISO 8601 timestamp. */
export type FunctionLogLine = FunctionLogText & {
  /** Grows with every line of the environment. */
  id: string
  at: string
}

/**
 * The functions of one environment on this node. It has at most one process: started by the first work, stopped when idle, started again
 * for a new request or a due alarm. All methods that need a process wait for it, at most 10 s.
 *
 * Methods throw `ApiError`: `functions_overloaded` (no free process, or too many waiting requests), `functions_unavailable` (the process
 * does not start, or another node still has the data), `cpu_limit_exceeded`, `memory_limit_exceeded`, `function_restarted`,
 * `function_failed`, `function_timeout`.
 */
export type Running = {
  /** Passes a request to the code. A throw of the code is a response with status 500 without its message; the stack is in the logs. */
  fetch(request: FunctionRequest): Promise<FunctionResponse>
  /** Passes a WebSocket upgrade to the code; the engine writes the response, also that of a failure, and then owns the socket. */
  upgrade(request: UpgradeRequest, socket: Duplex, head: Buffer): Promise<void>

  /**
   * Passes a call of a binding of a room on to the store of the same type and id, as a call of the code itself. Throws `binding_not_found`
   * if the live version has no store of this type. `request.headers` are those of the room's process.
   */
  fetchBinding(binding: StoreBinding, request: FunctionRequest): Promise<FunctionResponse>

  /**
   * Runs one or more statements in one transaction and returns the rows of the last. Throws `sql_error` (details.reason in SQLite's words)
   * and `result_too_large` (over 10,000 rows or 1 MiB; nothing is changed). `databaseId` is the id of the binding, not its name.
   */
  query(databaseId: string, sql: string, params: readonly SqlValue[]): Promise<SqlResult>
  /** Applies those that were not yet applied, each in a transaction with its ledger row in `table`; stops at the first failure. */
  migrate(databaseId: string, migrations: readonly Migration[], table?: string): Promise<MigrationResult>
  /** Calls the code's `scheduled`. Never throws for what the code does. */
  runScheduled(cron: string, at: Date): Promise<{ outcome: ScheduledOutcome; durationMs: number }>

  /** Returns the usage and sets it to zero. Does not start a process. */
  takeUsage(): Promise<FunctionsUsage>

  /**
   * Continues with another spec of the same `dataId`: holds new requests (at most 1,000, at most 10 s), waits up to `drainMs` for those in
   * progress, stops the process, starts the new one if the old one was running, and releases the held requests. No request fails by it.
   */
  replace(spec: FunctionsSpec, drainMs: number): Promise<void>
  /** Waits up to `drainMs` for requests in progress and ends the process. Afterwards every method throws `functions_unavailable`. */
  stop(drainMs: number): Promise<void>
  /** Like `stop`, without waiting for anything: another node may own the environment. */
  abandon(): void
}

/**
 * `none`: functions are not available here; `reason` is a sentence for the operator. `account`: whether processes have an account of
 * their own on this machine, or that of the service.
 */
export type SandboxLevel =
  | { level: 'bubblewrap' | 'uid' | 'plain'; account: 'own' | 'service' }
  | { level: 'none'; reason: string }

/** An exported class that extends `Room` of `@svc/sdk/room`. */
export type RoomClass = { className: string; tickRate: number }

/** Why code cannot start. `path` is that of the deployment's body: `$.modules[2]`, `$.bindings[0].className`, `$.mainModule`. */
export type CodeProblem = { path: string; message: string }

/** `problems` is empty if the code starts. `rooms` are the classes of rooms that its main module exports. */
export type TrialResult = { problems: CodeProblem[]; rooms: RoomClass[] }

/**
 * Runs the code of developers, one process per environment. Knows no table: the capability decides what runs (enabled, suspended, live
 * version) and on which node.
 */
export type FunctionsEngine = {
  metrics?: readonly Metric[]
  /** The newest date that `FunctionCode.compatibilityDate` may have, and the default. */
  compatibilityDate: string
  /** How well code is isolated from this machine; determined once. */
  level(): Promise<SandboxLevel>
  /** Starts a process only if an alarm or a delayed message is due; a later one starts it when it is due. */
  start(spec: FunctionsSpec): Promise<Running>
  /** Starts a process of rooms. Throws `functions_overloaded` and `functions_unavailable`. */
  startRooms(spec: RoomProcessSpec): Promise<RoomProcess>
  /** Starts the code on empty storage for at most 5 s and ends it. Nothing of the environment is touched. */
  trial(spec: FunctionsSpec): Promise<TrialResult>
  /** Bytes of each of these resources, also while nothing runs. Files include their bodies. */
  storedBytes(dataId: string, resources: readonly StoredResource[]): Promise<number[]>
  /** When the earliest alarm or delayed message is due, also while nothing runs. Null: none. */
  nextWakeAt(dataId: string): Promise<Date | null>
  /**
   * The lines after the line with id `after`, oldest first, with at least `level`, with `q` in the message or as request id;
   * without `after` the newest ones.
   */
  readLogs(dataId: string, query: FunctionLogQuery): Promise<FunctionLogLine[]>
  /** Lines of rooms that run on another node. */
  addLogs(dataId: string, lines: readonly FunctionLogText[]): void
  /** Removes data, bodies of files and logs of this id. Its `Running` must be stopped. */
  purge(dataId: string): Promise<void>
  /** Stops all, waiting up to `drainMs`. */
  close(drainMs?: number): Promise<void>
}
