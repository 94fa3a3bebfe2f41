import type { Resolver } from 'node:dns/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
import { CF_HEADER } from '../config/config.ts'
import { REQUESTS_MAX } from '../requests/request-queue.ts'
import { writeUpgrade } from '../requests/upgrades.ts'
import { listenOn } from './sockets.ts'

type EgressOptions = {
  allowLoopback: boolean
  resolver: Resolver
  /** Counts an outgoing request; the reason if it is over the limit. */
  count(requestId: string | undefined): string | undefined
  /** The header `CDN-Loop` of an outgoing request; undefined if it has passed through functions too often. */
  loopOf(requestId: string | undefined, sent: string | undefined): string | undefined
  addBytes(bytes: number): void
}

/** Longer than workerd keeps an unused connection, so that it never sends a request into one that is being closed. */
const KEEP_ALIVE_MS = 120_000
/** All requests of a process may wait for the same server. */
const POOL = { keepAlive: true, maxSockets: REQUESTS_MAX, maxFreeSockets: 16, timeout: 4_000 }
/** Without any byte in either direction. */
const SILENCE_MS = 120_000
/** An HTTP status that no server sends; the wrapper of the code turns it into an error. */
const REFUSED_STATUS = 520
const LOOP = 'This request has passed through functions 16 times: it calls itself.'

/**
 * All outgoing requests of one process: workerd sends them here through a private socket, as to a proxy. Only public addresses are
 * connected to; a redirect is a new request, so every hop is checked.
 */
export async function openEgress(path: string, options: EgressOptions): Promise<{ close(): void }> {
  const { allowLoopback, resolver, count, loopOf, addBytes } = options
  const guardedLookup = publicLookup(resolver)
  // A connection to this machine must never be used for a public name.
  const agents = {
    public: { http: new Agent(POOL), https: new TlsAgent(POOL) },
    loopback: { http: new Agent(POOL), https: new TlsAgent(POOL) },
  }

  /** The request to send, or the reason why it is refused. */
  function targetOf(request: IncomingMessage) {
    const { requestId, headers } = stripped(request)
    const overLimit = count(requestId)
    if (overLimit) return overLimit
    const loop = loopOf(requestId, headers['cdn-loop']?.toString())
    if (loop === undefined) return LOOP
    const url = URL.parse(request.url ?? '')
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
      return 'Only http and https URLs can be fetched.'
    const host = hostOf(url)
    const isHere = isThisMachine(url)
    if (isHere ? !allowLoopback : isIP(host) > 0 && !isPublicAddress(host)) return notPublic(host)

    const pool = isHere ? agents.loopback : agents.public
    const isTls = url.protocol === 'https:'
    try {
      return (isTls ? httpsRequest : httpRequest)(url, {
        method: request.method,
        headers: { ...headers, host: url.host, 'cdn-loop': loop },
        agent: isTls ? pool.https : pool.http,
        lookup: isHere ? loopbackLookup : guardedLookup,
        timeout: SILENCE_MS,
      })
    } catch (error) {
      return `Fetch failed: ${reasonOf(error as Error)}`
    }
  }

  function forward(request: IncomingMessage, response: ServerResponse) {
    const target = targetOf(request)
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
    response.on('error', ignore)
    response.on('close', () => target.destroy())
    request.on('error', ignore)
    request.on('data', (chunk: Buffer) => addBytes(chunk.length))
    request.pipe(target)
  }

  function forwardUpgrade(request: IncomingMessage, socket: Duplex) {
    socket.on('error', () => socket.destroy())
    const target = targetOf(request)
    if (typeof target === 'string') return refuseUpgrade(socket, target)
    target.on('upgrade', (answer, upstream, head) => writeUpgrade(answer, upstream, head, socket, addBytes))
    target.on('response', (answer) => {
      answer.on('error', ignore).resume()
      socket.end(
        `HTTP/1.1 ${isStatus(answer.statusCode) ? answer.statusCode : 502} Refused\r\ncontent-length: 0\r\n\r\n`,
      )
    })
    target.on('timeout', () => target.destroy(new Error('the server does not answer')))
    target.on('error', (error) => refuseUpgrade(socket, `Connecting failed: ${reasonOf(error)}`))
    socket.on('close', () => target.destroy())
    target.end()
  }

  // Requests to a proxy carry the whole URL and no Host header.
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS }, forward)
  server.on('upgrade', forwardUpgrade)
  // `connect()` of cloudflare:sockets
  server.on('connect', (_request, socket: Duplex) => {
    // Node's own listener is gone, and the code may close the connection before it has read the answer.
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 403 Raw TCP is not available\r\n\r\n')
  })
  server.requestTimeout = 0
  const listener = await listenOn(server, path)

  return {
    close() {
      listener.close()
      for (const pool of Object.values(agents)) for (const agent of Object.values(pool)) agent.destroy()
    },
  }
}

/** The id of the request that the code handles, and the headers without what workerd added. */
export function stripped({ headers }: IncomingMessage) {
  const { [CF_HEADER]: mark, ...sent } = headers
  delete sent['proxy-connection']
  // Node throws for it where the body has a length, and no trailer is passed on anyway.
  delete sent.trailer
  return { requestId: requestIdOf(mark), headers: sent }
}

function requestIdOf(mark: string | string[] | undefined): string | undefined {
  if (typeof mark !== 'string') return undefined
  try {
    const { svcRequestId } = JSON.parse(mark) as { svcRequestId?: unknown }
    return typeof svcRequestId === 'string' ? svcRequestId : undefined
  } catch {
    return undefined
  }
}

/** Throws for what Node cannot send: the server may have sent anything that its parser accepts. */
function passHead({ statusCode, statusMessage, headers }: IncomingMessage, response: ServerResponse) {
  if (!isStatus(statusCode)) throw new Error(`the status ${statusCode} is not valid`)
  const { trailer: _, ...passed } = headers
  response.writeHead(statusCode, headerText(statusMessage ?? ''), passed)
}

const isStatus = (status: number | undefined): status is number => status !== undefined && status >= 200

/** For the code: the wrapper throws this text. */
export function refuse(response: ServerResponse, reason: string) {
  response.writeHead(REFUSED_STATUS, { 'svc-egress-refused': headerText(reason) })
  response.end()
}

function refuseUpgrade(socket: Duplex, reason: string) {
  socket.end(
    `HTTP/1.1 ${REFUSED_STATUS} Refused\r\nsvc-egress-refused: ${headerText(reason)}\r\ncontent-length: 0\r\n\r\n`,
  )
}

const headerText = (reason: string) => reason.replace(/[^\x20-\x7e]/g, '?')

const ignore = () => {}
