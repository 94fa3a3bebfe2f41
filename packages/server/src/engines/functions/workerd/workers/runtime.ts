/**
 * Types of what workerd offers to the scripts of this folder, as far as they use it. They are for `tsc` alone: nothing imports this file
 * at run time.
 */
export type SqlValue = ArrayBuffer | string | number | null

type Cursor<Row> = Iterable<Row> & {
  columnNames: string[]
  rowsRead: number
  rowsWritten: number
  raw(): Iterable<SqlValue[]>
  toArray(): Row[]
  /** Throws if there is not exactly one row. */
  one(): Row
}

/** `Columns` are all columns of all statements of a script: `tsc` cannot know which of them a statement selects. */
export type Sql<Columns> = {
  databaseSize: number
  exec(statement: string, ...params: readonly (SqlValue | ArrayBufferView)[]): Cursor<Columns>
}

/** The state of an object. */
export type ObjectState<Columns> = {
  storage: {
    sql: Sql<Columns>
    transactionSync<Result>(work: () => Result): Result
    getAlarm(): Promise<number | null>
    setAlarm(atMs: number): Promise<void>
    sync(): Promise<void>
  }
}

/** What `fetch` of an entrypoint gets as its third parameter. `props` are those of the binding. */
export type Context<Props> = { props: Props; waitUntil(promise: Promise<unknown>): void }

/** What a worker exports, as services: the context of a request has them. */
export type Exporting = { exports: Record<string, ((options: { props: object }) => Service) | undefined> }

/** An object in another context: every call of a method runs in that context. */
type Stub<T> = {
  [Key in keyof T]: T[Key] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : never
}

/** The objects of one class. */
export type Objects<T> = { idFromName(name: string): string; get(id: string): Stub<T> }

export type Service = { fetch(input: Request | string, init?: RequestInit): Promise<Response> }

export declare class DurableObject<Env, Columns> {
  constructor(context: ObjectState<Columns>, env: Env)
  protected ctx: ObjectState<Columns>
  protected env: Env
}

export declare class WorkerEntrypoint<Env, Props> {
  protected ctx: Context<Props>
  protected env: Env
}

/** The one of `node:async_hooks`. */
export declare class AsyncLocalStorage<T> {
  run<Result>(store: T, work: () => Result): Result
  getStore(): T | undefined
}

/** What the service and `wrap.ts` send with a request, and caches with theirs. */
type Cf = {
  svcRequestId?: string
  svcCollect?: boolean
  svcContinued?: boolean
  svcRooms?: boolean
  cacheKey?: string
}

type ServerSocket = {
  accept(): void
  send(text: string): void
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void
}

declare global {
  class WebSocketPair {
    0: unknown
    1: ServerSocket
  }
  interface ResponseInit {
    webSocket?: unknown
  }
  interface Request {
    cf?: Cf
  }
  interface RequestInit {
    cf?: Cf
  }
  interface Response {
    webSocket?: unknown
  }
  interface ReadableStreamBYOBReader {
    readAtLeast(bytesMin: number, view: Uint8Array): Promise<{ value: Uint8Array }>
  }
  /** A stream that fails if it gets more or fewer bytes. */
  class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
    constructor(bytes: number)
  }
  interface Crypto {
    DigestStream: new (algorithm: string) => WritableStream<Uint8Array> & { digest: Promise<ArrayBuffer> }
  }
  /** V8's own, under the name in `../config/config.ts`. */
  var svcCollectGarbage: () => void
}
