import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

import type { ErrorCode } from '@svc/contract/common/errors'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, millisecondsOf } from '../../../platform/clock.ts'
import { setBounded } from '../../../platform/memory/bounded-map.ts'
import type { Cluster } from '../../../platform/ports/cluster.ts'
import { type FunctionResponse, RESPONSE_HEAD_BYTES_MAX } from '../../../platform/ports/functions-engine.ts'

/** A request that another node passes on: its headers are those that the code gets. */
type NodeRequest = { method: string; path: string; headers: IncomingHttpHeaders }

type NodeDeps = {
  cluster: Pick<Cluster, 'nodeId' | 'shared' | 'nodes' | 'records' | 'onNodeLost'>
  clock: Clock
  /** Private address of this node; undefined where there is only one. */
  nodeUrl: string | undefined
  /** The same on all nodes. */
  key(): Promise<Buffer>
}
export type Nodes = ReturnType<typeof createNodes>

/** Signature and time; the host that the caller named; the name of a call that is not a request to the code, and the digest of its body. */
export const SIGNATURE = 'svc-node'
export const ORIGINAL_HOST = 'svc-node-host'
export const CALL = 'svc-node-call'
const BODY_DIGEST = 'svc-node-body'
/** The binding that a request is for, as JSON; and, in its response, the code of an error of the service. */
export const BINDING = 'svc-node-binding'
export const REFUSAL = 'svc-node-refusal'
/** Header of a response: the node did nothing, because it is not the owner. */
export const NOT_OWNER = 'svc-node-not-owner'

const VALID_MS = 30_000
const ANSWER_TIMEOUT_MS = 70_000
const CONNECT_TIMEOUT_MS = 2_000
/** The other node adds a few headers to those of the code. */
const HEAD_BYTES_MAX = RESPONSE_HEAD_BYTES_MAX + 4_096
const URLS_MAX = 1_000
/** For each node. The other node keeps an unused connection for longer, so that no request is sent into one that it closes. */
const POOL = { keepAlive: true, maxSockets: 1_024, maxFreeSockets: 64, timeout: 30_000 }

/** The owner could not be reached, or is not the owner any more: nothing was done, and the request can be sent again. */
export class NodeUnreachableError extends Error {}

/**
 * Passes requests to the node that owns an environment, over `SVC_NODE_URL`, signed with a key that only nodes have. The signature covers
 * the method, the host, the path, every `svc-*` header (they identify the player) and the body of a call. It does not cover the body
 * of a request to the code: that is passed on while it arrives, and its digest is known only after its last byte.
 */
export function createNodes({ cluster, clock, nodeUrl, key }: NodeDeps) {
  const recordName = (nodeId: string) => `functions:node:${nodeId}`
  const urls = new Map<string, URL>()
  const agent = new Agent(POOL)
  /** Nodes that stop: they will close the connections that are unused. */
  const stopping = new Set<string>()
  /** Requests in progress, by the node that they were sent to. */
  const waiting = new Map<string, Set<ClientRequest>>()
  // A frozen node does not answer, and its connections stay open.
  cluster.onNodeLost((nodeId) => {
    urls.delete(nodeId)
    stopping.delete(nodeId)
    for (const sent of waiting.get(nodeId) ?? []) sent.destroy(new ApiError('functions_unavailable'))
  })

  function watchFor(nodeId: string, sent: ClientRequest) {
    const all = waiting.get(nodeId) ?? new Set()
    waiting.set(nodeId, all.add(sent))
    sent.on('close', () => {
      all.delete(sent)
      if (all.size === 0) waiting.delete(nodeId)
    })
  }

  async function signatureOf({ method, path, headers }: NodeRequest, atMs: number): Promise<Buffer> {
    const names = Object.keys(headers).filter((name) => name.startsWith('svc-') && name !== SIGNATURE)
    const signed = names.toSorted().map((name) => [name, headers[name]])
    return createHmac('sha256', await key())
      .update(JSON.stringify([atMs, method, headers.host, path, signed]))
      .digest()
  }

  async function urlOf(nodeId: string): Promise<URL> {
    const known = urls.get(nodeId)
    if (known) return known
    const found = await cluster.records.get(recordName(nodeId))
    if (found === undefined) throw new NodeUnreachableError(`the address of node ${nodeId} is not known`)
    const url = new URL(found)
    setBounded(urls, nodeId, url, URLS_MAX)
    return url
  }

  async function signed(request: NodeRequest, host: string): Promise<IncomingHttpHeaders> {
    const atMs = millisecondsOf(clock)
    const headers = { ...request.headers, host, [ORIGINAL_HOST]: request.headers.host ?? host }
    const signature = await signatureOf({ ...request, headers }, atMs)
    return { ...headers, [SIGNATURE]: `${atMs}.${signature.toString('hex')}` }
  }

  /** `host` is one at which the gateway of the other node answers for this environment. */
  async function send(
    nodeId: string,
    host: string,
    request: NodeRequest & { body: Readable | string | null; signal?: AbortSignal },
  ): Promise<IncomingMessage> {
    const { hostname, port } = await urlOf(nodeId)
    const { method, path, body, signal } = request
    const headers = await signed(request, host)
    // Node would send the body of a GET or DELETE without any mark of its end, and the other node would read it as the next request.
    if (body !== null && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked'
    // The system may accept a connection that the node never takes, because it has just closed its port: wait for its first answer.
    const isStopping = stopping.has(nodeId)
    if (isStopping) headers.expect = '100-continue'
    return new Promise((resolve, reject) => {
      const sent = httpRequest({
        hostname,
        port,
        method,
        path,
        headers,
        agent: isStopping ? false : agent,
        maxHeaderSize: HEAD_BYTES_MAX,
        ...(signal && { signal }),
      })
      watchFor(nodeId, sent)
      let isStarted = false
      const connectTimer = setTimeout(
        () => sent.destroy(new NodeUnreachableError('no connection')),
        CONNECT_TIMEOUT_MS,
      )
      const start = () => {
        isStarted = true
        clearTimeout(connectTimer)
        if (body === null || typeof body === 'string') sent.end(body ?? undefined)
        else body.pipe(sent)
      }
      if (isStopping) sent.on('continue', start).flushHeaders()
      else sent.on('socket', (socket) => (socket.connecting ? socket.once('connect', start) : start()))
      sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new ApiError('function_timeout')))
      sent.on('response', (response) => {
        clearTimeout(connectTimer)
        // Without a listener, the loss of the node would end the service.
        response.on('error', () => {})
        // The code has answered without reading all of the body: the rest is not needed.
        response.on('close', () => {
          if (sent.writableEnded || body === null || typeof body === 'string') return
          sent.destroy()
          body.destroy()
        })
        if (response.headers[NOT_OWNER] === undefined) return resolve(response)
        response.resume()
        const isSpent = body !== null && typeof body !== 'string'
        reject(
          isSpent ? new ApiError('functions_unavailable') : new NodeUnreachableError('it is not the owner'),
        )
      })
      sent.on('error', (error) => {
        clearTimeout(connectTimer)
        if (!isStarted) return reject(new NodeUnreachableError(error.message, { cause: error }))
        reject(
          error instanceof ApiError
            ? error
            : new ApiError('functions_unavailable', undefined, { cause: error }),
        )
      })
    })
  }

  return {
    /** At start, every minute and after a gap: Redis may have lost everything. */
    async publish() {
      if (!cluster.shared || nodeUrl === undefined) return
      await cluster.records.swap(recordName(cluster.nodeId), nodeUrl)
    },

    /** Before a node closes its connections and its port. */
    noteStopping(nodeId: string) {
      if (cluster.nodes().includes(nodeId)) stopping.add(nodeId)
    },

    /** Whether another node of this service sent the request. */
    async isFromNode(request: NodeRequest): Promise<boolean> {
      const header = request.headers[SIGNATURE]
      if (!cluster.shared || typeof header !== 'string') return false
      const [time = '', signature = ''] = header.split('.')
      const atMs = Number(time)
      if (!/^[0-9a-f]{64}$/.test(signature) || !(Math.abs(millisecondsOf(clock) - atMs) <= VALID_MS))
        return false
      return timingSafeEqual(Buffer.from(signature, 'hex'), await signatureOf(request, atMs))
    },

    async fetch(
      nodeId: string,
      host: string,
      request: NodeRequest & { body: Readable | null; signal?: AbortSignal },
    ): Promise<FunctionResponse & { body: Readable }> {
      const response = await send(nodeId, host, request)
      return { status: response.statusCode ?? 502, headers: response.headers, body: response }
    },

    /** A call of `Owners` on another node. */
    async call(nodeId: string, host: string, name: string, args: unknown): Promise<unknown> {
      const body = JSON.stringify(args)
      const headers = {
        [CALL]: name,
        [BODY_DIGEST]: hash('sha256', body),
        'content-type': 'application/json',
      }
      const response = await send(nodeId, host, { method: 'POST', path: '/', headers, body })
      const answer = JSON.parse(await text(response)) as Answer
      if ('error' in answer) throw new ApiError(answer.error.code, answer.error.details)
      return answer.result
    },

    /** The bytes of both sides, unchanged: the other node answers the upgrade. */
    async upgrade(nodeId: string, host: string, request: NodeRequest, socket: Duplex, head: Buffer) {
      // Without a listener, a client that resets the connection would end the service.
      socket.on('error', () => socket.destroy())
      const { hostname, port } = await urlOf(nodeId)
      const headers = await signed(request, host)
      const lines = Object.entries({ ...headers, connection: 'Upgrade', upgrade: 'websocket' })
        .flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${String(each)}`))
        .filter((line) => !line.endsWith(': undefined'))
      const other = await connected(hostname, Number(port))
      other.on('error', () => socket.destroy())
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
      other.on('close', () => socket.destroy())
      other.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      other.write(head)
      socket.pipe(other).pipe(socket)
    },
  }
}

/** The arguments of a call whose signature was checked. */
export async function argumentsOf(headers: IncomingHttpHeaders, body: Readable): Promise<unknown> {
  const sent = await text(body)
  if (headers[BODY_DIGEST] !== hash('sha256', sent)) throw new ApiError('not_found')
  return JSON.parse(sent)
}

/** Throws `NodeUnreachableError`. */
async function connected(hostname: string, port: number): Promise<Socket> {
  const socket = connect(port, hostname)
  socket.on('error', () => {})
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
    return socket
  } catch (error) {
    socket.destroy()
    throw new NodeUnreachableError('no connection', { cause: error })
  }
}

/** What a call of another node answers. */
export type Answer = { result: unknown } | { error: { code: ErrorCode; details?: Record<string, unknown> } }
