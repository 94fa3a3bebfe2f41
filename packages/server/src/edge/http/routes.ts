import type { Readable } from 'node:stream'

import {
  type Address,
  addressesOf,
  type Endpoint,
  isForPlayers,
  type RequestOf,
  type ResponseOf,
} from '@svc/contract/common/endpoint'
import type { Actor } from '@svc/contract/common/schemas'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

import { monotonicMs } from '../../platform/clock.ts'
import { inEnvironment } from '../../platform/current-environment.ts'
import type { Developer, Environment, ProjectOfCaller } from '../../platform/environment.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import type { Player, PlayerStatus } from '../../platform/player.ts'
import { carriedMember } from '../json/carried.ts'
import type { AgentCall } from './callers/agents.ts'
import { bearer, type Caller, environmentOf, type Key } from './callers/callers.ts'
import { isFromThisMachine } from './callers/client-address.ts'
import { matchesEtag } from './files/conditions.ts'
import {
  type BodyLimit,
  discardRemainder,
  fileBody,
  routeForFiles,
  routeForRawBodies,
} from './requests/bodies.ts'
import { type Answer, idempotencyKeyOf, type IdempotentResponses, once } from './requests/idempotency.ts'
import { type Input, inputOf } from './requests/input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    readonly clientAddress: string
    /** Set by the authorizer. */
    caller: Caller
    /** Set as soon as it is known, also if the request is rejected afterwards. */
    key: Key | undefined
    /** Set as soon as the agent is known, also if the request is rejected afterwards. */
    agentCall: AgentCall | undefined
    /** The error code of the response. */
    refusal: string | null
    /** The text of a JSON body. */
    bodyText: string
    /** Of the trace that the request belongs to. Undefined: this service records no traces. */
    traceId?: string
    /** By the monotonic clock. */
    startedAt: number
    /** When its connection was accepted if it is the first request of a fresh one, otherwise `startedAt`. */
    beganAt: number
  }
}

/** The client of a request. Its fields are computed on demand, because few handlers need them. */
export class Client {
  readonly #request: FastifyRequest
  constructor(request: FastifyRequest) {
    this.#request = request
  }
  get address(): string {
    return this.#request.clientAddress
  }
  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.#request.raw)
  }
  get userAgent(): string {
    return (this.#request.headers['user-agent'] ?? '').slice(0, 256)
  }
  get acceptLanguage(): string {
    return this.#request.headers['accept-language'] ?? ''
  }
  /** `prefetch` or `prerender` if the browser does not show the page yet (https://fetch.spec.whatwg.org/#sec-purpose-header). */
  get purpose(): string {
    return String(this.#request.headers['sec-purpose'] ?? this.#request.headers['purpose'] ?? '')
  }
  get readMsAgo(): number {
    return monotonicMs() - this.#request.startedAt
  }
  /** Longer than `readMsAgo` for the first request of a fresh connection. */
  get beganMsAgo(): number {
    return monotonicMs() - this.#request.beganAt
  }
  /** For an endpoint that is idempotent by its handler. */
  get idempotencyKey(): string | undefined {
    return idempotencyKeyOf(this.#request)
  }
  /** By its name in lower case; undefined if it was not sent. */
  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : undefined
  }
}

/** `status` is the result of the ban check, which only writes have. */
type PlayerContext = { environment: Environment; player: Player; status: PlayerStatus | undefined }
type KeyContext = { environment: Environment; actor: Actor }
type DeveloperContext<Route extends string> = {
  developer: Developer
  actor: Actor
  bearer: string
} & (Route extends `${string}:projectId${string}` ? { project: ProjectOfCaller } : unknown) &
  (Route extends `${string}:env/${string}` ? { environment: Environment } : unknown)

/** What a handler gets in addition to the parts of the request, by the kind of caller; verified by the edge. */
export type Context<E extends Endpoint> = { client: Client } & (E extends { rawMember: string }
  ? { raw: string }
  : unknown) &
  (E extends { bytesBody: true } ? { bytes: Readable } : unknown) &
  (E extends { rawBody: true } ? { rawBody: Buffer } : unknown) &
  {
    none: { bearer: string | undefined }
    public: KeyContext & (E extends { optionalPlayer: true } ? { player?: Player } : unknown)
    player: PlayerContext
    server: KeyContext
    admin: KeyContext
    developer: DeveloperContext<E['route']>
    operator: DeveloperContext<E['route']>
  }[E['caller']]

export type Route = <E extends Endpoint>(
  endpoint: E,
  handle: (
    request: Context<E> & RequestOf<E>,
  ) => Promise<E extends { responseType: 'text/event-stream' } ? Readable : ResponseOf<E> | RawJson>,
  bodyLimit?: BodyLimit,
) => void

export type Authorizer = {
  /** Checks the caller, the origin and that the feature is on, before the body is read. */
  authorize(
    endpoint: Endpoint,
    address: Address,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Caller>
  /** For writes. Called after the body was read: it may take half a minute to arrive, and a ban takes effect immediately. */
  banCheckOf(endpoint: Endpoint): ((caller: Caller) => Promise<PlayerStatus> | undefined) | undefined
  /** For endpoints with which agents change something. Called with the checked input: limits, and the approval of a developer. */
  agentCheckOf(
    endpoint: Endpoint,
  ): ((request: FastifyRequest, input: Awaited<ReturnType<Input>>) => Promise<void>) | undefined
}

/** The handlers of all endpoints. */
export type Handlers = Map<Endpoint, (context: never) => Promise<unknown>>

/** Binds an endpoint of the contract to its handler, at each of its URLs. */
export function createRouteBinder(
  app: FastifyInstance,
  authorizer: Authorizer,
  answers: IdempotentResponses,
  handlers: Handlers = new Map(),
): Route {
  app.decorateRequest('caller')

  return (endpoint, handle, bodyLimit) => {
    handlers.set(endpoint, handle as never)
    const bodyBytesMax = bodyLimit?.bytesMax ?? endpoint.bodyBytesMax
    const input: Input = inputOf(endpoint)
    const status = endpoint.status ?? 200
    const requireMayWrite = authorizer.banCheckOf(endpoint)
    const admitAgent = authorizer.agentCheckOf(endpoint)
    const isStream = endpoint.responseType === 'text/event-stream'
    const send = isStream ? respondWithEvents : respond

    for (const address of addressesOf(endpoint)) {
      const answer = (request: FastifyRequest, reply: FastifyReply) => {
        const work = async () => {
          const status = endpoint.checksBan ? undefined : await requireMayWrite?.(request.caller)
          const checked = await input(request)
          if (admitAgent && request.agentCall) await admitAgent(request, checked)
          const context = contextOf(endpoint, request, checked, status)
          if (endpoint.bytesBody && bodyLimit) context.bytes = fileBody(request.raw, bodyLimit)
          // The only cast of the edge: the authorizer and the schemas have checked it.
          // `return await`: returning a promise takes three ticks of the microtask queue, returning its value one.
          return await handle(context as never)
        }
        const refuse = async (error: unknown) => {
          if (endpoint.bytesBody) discardRemainder(request.raw)
          // Whatever is wrong with the request, a banned player is told of the ban.
          const isAllowed = endpoint.checksBan ? requireMayWrite?.(request.caller) : undefined
          reply.send(
            await Promise.resolve(isAllowed).then(
              () => error,
              (refusal: unknown) => refusal,
            ),
          )
        }
        if (!endpoint.idempotent || endpoint.idempotent === 'inHandler')
          return void work().then((body) => send(request, reply, { status, body }), refuse)

        const isRequired = endpoint.idempotent === 'required'
        once(answers, request, ownerOf(request.caller), isRequired, async () => ({
          status,
          body: await work(),
        })).then((answer) => respond(request, reply, answer), refuse)
      }
      const options: RouteOptions = {
        // A stream would stay open, because a HEAD request reads none of it.
        method: isStream ? address.method : withHead(address.method),
        url: address.path,
        config: { isForPlayers: isForPlayers(endpoint) },
        ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
        ...(bodyLimit && { errorHandler: refusingLargeBodies(bodyLimit) }),
        // Neither is `async`: Fastify would await it, which costs as much as a database read.
        onRequest: (request, reply, done) => {
          const goOn = (caller: Caller) => {
            request.caller = caller
            done()
          }
          authorizer.authorize(endpoint, address, request, reply).then(goOn, done)
        },
        handler: (request, reply) =>
          inEnvironment(environmentOf(request.caller)?.id, () => answer(request, reply)),
      }
      if (endpoint.bytesBody) routeForFiles(app, options)
      else if (endpoint.rawBody) routeForRawBodies(app, options)
      else app.route(options)
    }
  }
}

/** Reads what an endpoint returns in this environment, inside the service: its handler, without the checks of a request. */
export const readerOf =
  (handlers: Handlers) =>
  async <E extends Endpoint>(
    endpoint: E,
    request: Partial<RequestOf<E>> & { environment: Environment },
  ): Promise<ResponseOf<E>> => {
    const answer = await handlers.get(endpoint)?.(request as never)
    return (answer instanceof RawJson ? JSON.parse(answer.text) : answer) as ResponseOf<E>
  }

/**
 * What answers GET answers HEAD, without a body. One route for both: Fastify would add another one for HEAD, and all routes together are a
 * fifth of a start.
 */
export const withHead = (method: string): string | string[] => (method === 'GET' ? ['GET', 'HEAD'] : method)

/** Whose Idempotency-Key it is: that of the player, not of the app's key, which all players share. */
function ownerOf(caller: Caller): string {
  if (caller.kind === 'player') return caller.player.id
  return caller.kind === 'none' ? '' : caller.actor.id
}

/** All environments share one URL, so a cache must separate responses by key, and revalidate each time. */
const REVALIDATED = { 'Cache-Control': 'no-cache', Vary: 'Origin, X-Svc-Key' }

function respond(request: FastifyRequest, reply: FastifyReply, { status, body }: Answer) {
  const raw = body instanceof RawJson ? body : undefined
  if (raw?.etag !== undefined) {
    reply.headers({ ...REVALIDATED, ETag: raw.etag })
    if (matchesEtag(request.headers['if-none-match'], raw.etag)) return void reply.code(304).send()
  }
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(raw ? raw.text : JSON.stringify(body))
}

/** Sent as it comes: neither a cache nor a proxy may keep it back. */
function respondWithEvents(_request: FastifyRequest, reply: FastifyReply, { status, body }: Answer) {
  reply
    .code(status)
    .type('text/event-stream; charset=utf-8')
    .headers({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
    .send(body)
}

const NO_BYTES = Buffer.alloc(0)

/** Every field is written out, because spreads and getters are slower. */
function contextOf(
  { caller: required, rawMember: member, rawBody }: Endpoint,
  request: FastifyRequest,
  input: Awaited<ReturnType<Input>>,
  status: PlayerStatus | undefined,
) {
  const { caller } = request
  const isDeveloper = caller.kind === 'developer'
  const { params, query, body } = input
  return {
    environment: environmentOf(caller),
    player: caller.kind === 'player' ? caller.player : undefined,
    status,
    developer: isDeveloper ? caller.developer : undefined,
    project: isDeveloper ? caller.project : undefined,
    actor: caller.kind === 'none' ? undefined : caller.actor,
    params,
    query,
    body,
    client: new Client(request),
    bearer: isDeveloper || required === 'none' ? bearer(request) : undefined,
    raw: member === undefined ? undefined : carriedMember(request.bodyText, member),
    bytes: undefined as Readable | undefined,
    rawBody: rawBody && ((request.body as Buffer | undefined) ?? NO_BYTES),
  }
}

/** Other errors are passed to the error handler of the service. */
function refusingLargeBodies({ refusal }: BodyLimit) {
  return (error: FastifyError, request: FastifyRequest) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    const announced = request.headers['content-length']
    throw refusal(announced === undefined ? undefined : Number(announced))
  }
}
