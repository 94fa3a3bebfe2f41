// Wraps the developer's main module: marks what each request does (log lines, outgoing requests) with the request's id.
import { AsyncLocalStorage } from 'node:async_hooks'

const invocation = new AsyncLocalStorage()
// For service-calls.js, which cannot import this module. Code that changes it only loses its own marks.
Object.defineProperty(globalThis, Symbol.for('svc.requestId'), { get: () => invocation.getStore() })

// V8 does not allow that it is deleted.
const { svcCollectGarbage: collectGarbage } = globalThis
Object.defineProperty(globalThis, 'svcCollectGarbage', { value: undefined, writable: false })

const LEVELS = ['debug', 'info', 'log', 'warn', 'error']
// The service finds these in the lines that workerd prints.
const ID_MARK = '\u0001'
const EXCEPTION_MARK = '\u0002'

for (const level of LEVELS) {
  const print = console[level].bind(console)
  console[level] = (...values) => print(`${ID_MARK}${invocation.getStore() ?? ''}${ID_MARK}`, ...values)
}

const sendRequest = globalThis.fetch
globalThis.fetch = async function fetch(input, init) {
  const id = invocation.getStore()
  const cf = { ...(init?.cf ?? (input instanceof Request ? input.cf : undefined)), svcRequestId: id }
  const response = await sendRequest(input, id ? { ...init, cf } : init)
  const refusal = response.headers.get('svc-egress-refused')
  if (refusal === null) return response
  await response.body?.cancel()
  throw new Error(refusal)
}

const run = (id, work) =>
  invocation.run(id, async () => {
    try {
      return await work()
    } catch (error) {
      console.error(EXCEPTION_MARK + (error?.stack ?? String(error)))
      throw error
    }
  })

const idOf = (request) => request.cf?.svcRequestId ?? ''

/** How many promises of `waitUntil` have not ended, by the id of their request. */
const continued = new Map()

function noteContinued(id, change) {
  const count = (continued.get(id) ?? 0) + change
  if (count > 0) continued.set(id, count)
  else continued.delete(id)
}

/** Follows what the code passes to `waitUntil`: it counts for the limits of its request. */
function follow(context, id) {
  const waitUntil = context.waitUntil.bind(context)
  const value = (promise) => {
    noteContinued(id, 1)
    const end = () => noteContinued(id, -1)
    Promise.resolve(promise).then(end, end)
    waitUntil(promise)
  }
  Object.defineProperty(context, 'waitUntil', { value, configurable: true, writable: true })
}

/** A response whose request continues says so to the service, which removes the header. */
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

/** Answers control.js in place of the code. */
function answerControl({ svcCollect, svcContinued }) {
  if (svcCollect) collectGarbage()
  return Response.json(svcContinued ? [...continued.keys()] : [])
}
const isControl = ({ cf }) => cf?.svcCollect || cf?.svcContinued

/** The default export that workerd serves in place of the developer's. */
export function wrap(module, classNames) {
  for (const name of classNames)
    if (typeof module[name] !== 'function') throw new Error(`svc-class-missing:${name}`)
  const main = module.default
  if (typeof main === 'function') return wrapClass(main)
  if (main !== null && typeof main === 'object') return wrapObject(main)
  throw new Error('svc-no-default-export')
}

/** Methods that an instance of a class inherits. */
const HANDLERS = ['fetch', 'scheduled', 'queue']

function refuseFetch() {
  throw new Error('Handler does not export a fetch() function.')
}

function wrapObject(main) {
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
    else wrapped[name] = (...values) => run('', () => value.apply(main, values))
  }
  const fetch = typeof main.fetch === 'function' ? wrapped.fetch : refuseFetch
  wrapped.fetch = (request, env, context) =>
    isControl(request) ? answerControl(request.cf) : fetch(request, env, context)
  return wrapped
}

function wrapClass(Main) {
  const Wrapped = class extends Main {
    fetch(request) {
      if (isControl(request)) return answerControl(request.cf)
      const id = idOf(request)
      follow(this.ctx, id)
      return run(id, async () => marked(await super.fetch(request), id))
    }
  }
  for (const name of ['scheduled', 'queue']) {
    if (typeof Main.prototype[name] !== 'function') continue
    Wrapped.prototype[name] = function (...values) {
      return run('', () => Main.prototype[name].apply(this, values))
    }
  }
  return Wrapped
}

/** A class of objects whose alarms are not handled before that time: they may be the reason why the last process has ended. */
export function holdAlarms(Class, untilMs) {
  if (typeof Class?.prototype?.alarm !== 'function') return Class
  return class extends Class {
    #storage
    constructor(state, env) {
      super(state, env)
      this.#storage = state.storage
    }
    alarm(...values) {
      return Date.now() < untilMs ? this.#storage.setAlarm(untilMs) : super.alarm(...values)
    }
  }
}
