import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex, Readable } from 'node:stream'

import type { ErrorCode } from '@svc/contract/common/errors'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { ProxiedResponse } from '../../platform/http/responses.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { Player } from '../../platform/player.ts'
import type { FunctionRequest, FunctionResponse } from '../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../platform/ports/room-process.ts'
import { requestHeaders, responseHeaders } from './headers.ts'
import {
  type Answer,
  argumentsOf,
  BINDING,
  CALL,
  type Nodes,
  NOT_OWNER,
  ORIGINAL_HOST,
  REFUSAL,
  SIGNATURE,
} from './owners/nodes.ts'
import type { Location, Owners } from './owners/owners.ts'
import { isRunnable, type States } from './states.ts'

/** A request at the URL of the functions, as the edge passes it on. */
export type GatewayRequest = {
  id: string
  app: { environment: Environment }
  method: string
  /** Path and query string, as they were sent. */
  url: string
  headers: IncomingHttpHeaders
  address: string
  body: Readable
  /** Aborted when the caller has gone. */
  signal(): AbortSignal
}
type UpgradeRequest = Omit<GatewayRequest, 'body' | 'signal'>
export type OwnRequest = {
  method: string
  /** Path and query string, without `/.fn`. */
  path: string
  headers: IncomingHttpHeaders
  body: Readable | null
  requestId: string
  signal: AbortSignal
}
const OWN_ADDRESS = '127.0.0.1'
export type Gateway = ReturnType<typeof createGateway>

type GatewayDeps = {
  states: States
  owners: Owners
  nodes: Nodes
  /** `https:` or `http:`, as callers see it. */
  protocol: string
  /** Throws if the token is not one of this environment. */
  verifyPlayer(environment: Environment, token: string): Promise<Player>
  /** Throws `player_banned`, or another error if the player is gone. */
  requireMayWrite(player: Player): Promise<unknown>
  hostOf(environment: Environment): string
  report(failure: object): void
}

/** Answers at `<label>--fn.<apps domain>` and at `/.fn/*` of the hosted app. */
export function createGateway(deps: GatewayDeps) {
  const { states, owners, nodes, protocol, hostOf, report } = deps

  async function requireRunnable(environmentId: string) {
    const state = await states.get(environmentId)
    if (isRunnable(state)) return state
    throw new ApiError(state?.live && state.enabledAt !== null ? 'functions_suspended' : 'not_found')
  }

  /** Undefined: there is no token, or it is not valid here; the code decides what that means. */
  async function identify(environment: Environment, authorization: string | undefined) {
    const token = /^bearer (\S+)/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    try {
      const player = await deps.verifyPlayer(environment, token)
      const isBanned = await deps.requireMayWrite(player).then(
        () => false,
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'player_banned') return true
          throw error
        },
      )
      return { id: player.id, isBanned }
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }

  /** What the code gets: the path without `/.fn`, and headers that no caller can forge. */
  async function prepared(
    { id, app: { environment }, method, url, headers, address }: UpgradeRequest,
    path: string,
  ) {
    const player = await identify(environment, headers.authorization)
    return {
      method,
      path: path === '' ? url : path,
      headers: requestHeaders(headers, { requestId: id, address, protocol, player }),
      requestId: id,
    }
  }

  /** What the code gets of a request that another node has passed on: that node has prepared everything. */
  function passedOn({ id, method, url, headers }: UpgradeRequest) {
    const { [SIGNATURE]: _, [ORIGINAL_HOST]: host, [BINDING]: _binding, expect: _expect, ...rest } = headers
    const requestId = typeof rest['svc-request-id'] === 'string' ? rest['svc-request-id'] : id
    return { method, path: url, headers: { ...rest, host: String(host) }, requestId }
  }

  /** The process of another generation continues until the switch; it is started here if no message has done so. */
  function settleIfOutdated(location: Location, environmentId: string, generation: number) {
    if (owners.isLocal(location) && location.generation !== generation && !location.applying)
      owners.settle(location).catch((error: unknown) => report({ environmentId, err: error }))
  }

  const sendToOwner = (environment: Environment, generation: number, sent: FunctionRequest) =>
    owners.withOwner(environment.id, (location) => {
      settleIfOutdated(location, environment.id, generation)
      return owners.isLocal(location)
        ? location.running.fetch(sent)
        : nodes.fetch(location.nodeId, hostOf(environment), sent)
    })

  /** The process has not received the request, because this node stops: the next owner handles it. */
  async function orNotOwner(fetching: Promise<FunctionResponse>): Promise<ProxiedResponse> {
    const fetched = await fetching.catch((error: unknown) => {
      if (owners.isStopping() && error instanceof ApiError && error.code === 'functions_unavailable')
        return undefined
      throw error
    })
    return fetched ? proxied(fetched) : NOT_OWNER_RESPONSE
  }

  const isFromNode = (request: UpgradeRequest): Awaitable<boolean> =>
    request.headers[SIGNATURE] !== undefined && nodes.isFromNode({ ...request, path: request.url })

  /** A signature that is wrong or too old: the request may be a call of a node, whose arguments the code must not see, nor answer. */
  async function isPassedOn(request: UpgradeRequest): Promise<boolean> {
    if (request.headers[SIGNATURE] === undefined) return false
    if (await isFromNode(request)) return true
    throw new ApiError('functions_unavailable')
  }

  /** A request or a call that another node has passed on. */
  async function answerToNode(request: GatewayRequest): Promise<ProxiedResponse> {
    const { environment } = request.app
    const name = request.headers[CALL]
    if (name === undefined) await requireRunnable(environment.id)
    const location = await owners.locateLocal(environment.id)
    if (!location) return NOT_OWNER_RESPONSE
    if (typeof name === 'string')
      return callResponse(async () =>
        owners.answer(location, name, await argumentsOf(request.headers, request.body)),
      )
    return orNotOwner(location.running.fetch(sentOf(request)))
  }

  async function answerToBinding(request: GatewayRequest, binding: StoreBinding): Promise<ProxiedResponse> {
    const { environment } = request.app
    await requireRunnable(environment.id)
    const location = await owners.locateLocal(environment.id)
    return location ? orNotOwner(location.running.fetchBinding(binding, sentOf(request))) : NOT_OWNER_RESPONSE
  }

  const sentOf = (request: GatewayRequest): FunctionRequest => ({
    ...passedOn(request),
    body: bodyOf(request, request.body),
    signal: request.signal(),
  })

  return {
    isFromNode,

    /** `path` replaces that of the URL if it is not empty. */
    async respond(request: GatewayRequest, path = ''): Promise<ProxiedResponse> {
      const { environment } = request.app
      if (await isPassedOn(request)) {
        const binding = request.headers[BINDING]
        return typeof binding === 'string'
          ? answerToBinding(request, JSON.parse(binding) as StoreBinding).catch(refusalResponse)
          : answerToNode(request)
      }

      const { generation } = await requireRunnable(environment.id)
      const sent = {
        ...(await prepared(request, path)),
        body: bodyOf(request, request.body),
        signal: request.signal(),
      }
      const sending = sendToOwner(environment, generation, sent)
      // A body that was refused is the reason why the request failed.
      return proxied(await sending.catch((error: unknown) => Promise.reject(request.body.errored ?? error)))
    },

    /** A request of the service itself, on any node; `headers` reach the code as they are. */
    async send(environment: Environment, { headers, requestId, ...sent }: OwnRequest) {
      const { generation } = await requireRunnable(environment.id)
      const known = { requestId, address: OWN_ADDRESS, protocol, player: undefined }
      return sendToOwner(environment, generation, {
        ...sent,
        headers: { ...requestHeaders({ host: hostOf(environment) }, known), ...headers },
        requestId,
      })
    },

    /** A request to the data of a binding, on any node. The binding may be that of an older version. */
    async sendToBinding(environment: Environment, binding: StoreBinding, request: OwnRequest) {
      const { generation } = await requireRunnable(environment.id)
      return owners.withOwner(environment.id, async (location) => {
        settleIfOutdated(location, environment.id, generation)
        if (owners.isLocal(location)) return location.running.fetchBinding(binding, request)
        const headers = { ...request.headers, [BINDING]: JSON.stringify(binding) }
        const response = await nodes.fetch(location.nodeId, hostOf(environment), { ...request, headers })
        const refusal = response.headers[REFUSAL]
        if (refusal === undefined) return response
        response.body.resume()
        throw new ApiError(refusal as ErrorCode)
      })
    },

    async upgrade(request: UpgradeRequest, socket: Duplex, head: Buffer, path = ''): Promise<void> {
      const { environment } = request.app
      const { generation } = await requireRunnable(environment.id)
      if (await isPassedOn(request)) {
        const location = await owners.locateLocal(environment.id)
        if (!location) throw new ApiError('functions_unavailable')
        return location.running.upgrade(withHeaders(passedOn(request)), socket, head)
      }
      const passed = await prepared(request, path)
      const sent = { ...passed, headers: { ...passed.headers, upgrade: 'websocket' } }
      await owners.withOwner(environment.id, (location) => {
        settleIfOutdated(location, environment.id, generation)
        return owners.isLocal(location)
          ? location.running.upgrade(withHeaders(sent), socket, head)
          : nodes.upgrade(location.nodeId, hostOf(environment), sent, socket, head)
      })
    },
  }
}

const NOT_OWNER_RESPONSE: ProxiedResponse = {
  proxied: true,
  status: 503,
  headers: [NOT_OWNER, '1', 'Content-Length', '0'],
  body: Buffer.alloc(0),
}

/** A store has statuses of its own: those of the service must not look like them. */
function refusalResponse(error: unknown): ProxiedResponse {
  if (!(error instanceof ApiError)) throw error
  return {
    proxied: true,
    status: 503,
    headers: [REFUSAL, error.code, 'Content-Length', '0'],
    body: Buffer.alloc(0),
  }
}

async function callResponse(work: () => Promise<unknown>): Promise<ProxiedResponse> {
  const answer: Answer = await work().then(
    (result) => ({ result: result ?? null }),
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      return { error: { code: error.code, ...(error.details && { details: error.details }) } }
    },
  )
  const body = Buffer.from(JSON.stringify(answer))
  return {
    proxied: true,
    status: 200,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(body.length)],
    body,
  }
}

/** The answer to an upgrade is written by the engine: with the headers that every other answer has. */
const withHeaders = <T extends { requestId: string }>(request: T) => ({
  ...request,
  responseHeaders: (headers: IncomingHttpHeaders) => [
    ...responseHeaders(headers),
    'X-Request-Id',
    request.requestId,
  ],
})

const proxied = ({ status, headers, body }: FunctionResponse): ProxiedResponse => ({
  proxied: true,
  status,
  headers: responseHeaders(headers),
  body,
})

/** Null where the request has none, so that the code sees `request.body === null`. */
const bodyOf = ({ headers }: UpgradeRequest, body: Readable): Readable | null =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined ? null : body
