import { Resolver } from 'node:dns/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { Agent, request as httpRequest } from 'node:http'
import { Agent as TlsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { isLoopbackHost, isPublicAddress } from './networks.ts'
import { watchReceived } from './received.ts'

/** A request to a URL that a user chose. */
export type Outgoing = {
  url: string
  headers: Record<string, string>
  body: string
  /** Limit for the whole exchange: DNS, connecting, sending, and reading the response. */
  timeoutMs: number
  answerBytesMax: number
  /** Whether it may call this machine, also without TLS. All other hosts must be called by https on the public internet. */
  allowLoopback: boolean
}

/** `error` is a sentence: why there is no complete answer. */
export type Exchange = { status: number | null; text: string; error: string | null }

/** Sends requests to URLs that users chose. */
export type Outbound = ReturnType<typeof createOutbound>

/** Without a body it is a GET. */
type Sent = Omit<Outgoing, 'body'> & { body: string | undefined }

type Target = { options: RequestOptions; send: typeof httpRequest }

/** Shorter than most servers keep a connection open, so that we rarely send on a closed one. */
const IDLE_MS = 4_000
/** Everything beside the body: heads, with interim answers (1xx) before them, and what is between the bytes of a body. */
const OVERHEAD_BYTES_MAX = 64 * 1024
const CHUNKS_FACTOR = 4

const POOL = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 64 }

/**
 * Calls URLs of users: a name is resolved once, and only the checked addresses are connected to; redirects are not followed, the
 * response is bounded, and one deadline covers everything. Never throws.
 */
export function createOutbound(resolver = createResolver()) {
  // A connection to this machine, which only development may open, must never be reused for another host.
  const agents = {
    public: new TlsAgent(POOL),
    loopback: { 'http:': new Agent(POOL), 'https:': new TlsAgent(POOL) },
  }

  const guardedLookup = publicLookup(resolver)

  /** How to connect, or the reason why not. */
  function targetOf(url: URL, allowLoopback: boolean): Target | string {
    const host = hostOf(url)
    if (isThisMachine(url)) {
      if (!allowLoopback) return notPublic(host)
      const agent = url.protocol === 'https:' ? agents.loopback['https:'] : agents.loopback['http:']
      return { options: { agent, lookup: loopbackLookup }, send: senderFor(url) }
    }
    if (url.protocol !== 'https:') return `${url.origin} is not https`
    if (isIP(host) > 0 && !isPublicAddress(host)) return notPublic(host)
    return { options: { agent: agents.public, lookup: guardedLookup }, send: senderFor(url) }
  }

  async function call(outgoing: Sent): Promise<Exchange> {
    const url = new URL(outgoing.url)
    const place = targetOf(url, outgoing.allowLoopback)
    if (typeof place === 'string') return { status: null, text: '', error: place }

    const deadline = AbortSignal.timeout(outgoing.timeoutMs)
    const first = await attempt(url, place, outgoing, deadline)
    // The server had closed a kept-alive connection, so it has not seen this request.
    return first.wasStale ? attempt(url, place, outgoing, deadline) : first
  }

  return {
    post: (outgoing: Outgoing): Promise<Exchange> => call(outgoing),
    get: (outgoing: Omit<Outgoing, 'body'>): Promise<Exchange> => call({ ...outgoing, body: undefined }),
  }
}

/** A DNS resolver with short time limits: 1 s per attempt, two attempts. */
export const createResolver = () => new Resolver({ timeout: 1_000, tries: 2 })

/**
 * Resolves only names whose addresses are all public. It queries DNS directly: with the lookup of the system, a few slow names
 * would occupy the threads that write to disk.
 */
export const publicLookup = (resolver: Resolver): LookupFunction =>
  lookupBy(async (hostname) => {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const isPublic = addresses.length > 0 && addresses.every(isPublicAddress)
    if (addresses.length === 0) throw new Error(`${hostname} has no address`)
    if (!isPublic) throw new Error(notPublic(hostname))
    return addresses
  })

function attempt(
  url: URL,
  { options, send }: Target,
  { headers, body, timeoutMs, answerBytesMax }: Sent,
  deadline: AbortSignal,
): Promise<Exchange & { wasStale?: boolean }> {
  return new Promise((resolve) => {
    let status: number | null = null
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (error: string | null, wasStale = false) =>
      resolve({ status, text: Buffer.concat(chunks).toString(), error, wasStale })

    const request = send(url, {
      ...options,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
      signal: deadline,
    })
    const fail = (error: Error & { code?: string }) =>
      deadline.aborted
        ? end(`no complete answer within ${timeoutMs} ms`)
        : end(reasonOf(error), request.reusedSocket && status === null && error.code === 'ECONNRESET')

    request.on('error', fail)
    let receivedBytes = 0
    watchReceived(request, (received) => {
      receivedBytes += received
      if (receivedBytes <= OVERHEAD_BYTES_MAX + CHUNKS_FACTOR * answerBytesMax) return
      end('the server sends more than an answer')
      request.destroy()
    })
    // Without a listener Node would drop the connection without an event, even at the deadline.
    request.on('upgrade', (_response, socket) => {
      socket.on('error', () => {}).destroy()
      end('the answer switches to another protocol')
    })
    request.on('response', (response: IncomingMessage) => {
      status = response.statusCode ?? null
      response.on('end', () => end(null))
      // If the answer is complete, `end` came first and this has no effect.
      response.on('close', () => fail(new Error('the connection was closed before the answer was complete')))
      response.on('error', () => {})
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if ((bytes += chunk.length) <= answerBytesMax) return
        end(`the answer has more than ${answerBytesMax} bytes`)
        request.destroy()
      })
    })
    request.end(body)
  })
}

const senderFor = ({ protocol }: URL) => (protocol === 'https:' ? httpsRequest : httpRequest)

/** The reason that is reported when a host may not be called. */
export const notPublic = (host: string) => `${host} is not on the public internet`

/** Without the brackets of IPv6 and the dot that may end a name. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$|\.$/g, '')

/** Node does not resolve names below localhost, but they mean this machine. */
export const isThisMachine = (url: URL) => isLoopbackHost(hostOf(url)) || hostOf(url).endsWith('.localhost')

/** If several attempts of one connection fail, the error has a list of errors and no message. */
export const reasonOf = (error: Error): string =>
  error instanceof AggregateError
    ? error.errors.map((each: Error) => each.message).join(', ')
    : error.message || error.name

function lookupBy(find: (hostname: string) => Promise<string[]>): LookupFunction {
  const findAll = callbackify(find)
  return (hostname, { all }, callback) =>
    findAll(hostname, (error, found) => {
      if (error) return callback(error, [])
      const addresses = found.map((address) => ({ address, family: isIP(address) }))
      const [first] = addresses
      return all ? callback(null, addresses) : callback(null, first?.address ?? '', first?.family)
    })
}

/** Every name means this machine. */
export const loopbackLookup = lookupBy(async () => ['127.0.0.1', '::1'])
