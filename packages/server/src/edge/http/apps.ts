import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'

import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Count } from './metrics.ts'
import type { Addresses } from './origins.ts'

/** A request to a host below the apps domain; `label` is what stands before it. */
export type Visit = {
  label: string
  method: string
  url: string
  address: string
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  range: string | undefined
  ifRange: string | undefined
  cookie: string | undefined
  /** `navigate`: the browser shows what comes as a document (https://w3c.github.io/webappsec-fetch-metadata). */
  fetchMode: string | undefined
}

/** Headers are name, value, name, value … `page`: a built-in page of the service answers, for this environment. */
export type Served = { status: number; headers: string[]; body?: Buffer | Readable } | { page: string }

/** Before everything else that happens to a request; `next` is called for what is not answered here. */
export type Apps = (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => void

export type AppsNeeds = {
  addresses: Addresses
  serve(visit: Visit): Promise<Served>
  count: Count
  /** How long a visitor may leave an answer unread. */
  silenceMaxMs?: number
}

/**
 * Hosted apps, by the Host header: before all routes, so that no request to an app reaches the API and none to the API an app.
 * Written straight to the socket: what Fastify would do for it costs more than finding the file.
 */
export function createApps({ addresses, serve, count, silenceMaxMs = 60_000 }: AppsNeeds): Apps {
  const labelOf = hostLabels(addresses)

  return (request, reply, next) => {
    const label = labelOf(request.headers.host ?? '')
    if (label === undefined) return next()
    const { headers } = request
    const visit: Visit = {
      label,
      method: request.method,
      url: request.url,
      address: request.ip,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
      range: headers.range,
      ifRange: headers['if-range'] as string | undefined,
      cookie: headers.cookie,
      fetchMode: headers['sec-fetch-mode'] as string | undefined,
    }
    const answer = (served: Served) => {
      if (!('page' in served)) return write(reply, served)
      // On its own host an environment's page is for no other one, whatever the address says.
      Object.assign(request.query as object, { env: served.page })
      handOn()
    }
    const handOn = (error?: Error) => {
      reply.header('X-Content-Type-Options', 'nosniff')
      next(error)
    }
    serve(visit).then(answer, handOn)
  }

  function write(reply: FastifyReply, served: Exclude<Served, { page: string }>) {
    reply.hijack()
    count(served.status, reply.request.startedAt)
    send(reply.raw, served, reply.request.id, silenceMaxMs)
  }
}

/** What stands before the apps domain; undefined for every other host, which is the service itself. */
export function hostLabels({ baseUrl, appsDomain }: Addresses) {
  const own = new URL(baseUrl).hostname
  const below = `.${appsDomain}`
  return (host: string): string | undefined => {
    const lowerCase = host.toLowerCase()
    if (!lowerCase.includes(below)) return undefined
    const name = lowerCase.replace(/:\d*$/, '').replace(/\.$/, '')
    return name !== own && name.endsWith(below) ? name.slice(0, -below.length) : undefined
  }
}

function send(
  response: ServerResponse,
  { status, headers, body }: Exclude<Served, { page: string }>,
  requestId: string,
  silenceMaxMs: number,
) {
  response.writeHead(status, [...headers, 'X-Request-Id', requestId])
  if (body instanceof Readable) stream(body, response)
  else response.end(body)
  const hasLeft = !(body instanceof Readable) && response.writableLength === 0
  if (!hasLeft) response.setTimeout(silenceMaxMs, () => response.destroy())
}

/**
 * A visitor who leaves, also before the first byte, is no failure, and should the store fail in the middle, the answer ends short.
 * In any case the file is let go of. The connection itself is asked, because Node tells those of its answers that wait behind others
 * when it closes, but not where an upgrade came behind them.
 */
function stream(body: Readable, response: ServerResponse) {
  const { socket } = response.req
  if (response.destroyed || socket.destroyed) return void body.destroy()
  const leave = () => void body.destroy()
  socket.setMaxListeners(0).once('close', leave)
  pipeline(body, response, () => socket.off('close', leave))
}
