import {
  type Address,
  addressesOf,
  type Endpoint,
  type RequestOf,
  type ResponseOf,
} from '@svc/contract/endpoint'
import type { Actor } from '@svc/contract/shapes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Developer, Environment, Project } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import { RawJson } from '../../platform/raw-json.ts'
import { bearer, type Caller } from './callers.ts'
import { type Answers, once } from './idempotency.ts'
import { type Input, inputOf } from './input.ts'

export type Client = { address: string; userAgent: string; arrivedMsAgo: number }

type PlayerContext = { environment: Environment; player: Player }
type KeyContext = { environment: Environment; actor: Actor }
type DeveloperContext<Route extends string> = {
  developer: Developer
  actor: Actor
  bearer: string
} & (Route extends `${string}:projectId${string}` ? { project: Project } : unknown) &
  (Route extends `${string}:env/${string}` ? { environment: Environment } : unknown)

/** What a handler is given beside the request's own parts: proven by the edge, by the kind of caller. */
export type Context<E extends Endpoint> = { client: Client } & {
  none: { bearer: string | undefined }
  public: KeyContext & (E extends { optionalPlayer: true } ? { player?: Player } : unknown)
  player: PlayerContext
  server: KeyContext
  admin: KeyContext
  developer: DeveloperContext<E['route']>
}[E['caller']]

export type Route = <E extends Endpoint>(
  endpoint: E,
  handle: (request: Context<E> & RequestOf<E>) => Promise<ResponseOf<E> | RawJson>,
) => void

/** Proves who is calling, from where, and that the feature is on, before a byte of the body is read. */
export type Gate = (
  endpoint: Endpoint,
  address: Address,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Caller>

/** Binds a row of the contract to its handler, at each of its addresses. */
export function routesOn(app: FastifyInstance, gate: Gate, answers: Answers): Route {
  app.decorateRequest('caller')

  return (endpoint, handle) => {
    const input: Input = inputOf(endpoint)

    for (const address of addressesOf(endpoint)) {
      app.route({
        method: address.method,
        url: address.path,
        ...(endpoint.bodyBytesMax !== undefined && { bodyLimit: endpoint.bodyBytesMax }),
        onRequest: async (request, reply) =>
          request.setDecorator('caller', await gate(endpoint, address, request, reply)),
        handler: async (request, reply) => {
          const caller = request.getDecorator<Caller>('caller')
          const context = {
            ...caller,
            ...(await input(request)),
            client: clientOf(request, reply),
            bearer: bearer(request),
          }
          // The one cast of the edge: gate and schemas have just proven it.
          const work = async () => ({ status: endpoint.status ?? 200, body: await handle(context as never) })
          const answer = endpoint.idempotent
            ? await once(answers, request, caller.actor?.id ?? '', work)
            : await work()
          return reply
            .code(answer.status)
            .type('application/json; charset=utf-8')
            .send(answer.body instanceof RawJson ? answer.body.text : JSON.stringify(answer.body))
        },
      })
    }
  }
}

const clientOf = (request: FastifyRequest, reply: FastifyReply): Client => ({
  address: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 256),
  arrivedMsAgo: reply.elapsedTime,
})
