import type { CustomFetch } from 'openid-client'

const ANSWER_BYTES_MAX = 64 * 1024

/**
 * Requests to providers: one deadline for the whole exchange, no redirects, a limited response size. Their URLs come from this
 * program or its operator, never from a caller, so private networks are allowed; http is allowed only on this machine.
 */
export function outbound(deadline: AbortSignal): CustomFetch {
  return async (address, options) => {
    const url = new URL(address)
    if (url.protocol !== 'https:' && !isLoopback(url))
      throw new Error(`${url.origin} is neither https nor on this machine`)

    const answer = await fetch(url, {
      ...options,
      body: (options.body ?? null) as NonNullable<RequestInit['body']>,
      redirect: 'manual',
      signal: deadline,
    })
    const body = await readBounded(answer)
    return new Response(body.length > 0 ? body : null, { status: answer.status, headers: answer.headers })
  }
}

export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

async function readBounded(answer: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer has more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
