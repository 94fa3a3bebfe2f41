import type { IncomingMessage, ServerResponse } from 'node:http'

/** A module of a deployment, decoded. The engine trusts names and sizes: the capability has checked them. */
export type FunctionModule = {
  name: string
  type: 'esm' | 'cjs' | 'text' | 'data' | 'json' | 'wasm'
  content: Buffer
}

/** How a queue is delivered to the default export's `queue`; every field is set. */
export type QueueConsumer = {
  maxBatchSize: number
  maxBatchTimeoutSeconds: number
  maxRetries: number
  retryDelaySeconds: number
  deadLetterQueue: string | null
}

/** A binding with its own names only (no aliases) and with every default set. Data belongs to type and id, never to the code. */
export type FunctionBinding =
  | { type: 'db' | 'kv' | 'files'; name: string; id: string }
  | { type: 'queue'; name: string; queue: string; consumer: QueueConsumer | null }
  | { type: 'durable_object'; name: string; className: string }
  /** The files of the version. */
  | { type: 'assets'; name: string }
  /** The code itself; without `entrypoint`, its default export. */
  | { type: 'service'; name: string; entrypoint?: string }

/** A binding whose data is with the process of functions: rooms reach it through that process. */
export type StoreBinding = Extract<FunctionBinding, { type: 'db' | 'kv' | 'files' | 'queue' }>

/** A static file of a version. `type` is the value of `Content-Type`. */
export type FunctionAsset = { path: string; type: string; etag: string; content: Buffer }
/** Changes the headers of responses with files: first it removes some, then it adds some. `from` has `*` and `:placeholders`. */
export type HeaderRule = { from: string; remove: string[]; add: [name: string, value: string][] }
/** `to` is a path, or a URL, with `:splat` for `*`. Status 200: the file at `to` is the response. */
export type RedirectRule = { from: string; to: string; status: number }
/** Static files, and when they are served. Every field is set. */
export type FunctionAssets = {
  files: readonly FunctionAsset[]
  notFoundHandling: 'none' | '404-page' | 'single-page-application'
  htmlHandling: 'auto-trailing-slash' | 'force-trailing-slash' | 'drop-trailing-slash' | 'none'
  /** Patterns of paths; those that begin with `!` are exceptions. */
  runWorkerFirst: boolean | readonly string[]
  /** All that match count, in their order. */
  headers: readonly HeaderRule[]
  /** The first that matches counts. */
  redirects: readonly RedirectRule[]
}

/** A validated version. */
export type FunctionCode = {
  /** The name of an `esm` module. */
  mainModule: string
  modules: readonly FunctionModule[]
  bindings: readonly FunctionBinding[]
  /** Texts, and other JSON values. */
  vars: Readonly<Record<string, unknown>>
  assets: FunctionAssets | null
  /** `YYYY-MM-DD`, not newer than `FunctionsEngine.compatibilityDate`. */
  compatibilityDate: string
}

/** CPU milliseconds of one request, and outgoing requests of one invocation. */
export type FunctionLimits = { cpuMs: number; subRequests: number }

/** All that a process of one environment is started with. */
export type FunctionsSpec = {
  environmentId: string
  /** The owner of the project, who has at most a quarter of the processes of a node. Null: no such limit. */
  developerId: string | null
  /** The name of the data folder; a new one after a purge. `[A-Za-z0-9_-]`, at most 64 characters. */
  dataId: string
  /** Null: only databases can be queried and migrated. For suspended, disabled or empty environments: no code, queue or alarm runs. */
  code: FunctionCode | null
  limits: FunctionLimits
  /** Decrypted. They reach the process as environment variables and are never written to disk. */
  secrets: Readonly<Record<string, string>>
  /** Lets `fetch` of the code reach this machine: only in development of a service that listens on the loopback. */
  allowLoopback: boolean
  /**
   * Answers a request of `env.SVC.fetch(…)`. It is already counted as a sub-request. `request.headers` are those of the code, without the
   * engine's own; the capability adds the key of the environment and passes the request to the routes of the API.
   */
  onServiceCall(request: IncomingMessage, response: ServerResponse): void
}

/** What was used since the last time it was taken. Starts and trials are not counted. */
export type FunctionsUsage = {
  requests: number
  /** Requests that the code answered with a status of 500 or more, or did not answer; not those whose caller has disconnected. */
  errors: number
  /** CPU time of the whole process. */
  cpuMs: number
  rowsRead: number
  rowsWritten: number
  egressBytes: number
}

/** In order of severity: `debug`, `log`, `info`, `warn`, `error`. */
export type FunctionLogLevel = 'debug' | 'info' | 'log' | 'warn' | 'error'
/** What the code has written with `console`. */
export type FunctionLogText = {
  level: FunctionLogLevel
  message: string
  /** Of a room: its id. Null for lines of the engine, and of code outside a request. */
  requestId: string | null
}
