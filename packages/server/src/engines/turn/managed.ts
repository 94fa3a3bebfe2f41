import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { createOutbound } from '../../platform/network/outbound.ts'
import type { IceServers, Turn } from '../../platform/ports/turn.ts'
import { iceServersIn } from './ice-servers.ts'

export type ManagedSettings =
  | { provider: 'cloudflare'; keyId: string; apiToken: string; apiBaseUrl: string | undefined }
  | { provider: 'twilio'; accountSid: string; authToken: string; apiBaseUrl: string | undefined }

type Call = { url: string; headers: Record<string, string>; body: string }
type CachedIceServers = { answer: IceServers; staleAtMs: number; expiresAtMs: number }

const DEADLINE_MS = 3_000
const ANSWER_BYTES_MAX = 64 * 1024
/** After a failure the provider is not called again for this time. */
const RETRY_AFTER_MS = 10 * SECOND_MS

/** TURN of a provider: one call returns servers and credentials, which all players share until half of their lifetime. */
export function openManaged(
  settings: ManagedSettings,
  { clock, log }: { clock: Clock; log(line: string): void },
): Turn {
  const outbound = createOutbound()
  const call = callOf(settings)
  let cached: CachedIceServers | undefined
  let retryAtMs = 0
  let fetching: Promise<void> | undefined

  async function fetchServers() {
    const [expiresAt, sentAtMs] = [timestamp(clock, LIMITS.turnCredentialTtlMs), clock.elapsedMs()]
    const { status, text, error } = await outbound.post({
      ...call,
      timeoutMs: DEADLINE_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      allowLoopback: settings.apiBaseUrl !== undefined,
    })
    const iceServers = error === null && (status === 200 || status === 201) ? iceServersIn(text) : undefined
    if (!iceServers) {
      retryAtMs = clock.elapsedMs() + RETRY_AFTER_MS
      return log(`TURN_PROVIDER ${settings.provider}: ${error ?? `answered ${status} without TURN servers`}.`)
    }
    cached = {
      answer: { iceServers, expiresAt },
      staleAtMs: sentAtMs + LIMITS.turnCredentialTtlMs / 2,
      expiresAtMs: sentAtMs + LIMITS.turnCredentialTtlMs,
    }
  }

  async function iceServers() {
    const nowMs = clock.elapsedMs()
    if ((!cached || nowMs >= cached.staleAtMs) && nowMs >= retryAtMs) {
      await (fetching ??= fetchServers().finally(() => (fetching = undefined)))
    }
    return cached && clock.elapsedMs() < cached.expiresAtMs ? cached.answer : undefined
  }

  return {
    isOfOneNode: false,
    iceServers,
    async ping() {
      if (!(await iceServers())) throw new Error(`${settings.provider} gives no TURN servers: see the log`)
    },
    async close() {
      await fetching
    },
  }
}

function callOf(settings: ManagedSettings): Call {
  const ttlSeconds = LIMITS.turnCredentialTtlMs / SECOND_MS
  if (settings.provider === 'cloudflare') {
    const { keyId, apiToken, apiBaseUrl = 'https://rtc.live.cloudflare.com' } = settings
    return {
      url: `${apiBaseUrl}/v1/turn/keys/${encodeURIComponent(keyId)}/credentials/generate-ice-servers`,
      headers: { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ttl: ttlSeconds }),
    }
  }
  const { accountSid, authToken, apiBaseUrl = 'https://api.twilio.com' } = settings
  return {
    url: `${apiBaseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Tokens.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `Ttl=${ttlSeconds}`,
  }
}
