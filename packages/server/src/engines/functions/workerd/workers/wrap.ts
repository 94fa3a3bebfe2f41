// Wraps the developer's main module: marks what each request does (log lines, outgoing requests) with the request's id.
import { AsyncLocalStorage } from 'node:async_hooks'

/** What the code exports, and classes and handlers of it: it may be anything. */
type Exports = Record<string, unknown>
type FetchHandler = (request: Request, env: unknown, context: Waiting) => unknown
type Waiting = { waitUntil(promise: unknown): void }
type Entrypoint = { ctx: Waiting; fetch(request: Request): unknown }
type EntrypointClass = new (...values: unknown[]) => Entrypoint
type State = { storage: { setAlarm(atMs: number): Promise<void> } }
type AlarmClass = new (state: State, env: unknown) => { alarm(...values: unknown[]): unknown }

const invocation = new AsyncLocalStorage<string>()
// For service-calls.ts, which cannot import this module. Code that changes it only loses its own marks.
Object.defineProperty(globalThis, Symbol.for('svc.requestId'), { get: () => invocation.getStore() })

// V8 does not allow that it is deleted.
export const { svcCollectGarbage: collectGarbage } = globalThis
Object.defineProperty(globalThis, 'svcCollectGarbage', { value: undefined, writable: false })

const LEVELS: ('debug' | 'info' | 'log' | 'warn' | 'error')[] = ['debug', 'info', 'log', 'warn', 'error']
// The service finds these in the lines that workerd prints.
const ID_MARK = '\u0001'
const EXCEPTION_MARK = '\u0002'

for (const level of LEVELS) {
  const print = console[level].bind(console)
  console[level] = (...values: unknown[]) =>
    print(`${ID_MARK}${invocation.getStore() ?? ''}${ID_MARK}`, ...values)
}

const sendRequest = globalThis.fetch
globalThis.fetch = async function fetch(input: Request | URL | string, init?: RequestInit) {
  const id = invocation.getStore()
  const cf = { ...(init?.cf ?? (input instanceof Request ? input.cf : undefined)), svcRequestId: id }
  const response = await sendRequest(input, id ? { ...init, cf } : init)
  const refusal = response.headers.get('svc-egress-refused')
  if (refusal === null) return response
  await response.body?.cancel()
  throw new Error(refusal)
}

const run = <Result>(id: string, work: () => Result) =>
  invocation.run(id, async () => {
    try {
      return await work()
    } catch (error) {
      console.error(EXCEPTION_MARK + (error?.stack ?? String(error)))
      throw error
    }
  })

/** Runs code of a room: its log lines and outgoing requests carry the id of the room. */
export const runAs = <Result>(id: string, work: () => Result): Result => invocation.run(id, work)

const idOf = (request: Request): string => request.cf?.svcRequestId ?? ''

/** How many promises of `waitUntil` have not ended, by the id of their request. */
const continued = new Map<string, number>()

function noteContinued(id: string, change: number) {
  const count = (continued.get(id) ?? 0) + change
  if (count > 0) continued.set(id, count)
  else continued.delete(id)
}

/** Follows what the code passes to `waitUntil`: it counts for the limits of its request. */
function follow(context: Waiting, id: string) {
  const waitUntil = context.waitUntil.bind(context)
  const value = (promise: unknown) => {
    noteContinued(id, 1)
    const end = () => noteContinued(id, -1)
    Promise.resolve(promise).then(end, end)
    waitUntil(promise)
  }
  Object.defineProperty(context, 'waitUntil', { value, configurable: true, writable: true })
}

/** A response whose request continues says so to the service, which removes the header. */
function marked(response: unknown, id: string) {
  if (!continued.has(id) || !(response instanceof Response) || response.webSocket) return response
  try {
    response.headers.set('svc-continues', '1')
    return response
  } catch {
    // The headers of a response of `fetch` cannot be changed.
    const copy = new Response(response.body, response)
    copy.headers.set('svc-continues', '1')
    return copy
  }
}

type RoomClasses = (exports: Exports) => object[]
let listRooms = () => ({})

/** The classes of rooms, and what is wrong with them: one sentence each. */
function roomsOf(module: Exports, roomClassesOf: RoomClasses) {
  const rooms: object[] = []
  const problems: string[] = []
  for (const name of Object.keys(module)) {
    try {
      rooms.push(...roomClassesOf({ [name]: module[name] }))
    } catch (error) {
      problems.push(String(error?.message ?? error))
    }
  }
  return { rooms, problems }
}

/** Answers control.ts in place of the code. */
function answerControl({ cf }: Request) {
  if (cf?.svcRooms) return Response.json(listRooms())
  if (cf?.svcCollect) collectGarbage()
  return Response.json(cf?.svcContinued ? [...continued.keys()] : [])
}
const isControl = ({ cf }: Request): boolean | undefined => cf?.svcCollect || cf?.svcContinued || cf?.svcRooms

/** The mark of a room class of the SDK. */
const ROOM = Symbol.for('svc.room')
const isRoomClass = (value: unknown) => typeof value === 'function' && ROOM in value

/** Code that has only rooms. */
const ROOMS_ALONE: Exports = { fetch: () => new Response('Not Found', { status: 404 }) }

/** The default export that workerd serves in place of the developer's. In a trial, `roomClassesOf` finds the classes of rooms. */
export function wrap(module: Exports, classNames: readonly string[], roomClassesOf?: RoomClasses) {
  if (roomClassesOf) listRooms = () => roomsOf(module, roomClassesOf)
  for (const name of classNames)
    if (typeof module[name] !== 'function') throw new Error(`svc-class-missing:${name}`)
  const main = module.default
  if (typeof main === 'function') return wrapClass(main as EntrypointClass)
  if (main !== null && typeof main === 'object') return wrapObject(main as Exports)
  if (main === undefined && Object.values(module).some(isRoomClass)) return wrapObject(ROOMS_ALONE)
  throw new Error('svc-no-default-export')
}

/** Methods that an instance of a class inherits. */
const HANDLERS = ['fetch', 'scheduled', 'queue']

function refuseFetch() {
  throw new Error('Handler does not export a fetch() function.')
}

function wrapObject(main: Exports) {
  const wrapped: Exports & { fetch?: FetchHandler } = {}
  const inherited = HANDLERS.filter((name) => typeof main[name] === 'function')
  for (const name of new Set([...Object.keys(main), ...inherited])) {
    const value = main[name]
    if (typeof value !== 'function') wrapped[name] = value
    else if (name === 'fetch')
      wrapped[name] = (request, env, context) => {
        const id = idOf(request)
        follow(context, id)
        return run(id, async () => marked(await value.call(main, request, env, context), id))
      }
    else wrapped[name] = (...values: unknown[]) => run('', () => value.apply(main, values))
  }
  const fetch = (typeof main.fetch === 'function' && wrapped.fetch) || refuseFetch
  wrapped.fetch = (request, env, context) =>
    isControl(request) ? answerControl(request) : fetch(request, env, context)
  return wrapped
}

function wrapClass(Main: EntrypointClass) {
  const Wrapped = class extends Main {
    override fetch(request: Request) {
      if (isControl(request)) return answerControl(request)
      const id = idOf(request)
      follow(this.ctx, id)
      return run(id, async () => marked(await super.fetch(request), id))
    }
  }
  const methods = Main.prototype as Exports
  const wrapped = Wrapped.prototype as unknown as Exports
  for (const name of ['scheduled', 'queue']) {
    const method = methods[name]
    if (typeof method !== 'function') continue
    wrapped[name] = function (...values: unknown[]) {
      return run('', () => method.apply(this, values))
    }
  }
  return Wrapped
}

/** A class of objects whose alarms are not handled before that time: they may be the reason why the last process has ended. */
export function holdAlarms(Class: unknown, untilMs: number) {
  const Held = Class as AlarmClass
  if (typeof Held?.prototype?.alarm !== 'function') return Class
  return class extends Held {
    #storage
    constructor(state: State, env: unknown) {
      super(state, env)
      this.#storage = state.storage
    }
    override alarm(...values: unknown[]) {
      return Date.now() < untilMs ? this.#storage.setAlarm(untilMs) : super.alarm(...values)
    }
  }
}
