import { SvcError } from '../http/errors.ts'
import { thisPlatform } from '../http/platform.ts'

/** Options for `verifyWebhook`. */
export type WebhookOptions = {
  /** The greatest age of a delivery (default: 300). */
  toleranceSeconds?: number
  /** The time in milliseconds; for tests. */
  now?: () => number
}

/**
 * Verifies that a webhook delivery is from svc. Resolves with the parsed body.
 *
 * @param rawBody The body as it arrived, before any parsing.
 * @param header The header `Svc-Signature`.
 * @param secret The secret from `server.webhook.secret()`.
 * @throws `invalid_signature` The delivery is not from svc, or is too old.
 *
 * @example
 * import { verifyWebhook } from '@svc/sdk/server'
 *
 * const rawBody = await request.text()
 * const signature = request.headers.get('Svc-Signature')
 * const report = await verifyWebhook(rawBody, signature, secret)
 * console.log(report) // → { type: 'stats.verify' }
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { toleranceSeconds = 300, now = thisPlatform().now }: WebhookOptions = {},
): Promise<unknown> {
  const { time, signatures } = read(header ?? '')
  if (time === undefined || signatures.length === 0) throw invalid('the header has no time or no signature')
  if (Math.abs(now() / 1_000 - Number(time)) > toleranceSeconds) throw invalid('the delivery is too old')

  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  const key = await importKey(secret)
  const signed = new TextEncoder().encode(`${time}.${text}`)
  for (const signature of signatures) {
    const bytes = fromHex(signature)
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text)
  }
  throw invalid('the signature does not match the body and the secret')
}

const invalid = (message: string) => new SvcError('invalid_signature', { message })

const importKey = (secret: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])

/** Parses `t=1767225600,v1=…`; during a rotation of the secret there may be several signatures. */
function read(header: string): { time: string | undefined; signatures: string[] } {
  const pairs = header.split(',').map((pair) => pair.trim().split('='))
  const valuesOf = (name: string) => pairs.filter(([key]) => key === name).map(([, value = '']) => value)
  const [time] = valuesOf('t')
  return { time: time !== undefined && /^\d+$/.test(time) ? time : undefined, signatures: valuesOf('v1') }
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
