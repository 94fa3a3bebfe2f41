import type { IncomingMessage } from 'node:http'
import { Agent, request as httpRequest } from 'node:http'
import { Agent as TlsAgent, request as httpsRequest } from 'node:https'
import { type Readable, pipeline } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

import { AwsV4Signer } from 'aws4fetch'

import { sha256 } from '../../platform/crypto.ts'
import { codeOf, unavailable } from './checks.ts'

export type S3Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}
export type S3Limits = { silenceMs: number; callMs: number; transferMs: number }

export type S3Call = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  url: URL
  headers?: Record<string, string>
  body?: { size: number; sha256: string; read(): Readable }
  /** The whole exchange, body included, ends within this time. */
  timeoutMs: number
}

const NOTHING_SHA256 = sha256('')
const PAUSES_MS = [100, 400]
const CONNECTIONS_MAX = 64
const ERROR_BYTES_MAX = 65_536

/** Signed requests with Node's http client, because its streams take half of the CPU of `fetch` for a file. */
export function createS3Calls(
  { sessionToken, ...credentials }: S3Credentials,
  region: string,
  { silenceMs }: S3Limits,
) {
  const agents = {
    'http:': new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX }),
    'https:': new TlsAgent({ keepAlive: true, maxSockets: CONNECTIONS_MAX }),
  }
  const signingKeys = new Map<string, ArrayBuffer>()

  async function sign({ method, url, headers, body }: S3Call): Promise<Record<string, string>> {
    if (signingKeys.size > 1) signingKeys.clear() // one a day
    const signer = new AwsV4Signer({
      ...credentials,
      ...(sessionToken !== undefined && { sessionToken }),
      method,
      url: url.href,
      headers: {
        ...headers,
        'x-amz-content-sha256': body?.sha256 ?? NOTHING_SHA256,
        ...(body && { 'content-length': String(body.size) }),
      },
      service: 's3',
      region,
      cache: signingKeys,
    })
    return Object.fromEntries((await signer.sign()).headers)
  }

  function exchange({ method, url, body, timeoutMs }: S3Call, headers: Record<string, string>) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const secure = url.protocol === 'https:'
    const agent = agents[secure ? 'https:' : 'http:']
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers,
      agent,
      timeout: silenceMs,
    })
    let response: IncomingMessage | undefined

    const giveUp = (reason: string) => (response ?? request).destroy(new Error(reason))
    const deadline = setTimeout(giveUp, timeoutMs, `S3 took longer than ${timeoutMs} ms`)
    request.once('close', () => clearTimeout(deadline))
    request.on('timeout', () => {
      // Backpressure from a slow reader also pauses the connection: do not count it as a stalled S3.
      const waitsForReader = response && response.readableLength >= response.readableHighWaterMark
      if (!waitsForReader) giveUp(`S3 sent nothing for ${silenceMs} ms`)
    })
    request.on('error', reject)
    // Without a listener Node would drop the connection without an event.
    request.once('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new Error('S3 switched to another protocol'))
    })
    request.once('response', (answer) => {
      // Readers get the error from the stream; without this listener an unread response would crash the process.
      answer.on('error', () => {})
      // S3 may reject a request before it has read the body; the body would then never drain.
      answer.once('close', () => request.writableFinished || request.destroy())
      resolve((response = answer))
    })
    if (body) pipeline(body.read(), request, (error) => error && reject(error))
    else request.end()
    return promise
  }

  return {
    /** Returns the response, or undefined if there is no such object; throws `service_unavailable` for any other status. */
    async send(call: S3Call): Promise<IncomingMessage | undefined> {
      for (let attempt = 0; ; attempt++) {
        const result = await exchange(call, await sign(call)).catch((error: Error) => error)
        if (!(result instanceof Error) && isExpected(result.statusCode)) return result

        const failure =
          result instanceof Error ? { error: result, passing: codeOf(result) !== '' } : await read(result)
        if (failure === 'absent') return undefined
        const pauseMs = PAUSES_MS[attempt]
        if (!failure.passing || pauseMs === undefined) throw unavailable(failure.error)
        await pause(pauseMs)
      }
    },

    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

const RANGE_NOT_SATISFIABLE = 416
const isExpected = (status = 0) => status < 300 || status === RANGE_NOT_SATISFIABLE

/** Only the error code is logged: the rest of the response may quote the signed text. */
async function read(answer: IncomingMessage) {
  const { statusCode: status = 0 } = answer
  const code = /<Code>(\w+)</.exec(await textOf(answer, ERROR_BYTES_MAX))?.[1] ?? ''
  if (status === 404 && code !== 'NoSuchBucket') return 'absent'
  return {
    error: new Error(`S3 answered ${status} ${code}`.trimEnd()),
    passing: status >= 500 || status === 429,
  }
}

export async function textOf(answer: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bytesMax) throw new Error(`S3 answered more than ${bytesMax} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw unavailable(error)
  }
  return Buffer.concat(chunks).toString()
}
