import type { Resolver } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request as httpRequest } from 'node:http'
import { Agent as TlsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'

import { isPublicAddress } from '../../../../platform/network/networks.ts'
import {
  hostOf,
  isThisMachine,
  loopbackLookup,
  notPublic,
  publicLookup,
  reasonOf,
} from '../../../../platform/network/outbound.ts'
import { REQUESTS_MAX } from '../limits/work.ts'
import { endSocket, writeUpgrade } from '../requests/connected-sockets.ts'
import { type AnswerTuning, createAnswerLimits } from './answer-limits.ts'
import { headerText, refuse, REFUSED_STATUS, stripped } from './request-mark.ts'
import { listenOn } from './sockets.ts'

/** What becomes of an outgoing request: why it is refused, or its header `CDN-Loop`. */
export type Verdict = { refused: string } | { loop: string }

type EgressOptions = {
  allowLoopback: boolean
  resolver: Resolver
  /** Counts an outgoing request of the request `requestId`. `loop` is the header `CDN-Loop` that the code has set. */
  judge(requestId: string | undefined, loop: string | undefined): Promise<Verdict>
  addBytes(bytes: number): void
  /** CPU time that the answers of servers have cost. */
  addCpuMs(ms: number): void
  tuning?: AnswerTuning
}

/** Longer than workerd keeps an unused connection, so that it never sends a request into one that is being closed. */
const KEEP_ALIVE_MS = 120_000
/** All requests of a process may wait for the same server. */
const POOL = { keepAlive: true, maxSockets: REQUESTS_MAX, maxFreeSockets: 16, timeout: 4_000 }
/** Without any byte in either direction. */
const SILENCE_MS = 120_000

/**
 * All outgoing requests of one process: workerd sends them here through a private socket, as to a proxy. Only public addresses are
 * connected to; a redirect is a new request, so every hop is checked.
 */
export async function openEgress(path: string, options: EgressOptions): Promise<{ close(): void }> {
  const { allowLoopback, resolver, judge, addBytes, addCpuMs, tuning } = options
  const guardedLookup = publicLookup(resolver)
  const limits = createAnswerLimits(addCpuMs, tuning)
  // A connection to this machine must never be used for a public name.
  const agents = {
    public: { http: new Agent(POOL), https: new TlsAgent(POOL) },
    loopback: { http: new Agent(POOL), https: new TlsAgent(POOL) },
  }

  /** The request to send, or the reason why it is refused. */
  async function targetOf(request: IncomingMessage): Promise<ClientRequest | string> {
    const { requestId, headers } = stripped(request)
    const verdict = await judge(requestId, headers['cdn-loop']?.toString())
    if ('refused' in verdict) return verdict.refused
    const url = URL.parse(request.url ?? '')
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      return 'Only http and https URLs can be fetched.'
    const host = hostOf(url)
    const isHere = isThisMachine(url)
    if (isHere ? !allowLoopback : isIP(host) > 0 && !isPublicAddress(host)) return notPublic(host)

    const pool = isHere ? agents.loopback : agents.public
    const isTls = url.protocol === 'https:'
    try {
      const target = (isTls ? httpsRequest : httpRequest)(url, {
        method: request.method,
        headers: { ...headers, host: url.host, 'cdn-loop': verdict.loop },
        agent: isTls ? pool.https : pool.http,
        lookup: isHere ? loopbackLookup : guardedLookup,
        timeout: SILENCE_MS,
      })
      limits.limit(target)
      return target
    } catch (error) {
      return `Fetch failed: ${reasonOf(error as Error)}`
    }
  }

  async function forward(request: IncomingMessage, response: ServerResponse) {
    request.on('error', ignore)
    response.on('error', ignore)
    const target = await targetOf(request)
    if (typeof target === 'string') {
      request.resume()
      return refuse(response, target)
    }
    const fail = (error: Error) => {
      // The rest of the body must be read before the next request of this connection.
      request.unpipe(target).resume()
      if (response.headersSent) response.destroy()
      else refuse(response, `Fetch failed: ${reasonOf(error)}`)
    }
    target.on('response', (answer) => {
      answer.on('error', () => response.destroy())
      try {
        passHead(answer, response)
      } catch (error) {
        answer.destroy()
        return fail(error as Error)
      }
      answer.on('data', (chunk: Buffer) => addBytes(chunk.length))
      return answer.pipe(response)
    })
    // Without a listener Node would drop the connection without an event.
    target.on('upgrade', (_answer, socket) => {
      socket.on('error', ignore).destroy()
      fail(new Error('the answer switches to another protocol'))
    })
    target.on('timeout', () => target.destroy(new Error('the server does not answer')))
    target.on('error', fail)
    response.on('close', () => target.destroy())
    if (response.closed) return target.destroy()
    request.on('data', (chunk: Buffer) => addBytes(chunk.length))
    request.pipe(target)
  }

  async function forwardUpgrade(request: IncomingMessage, socket: Duplex) {
    socket.on('error', () => socket.destroy())
    const target = await targetOf(request)
    if (typeof target === 'string') return refuseUpgrade(socket, target)
    target.on('upgrade', (answer, upstream, head) => writeUpgrade(answer, upstream, head, socket, addBytes))
    target.on('response', (answer) => {
      answer.on('error', ignore).resume()
      endSocket(
        socket,
        `HTTP/1.1 ${isStatus(answer.statusCode) ? answer.statusCode : 502} Refused\r\ncontent-length: 0\r\n\r\n`,
      )
    })
    target.on('timeout', () => target.destroy(new Error('the server does not answer')))
    target.on('error', (error) => refuseUpgrade(socket, `Connecting failed: ${reasonOf(error)}`))
    socket.on('close', () => target.destroy())
    if (socket.destroyed) return target.destroy()
    target.end()
  }

  // Requests to a proxy carry the whole URL and no Host header.
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      void forward(request, response)
    },
  )
  server.on('upgrade', (request, socket) => void forwardUpgrade(request, socket))
  // `connect()` of cloudflare:sockets
  server.on('connect', (_request, socket: Duplex) => {
    // Node's own listener is gone, and the code may close the connection before it has read the answer.
    socket.on('error', () => socket.destroy())
    endSocket(socket, 'HTTP/1.1 403 Raw TCP is not available\r\n\r\n')
  })
  server.requestTimeout = 0
  const listener = await listenOn(server, path)

  return {
    close() {
      limits.close()
      listener.close()
      for (const pool of Object.values(agents)) for (const agent of Object.values(pool)) agent.destroy()
    },
  }
}

/** Throws for what Node cannot send: the server may have sent anything that its parser accepts. */
function passHead({ statusCode, statusMessage, headers }: IncomingMessage, response: ServerResponse) {
  if (!isStatus(statusCode)) throw new Error(`the status ${statusCode} is not valid`)
  const { trailer: _, ...passed } = headers
  response.writeHead(statusCode, headerText(statusMessage ?? ''), passed)
}

const isStatus = (status: number | undefined): status is number => status !== undefined && status >= 200

function refuseUpgrade(socket: Duplex, reason: string) {
  endSocket(
    socket,
    `HTTP/1.1 ${REFUSED_STATUS} Refused\r\nsvc-egress-refused: ${headerText(reason)}\r\ncontent-length: 0\r\n\r\n`,
  )
}

const ignore = () => {}
