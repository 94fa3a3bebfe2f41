import { once } from 'node:events'
import { Readable } from 'node:stream'

import { OWN_FUNCTIONS } from '@svc/contract/config/urls'

import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Exchange, Outgoing } from '../../platform/network/outbound.ts'
import type { FunctionResponse } from '../../platform/ports/functions-engine.ts'
import type { Ids } from '../../platform/random.ts'
import type { OwnRequest } from './gateway.ts'

type OwnCallDeps = {
  ids: Ids
  send(environment: Environment, request: OwnRequest): Promise<FunctionResponse>
}

/** What the service posts to the functions of an environment, without network. `url` is `/.fn/<path>`. Never throws. */
export function createOwnCalls({ ids, send }: OwnCallDeps) {
  async function exchange(
    environment: Environment,
    { url, headers, body, answerBytesMax }: Omit<Outgoing, 'allowLoopback'>,
    signal: AbortSignal,
  ): Promise<Exchange> {
    const bytes = Buffer.from(body)
    const response = await send(environment, {
      method: 'POST',
      path: url.slice(OWN_FUNCTIONS.length - 1),
      headers: { ...headers, 'content-length': String(bytes.length) },
      body: Readable.from([bytes]),
      requestId: ids('dlv'),
      signal,
    })
    const { status } = response
    const text = await readText(response.body, answerBytesMax, signal)
    return text === undefined
      ? { status, text: '', error: `the answer has more than ${answerBytesMax} bytes` }
      : { status, text, error: null }
  }

  return async (environment: Environment, outgoing: Omit<Outgoing, 'allowLoopback'>): Promise<Exchange> => {
    const signal = AbortSignal.timeout(outgoing.timeoutMs)
    const failed = (error: string): Exchange => ({ status: null, text: '', error })
    const late = once(signal, 'abort').then(() =>
      failed(`no complete answer within ${outgoing.timeoutMs} ms`),
    )
    try {
      return await Promise.race([exchange(environment, outgoing, signal), late])
    } catch (error) {
      if (signal.aborted) return late
      return failed(reasonOf(error))
    }
  }
}

/** Undefined if there are more bytes. */
async function readText(
  body: Buffer | Readable,
  bytesMax: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (Buffer.isBuffer(body)) return body.length > bytesMax ? undefined : body.toString()
  const chunks: Buffer[] = []
  let bytes = 0
  signal.addEventListener('abort', () => body.destroy(), { once: true })
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // Leaving the loop destroys the body.
    if ((bytes += chunk.length) > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  return error.code === 'not_found'
    ? 'this environment has no live functions'
    : `the functions answer ${error.code}`
}
