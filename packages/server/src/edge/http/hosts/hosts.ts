import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex, Readable } from 'node:stream'

import type { ReservedPath } from '@svc/contract/common/deployed-paths'
import type { Config } from '@svc/contract/config/defaults'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { ApiError } from '../../../platform/api-error.ts'
import { inEnvironment } from '../../../platform/current-environment.ts'
import type { Environment } from '../../../platform/environment.ts'
import type { Content } from '../../../platform/http/responses.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import type { ClientAddressOf } from '../callers/client-address.ts'
import { type Addresses, hostLabels } from '../callers/origins.ts'
import type { OwnMachine } from '../callers/own-machine.ts'
import { batchPerTick } from '../connections/tick-batch.ts'
import { asApiError, badRequest } from '../errors.ts'
import type { RawResponse, RequestPreferences } from '../files/raw-response.ts'
import type { Respond } from '../files/responses.ts'
import type { Count } from '../operations/metrics.ts'
import { discardRemainder, fileBody } from '../requests/bodies.ts'
import { repeatedHeader } from '../requests/repeated-headers.ts'
import { Client } from '../routes.ts'
import { apiUrlOf, isApiUrl, refusalOnAppHost, wasRewritten } from './player-api.ts'
import { requestPath } from './request-path.ts'
import { send } from './send.ts'

/** The app of a host: one environment of a project. */
export type HostedApp = {
  environment: Environment
  /** The name of the project. */
  name: string
  /** Its current config, read once for the request. */
  config: Config
  state: 'live' | 'empty' | 'off' | 'suspended'
  version?: number
}

/** A request for a file of an app. `label` is the part of the host name before the apps domain. */
export type HostedRequest = RequestPreferences & {
  label: string
  url: string
  /** Decoded; undefined if it is a path that no browser sends. */
  path: string | undefined
  address: string
  cookie: string | undefined
  /** `navigate`: the browser shows the response as a document (https://w3c.github.io/webappsec-fetch-metadata). */
  fetchMode: string | undefined
}

/** A request of any method for a path or host with a handler. */
export type HostRequest = {
  id: string
  app: HostedApp
  method: string
  url: string
  /** Decoded, with the mounted path. */
  path: string
  headers: IncomingHttpHeaders
  address: string
  /** A stream of the body as it arrives. */
  body: Readable
  /** Aborted when the client disconnects before the handler has responded. Later its stream is destroyed. */
  signal(): AbortSignal
  /** How long ago the request was read, and how long ago its client began it. */
  timing(): { readMsAgo: number; beganMsAgo: number }
}

type HostHandler = {
  respond(request: HostRequest): Awaitable<Content>
  /** Takes the connection over; if it rejects, the upgrade is refused with the error. Absent: upgrades are refused. */
  upgrade?(request: UpgradeRequest, socket: Duplex, head: Buffer): Awaitable<void>
  /** The largest request body; without it the handler gets the body unbounded. */
  bodyBytesMax?: number
  /**
   * Whether another node of this service has forwarded the request: then that node has counted it for the rate limit, and knows how
   * large its body may be.
   */
  isFromNode?(request: UpgradeRequest): Awaitable<boolean>
}
type UpgradeRequest = Omit<HostRequest, 'body' | 'signal' | 'timing'>

/**
 * A reserved path on the host of every app, or separate hosts: with `hostSuffix: '--fn'` the app `duel` also has the host
 * `duel--fn`, on which every path belongs to the handler. Of several paths the longest decides.
 */
type MountPoint = { path: `${ReservedPath}${string}` } | { hostSuffix: `--${string}` }

/** `router`: the pages of the service answer, for this environment. */
export type MountHost = (point: MountPoint, handler: HostHandler | 'router') => void

type HostedApps = {
  find(label: string): Promise<HostedApp | undefined>
  /** `isRetry`: the same request again; it is not counted a second time. */
  serve(request: HostedRequest, isRetry?: boolean): Promise<Content>
  /** Drops the cached app of this label. */
  forget(label: string): void
  /** The limit per address that public calls have; `environment` is undefined if the host belongs to no app. */
  enforceRateLimit(environment: Environment | undefined, address: string): Promise<void>
}

type HostDeps = {
  addresses: Addresses
  /** Undefined if other machines may reach the service. */
  ownMachine?: Pick<OwnMachine, 'refusalOf'> | undefined
  apps: HostedApps
  respond: Respond
  count: Count
  clientAddressOf: ClientAddressOf
  /** The error for a file that is not in the blob store. */
  missing(what: string): Error
  /** How long a client may leave a response unread. */
  readTimeoutMs?: number
}

type Mount = { suffix: string; path: string; handler: HostHandler | 'router' }
type Refuse = (error: ApiError) => void

const DOT = 0x2e

/**
 * Hosted apps and all other hosts below the apps domain. It runs before all routes, so that no request to an app reaches the API,
 * except to what players may call there, and no request to the API reaches an app. Responses bypass Fastify, which would cost more
 * than finding the file.
 */
export function createHosts(deps: HostDeps) {
  const {
    addresses,
    ownMachine,
    apps,
    respond,
    count,
    clientAddressOf,
    missing,
    readTimeoutMs = 60_000,
  } = deps
  const labelOf = hostLabels(addresses)
  const ownHost = new URL(addresses.baseUrl).hostname
  const runAtEndOfTick = batchPerTick()
  const ofHosts: Mount[] = []
  const ofPaths: Mount[] = []

  const findHostMount = (label: string) => ofHosts.find(({ suffix }) => label.endsWith(suffix))

  /** Fast for hosted files: their paths do not begin with a dot. */
  function findMount(label: string, path: string | undefined): Mount | undefined {
    if (path === undefined) return undefined
    const ofHost = findHostMount(label)
    if (ofHost) return ofHost
    if (path.charCodeAt(1) === DOT) for (const mount of ofPaths) if (path.startsWith(mount.path)) return mount
    return undefined
  }

  const isApiCall = (url: string, host: string | undefined) => {
    if (!isApiUrl(url)) return false
    const label = labelOf(host ?? '')
    return label !== undefined && !findHostMount(label)
  }

  const findApp = (label: string, { suffix }: Pick<Mount, 'suffix'>) =>
    apps.find(suffix === '' ? label : label.slice(0, -suffix.length))

  /** Returns whether another node has forwarded the request. */
  async function enforceRateLimit(handler: HostHandler | 'router', request: UpgradeRequest) {
    const isFromNode = handler !== 'router' && (await handler.isFromNode?.(request)) === true
    if (!isFromNode) await apps.enforceRateLimit(request.app.environment, request.address)
    return isFromNode
  }

  async function respondTo(request: FastifyRequest, label: string): Promise<RawResponse | 'router'> {
    const { headers, url, method, clientAddress: address } = request
    const path = requestPath(url)
    const hosted: HostedRequest = {
      label,
      method,
      url,
      path,
      address,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
      range: headers.range,
      ifRange: headers['if-range'] as string | undefined,
      cookie: headers.cookie,
      fetchMode: headers['sec-fetch-mode'] as string | undefined,
    }
    const mount = findMount(label, path)
    const app = mount && (await findApp(label, mount))
    if (mount && app && path !== undefined) {
      const { id, raw } = request
      const handled = { id, app, method, url, path, headers, address }
      const isFromNode = await enforceRateLimit(mount.handler, handled)
      if (isFromNode) request.continueTrace?.()
      if (mount.handler === 'router') {
        // On the host of an environment a page is for this environment only, even if the URL contains another one.
        Object.assign(request.query as object, { env: app.environment.id })
        return 'router'
      }
      const body = boundedBody(raw, mount.handler, isFromNode)
      const disconnect = watchDisconnect(raw)
      try {
        const { signal } = disconnect
        const asked = { ...handled, body, signal, timing: () => new Client(request) }
        const { handler } = mount
        const content = await inEnvironment(app.environment.id, () => handler.respond(asked))
        // Responses that arrive from processes in one tick are written together: a call of a function takes 9 % less CPU.
        await new Promise<void>(runAtEndOfTick)
        return stored(await respond(content, hosted), label)
      } finally {
        disconnect.forget()
      }
    }

    const response = await respond(await apps.serve(hosted), hosted)
    if (response) return response
    // The file was removed since the app was last read, for example with its project.
    apps.forget(label)
    return stored(await respond(await apps.serve(hosted, true), hosted), label)
  }

  function stored(response: RawResponse | undefined, label: string): RawResponse {
    if (!response) throw missing(`a file of ${label}`)
    return response
  }

  function write(reply: FastifyReply, response: RawResponse) {
    const { request } = reply
    reply.hijack()
    count(response.status, request.startedAt)
    send(reply.raw, response, request, readTimeoutMs)
  }

  /** Finds the app of an upgrade and counts the request. Throws the error with which the upgrade is refused. */
  async function upgradeWith(mount: Mount, label: string, request: IncomingMessage, id: string) {
    const { url = '', method = 'GET', headers, rawHeaders } = request
    const repeated = repeatedHeader(rawHeaders)
    if (repeated !== undefined) throw badRequest(repeated)
    const address = clientAddressOf(request)
    const app = await findApp(label, mount)
    if (!app) throw new ApiError('not_found')
    const found = { id, app, method, url, path: requestPath(url) ?? '', headers, address }
    await enforceRateLimit(mount.handler, found)
    return found
  }

  const mountHost: MountHost = (point, handler) => {
    if ('path' in point) {
      ofPaths.push({ suffix: '', path: `/${point.path}`, handler })
      ofPaths.sort((a, b) => b.path.length - a.path.length)
    } else ofHosts.push({ suffix: point.hostSuffix, path: '/', handler })
  }

  return {
    mount: mountHost,

    /** Whether this service answers on the host. Hosts of no app count for the limit of visits to them; others have no limit. */
    async answersOn(host: string, address: string): Promise<boolean> {
      const label = labelOf(host)
      if (label === undefined && host === ownHost) return true
      const app =
        label === undefined ? undefined : await findApp(label, findHostMount(label) ?? { suffix: '' })
      if (!app) await apps.enforceRateLimit(undefined, address)
      return app !== undefined
    },

    /** The URL by which a route is found. */
    rewriteUrl: ({ url = '', headers }: IncomingMessage): string =>
      isApiCall(url, headers.host) ? apiUrlOf(url) : url,
    refusalOf: refusalOnAppHost,

    /** Runs before everything else; calls `next` for requests that are not answered here. */
    onRequest(request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) {
      const refusal = ownMachine?.refusalOf(request)
      if (refusal) return next(refusal)
      const label = labelOf(request.headers.host ?? '')
      if (label === undefined) return next()
      const passToRouter = (error?: Error) => {
        reply.header('X-Content-Type-Options', 'nosniff')
        next(error)
      }
      if (wasRewritten(request.raw)) {
        request.appHost = { label, baseUrl: addresses.baseUrl }
        return passToRouter()
      }
      respondTo(request, label).then(
        (response) => (response === 'router' ? passToRouter() : write(reply, response)),
        passToRouter,
      )
    },

    /** True if the upgrade is taken over or refused here. False for the API, also on the host of an app. */
    onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, id: string, refuse: Refuse): boolean {
      const refusal = ownMachine?.refusalOf(request)
      if (refusal) {
        refuse(refusal)
        return true
      }
      const label = labelOf(request.headers.host ?? '')
      if (label === undefined) return false
      const { url = '' } = request
      if (isApiCall(url, request.headers.host)) {
        request.url = apiUrlOf(url)
        return false
      }
      const mount = findMount(label, requestPath(url))
      const handler = mount?.handler
      if (!mount || !handler || handler === 'router' || !handler.upgrade) {
        refuse(new ApiError('not_found'))
        return true
      }
      socket.on('error', () => socket.destroy())
      upgradeWith(mount, label, request, id)
        .then((found) =>
          inEnvironment(found.app.environment.id, () => handler.upgrade?.(found, socket, head)),
        )
        .catch((error: Error) => refuse(asApiError(error, id)))
      return true
    },
  }
}

/**
 * The body up to the limit of the handler. The part that the handler does not read is discarded, so that the connection can be used
 * again.
 */
function boundedBody(request: IncomingMessage, { bodyBytesMax }: HostHandler, isFromNode: boolean): Readable {
  if (bodyBytesMax === undefined || request.complete) return request
  const bytesMax = isFromNode ? Infinity : bodyBytesMax
  const body = fileBody(request, { bytesMax, refusal: () => new ApiError('payload_too_large') })
  body.once('close', () => discardRemainder(request))
  return body
}

/** `forget` removes what `signal` has added to the connection, which may have many more requests. */
function watchDisconnect({ socket }: IncomingMessage) {
  const gone = new AbortController()
  const abort = () => gone.abort()
  return {
    signal() {
      if (socket.destroyed) abort()
      else socket.once('close', abort)
      return gone.signal
    },
    forget: () => void socket.off('close', abort),
  }
}
