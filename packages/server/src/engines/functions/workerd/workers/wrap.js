// Wraps the developer's main module: marks what each request does (log lines, outgoing requests) with the request's id.
import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What the code exports, and classes and handlers of it: it may be anything.
 * @typedef {Record<string, unknown>} Exports
 * @typedef {(...values: unknown[]) => unknown} Handler
 * @typedef {(request: Request, env: unknown, context: Waiting) => unknown} FetchHandler
 * @typedef {{ waitUntil(promise: unknown): void }} Waiting
 * @typedef {{ ctx: Waiting, fetch(request: Request): unknown }} Entrypoint
 * @typedef {new (...values: unknown[]) => Entrypoint} EntrypointClass
 * @typedef {{ storage: { setAlarm(atMs: number): Promise<void> } }} State
 * @typedef {new (state: State, env: unknown) => { alarm(...values: unknown[]): unknown }} AlarmClass
 */

/** @type {AsyncLocalStorage<string>} */
const invocation = new AsyncLocalStorage()
// For service-calls.js, which cannot import this module. Code that changes it only loses its own marks.
Object.defineProperty(globalThis, Symbol.for('svc.requestId'), { get: () => invocation.getStore() })

// V8 does not allow that it is deleted.
const { svcCollectGarbage: collectGarbage } = globalThis
Object.defineProperty(globalThis, 'svcCollectGarbage', { value: undefined, writable: false })

/** @type {('debug' | 'info' | 'log' | 'warn' | 'error')[]} */
const LEVELS = ['debug', 'info', 'log', 'warn', 'error']
// The service finds these in the lines that workerd prints.
const ID_MARK = '\u0001'
const EXCEPTION_MARK = '\u0002'

for (const level of LEVELS) {
  const print = console[level].bind(console)
  /** @param {unknown[]} values */
  console[level] = (...values) => print(`${ID_MARK}${invocation.getStore() ?? ''}${ID_MARK}`, ...values)
}

const sendRequest = globalThis.fetch
/**
 * @param {Request | URL | string} input
 * @param {RequestInit} [init]
 */
globalThis.fetch = async function fetch(input, init) {
  const id = invocation.getStore()
  const cf = { ...(init?.cf ?? (input instanceof Request ? input.cf : undefined)), svcRequestId: id }
  const response = await sendRequest(input, id ? { ...init, cf } : init)
  const refusal = response.headers.get('svc-egress-refused')
  if (refusal === null) return response
  await response.body?.cancel()
  throw new Error(refusal)
}

/**
 * @template Result
 * @param {string} id
 * @param {() => Result} work
 */
const run = (id, work) =>
  invocation.run(id, async () => {
    try {
      return await work()
    } catch (error) {
      console.error(EXCEPTION_MARK + (error?.stack ?? String(error)))
      throw error
    }
  })

/** @type {(request: Request) => string} */
const idOf = (request) => request.cf?.svcRequestId ?? ''

/**
 * How many promises of `waitUntil` have not ended, by the id of their request.
 * @type {Map<string, number>}
 */
const continued = new Map()

/**
 * @param {string} id
 * @param {number} change
 */
function noteContinued(id, change) {
  const count = (continued.get(id) ?? 0) + change
  if (count > 0) continued.set(id, count)
  else continued.delete(id)
}

/**
 * Follows what the code passes to `waitUntil`: it counts for the limits of its request.
 * @param {Waiting} context
 * @param {string} id
 */
function follow(context, id) {
  const waitUntil = context.waitUntil.bind(context)
  /** @param {unknown} promise */
  const value = (promise) => {
    noteContinued(id, 1)
    const end = () => noteContinued(id, -1)
    Promise.resolve(promise).then(end, end)
    waitUntil(promise)
  }
  Object.defineProperty(context, 'waitUntil', { value, configurable: true, writable: true })
}

/**
 * A response whose request continues says so to the service, which removes the header.
 * @param {unknown} response
 * @param {string} id
 */
function marked(response, id) {
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

/**
 * Answers control.js in place of the code.
 * @param {Request} request
 */
function answerControl({ cf }) {
  if (cf?.svcCollect) collectGarbage()
  return Response.json(cf?.svcContinued ? [...continued.keys()] : [])
}
/** @type {(request: Request) => boolean | undefined} */
const isControl = ({ cf }) => cf?.svcCollect || cf?.svcContinued

/**
 * The default export that workerd serves in place of the developer's.
 * @param {Exports} module
 * @param {readonly string[]} classNames
 */
export function wrap(module, classNames) {
  for (const name of classNames)
    if (typeof module[name] !== 'function') throw new Error(`svc-class-missing:${name}`)
  const main = module.default
  if (typeof main === 'function') return wrapClass(/** @type {EntrypointClass} */ (main))
  if (main !== null && typeof main === 'object') return wrapObject(/** @type {Exports} */ (main))
  throw new Error('svc-no-default-export')
}

/** Methods that an instance of a class inherits. */
const HANDLERS = ['fetch', 'scheduled', 'queue']

function refuseFetch() {
  throw new Error('Handler does not export a fetch() function.')
}

/** @param {Exports} main */
function wrapObject(main) {
  /** @type {Exports & { fetch?: FetchHandler }} */
  const wrapped = {}
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
    else wrapped[name] = (/** @type {unknown[]} */ ...values) => run('', () => value.apply(main, values))
  }
  const fetch = (typeof main.fetch === 'function' && wrapped.fetch) || refuseFetch
  wrapped.fetch = (request, env, context) =>
    isControl(request) ? answerControl(request) : fetch(request, env, context)
  return wrapped
}

/** @param {EntrypointClass} Main */
function wrapClass(Main) {
  const Wrapped = class extends Main {
    /**
     * @override
     * @param {Request} request
     */
    fetch(request) {
      if (isControl(request)) return answerControl(request)
      const id = idOf(request)
      follow(this.ctx, id)
      return run(id, async () => marked(await super.fetch(request), id))
    }
  }
  const methods = /** @type {Exports} */ (Main.prototype)
  const wrapped = /** @type {Exports} */ (/** @type {unknown} */ (Wrapped.prototype))
  for (const name of ['scheduled', 'queue']) {
    const method = methods[name]
    if (typeof method !== 'function') continue
    /** @param {unknown[]} values */
    wrapped[name] = function (...values) {
      return run('', () => method.apply(this, values))
    }
  }
  return Wrapped
}

/**
 * A class of objects whose alarms are not handled before that time: they may be the reason why the last process has ended.
 * @param {unknown} Class
 * @param {number} untilMs
 */
export function holdAlarms(Class, untilMs) {
  const Held = /** @type {AlarmClass} */ (Class)
  if (typeof Held?.prototype?.alarm !== 'function') return Class
  return class extends Held {
    #storage
    /**
     * @param {State} state
     * @param {unknown} env
     */
    constructor(state, env) {
      super(state, env)
      this.#storage = state.storage
    }
    /**
     * @override
     * @param {unknown[]} values
     */
    alarm(...values) {
      return Date.now() < untilMs ? this.#storage.setAlarm(untilMs) : super.alarm(...values)
    }
  }
}
