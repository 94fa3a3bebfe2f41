import { createHmac } from 'node:crypto'

import { LIMITS } from '@svc/contract/common/limits'
import { OWN_FUNCTIONS } from '@svc/contract/config/urls'
import type { Delivery, RejectedReason } from '@svc/contract/stats'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, HOUR_MS, timestamp, monotonicMs } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Exchange, Outgoing } from '../../platform/network/outbound.ts'
import { type Ids, type Random, randomText } from '../../platform/random.ts'
import type { Deliveries } from './deliveries.ts'
import type { StatsConfig } from './integrity.ts'

export type Webhook = StatsConfig['integrity']['stats']['webhook']
export type Report = { playerId: string; stats: Record<string, number>; submittedAt: string }

export type WebhookDeps = {
  clock: Clock
  random: Random
  ids: Ids
  secrets: {
    read(id: string): Promise<string | undefined>
    getOrCreate(id: string, make: () => string): Promise<string>
  }
  outbound: { post(outgoing: Outgoing): Promise<Exchange> }
  /** Posts to `/.fn/<path>`: the functions of the environment, inside the service. */
  postToFunctions(environment: Environment, outgoing: Omit<Outgoing, 'allowLoopback'>): Promise<Exchange>
  deliveries: Deliveries
  config: { current(environmentId: string): Awaitable<{ config: StatsConfig }> }
  /** Whether the service is used only on this machine: then the developer's localhost is this machine. */
  isLocal: boolean
}

export type VerificationWebhook = ReturnType<typeof createVerificationWebhook>

type Verification = { isAnswered: boolean; reasonAgainst(key: string): RejectedReason | undefined }
type Verdict = (key: string) => boolean
type Message = { kind: Delivery['kind']; body: string }

/** Concurrent requests per environment and node, so that a slow server of one game does not block the others. */
const IN_FLIGHT_MAX = 50
const SECRETS_REMEMBERED_MAX = 5_000

/** Asks the developer's server to approve a report (STA-12 … STA-15). */
export function createVerificationWebhook(deps: WebhookDeps) {
  const { clock, random, ids, secrets, outbound, deliveries, config: configs, isLocal } = deps
  const inFlight = new Map<string, number>()

  /** Created at the first use; never changes. */
  const knownSecrets = createCache({
    read: async (id) =>
      (await secrets.read(id)) ?? secrets.getOrCreate(id, () => `whsec_${randomText(random, 40)}`),
    ttlMs: HOUR_MS,
    entriesMax: SECRETS_REMEMBERED_MAX,
  })
  const secretOf = (environmentId: string) => knownSecrets.get(secretId(environmentId))

  async function exchange(environment: Environment, url: string, timeoutMs: number, body: string) {
    const count = inFlight.get(environment.id) ?? 0
    if (count >= IN_FLIGHT_MAX)
      return { status: null, text: '', error: `${IN_FLIGHT_MAX} others are in flight` }

    inFlight.set(environment.id, count + 1)
    try {
      const secret = await secretOf(environment.id)
      const outgoing = {
        url,
        headers: { 'content-type': 'application/json', 'svc-signature': signatureOf(secret, clock, body) },
        body,
        timeoutMs,
        answerBytesMax: LIMITS.webhookAnswerBytesMax,
      }
      if (url.startsWith(OWN_FUNCTIONS)) return await deps.postToFunctions(environment, outgoing)
      return await outbound.post({
        ...outgoing,
        allowLoopback: isLocal && environment.name === 'development',
      })
    } finally {
      const left = (inFlight.get(environment.id) ?? 1) - 1
      if (left > 0) inFlight.set(environment.id, left)
      else inFlight.delete(environment.id)
    }
  }

  async function deliver(
    environment: Environment,
    { url, timeoutMs }: { url: string; timeoutMs: number },
    { kind, body }: Message,
  ): Promise<{ delivery: Delivery; verdict: Verdict | undefined }> {
    const [at, startedAt] = [timestamp(clock), monotonicMs()]
    const answer = await exchange(environment, url, timeoutMs, body)
    const verdict = verdictIn(answer)
    const delivery: Delivery = {
      id: ids('dlv'),
      at,
      kind,
      url,
      status: answer.status,
      durationMs: Math.round(monotonicMs() - startedAt),
      outcome: typeof verdict === 'string' ? 'failed' : 'answered',
      error: typeof verdict === 'string' ? verdict : null,
      answer: answer.status === null ? null : beginningOf(answer.text),
    }
    deliveries.note(environment.id, { ...delivery, request: body })
    return { delivery, verdict: typeof verdict === 'string' ? undefined : verdict }
  }

  async function send(environment: Environment, message: Message): Promise<{ delivery: Delivery }> {
    const { url, timeoutMs } = (await configs.current(environment.id)).config.integrity.stats.webhook
    if (url === null) throw new ApiError('webhook_not_configured')
    const { delivery } = await deliver(environment, { url, timeoutMs }, message)
    return { delivery }
  }

  return {
    secret: async ({ id }: Environment) => ({ secret: await secretOf(id) }),

    /** Returns why a value is rejected, if it is; `isAnswered` is false if `onFailure` decides. */
    async verify(
      environment: Environment,
      { url, timeoutMs, onFailure }: Webhook,
      report: Report,
    ): Promise<Verification> {
      if (url === null) return { isAnswered: false, reasonAgainst: () => undefined }
      const body = JSON.stringify({ type: 'stats.verify', environmentId: environment.id, ...report })
      const { verdict } = await deliver(environment, { url, timeoutMs }, { kind: 'stats.verify', body })
      if (verdict)
        return {
          isAnswered: true,
          reasonAgainst: (key) => (verdict(key) ? undefined : 'verification_rejected'),
        }
      const reason = onFailure === 'accept' ? undefined : 'verification_unavailable'
      return { isAnswered: false, reasonAgainst: () => reason }
    },

    async test(environment: Environment): Promise<{ delivery: Delivery }> {
      const report = { playerId: null, stats: {}, submittedAt: timestamp(clock) }
      const body = JSON.stringify({ type: 'test', environmentId: environment.id, ...report })
      return send(environment, { kind: 'test', body })
    },

    /** Sends the same body with a new signature to the currently configured URL. The answer is recorded, not applied. */
    async replay(environment: Environment, deliveryId: string): Promise<{ delivery: Delivery }> {
      const body = await deliveries.requestOf(environment.id, deliveryId)
      return send(environment, { kind: 'replay', body })
    },
  }
}

const secretId = (environmentId: string) => `stats:webhook:${environmentId}`

/** STA-13; the scheme that payment providers use, so that their libraries can check it. */
function signatureOf(secret: string, clock: Clock, body: string): string {
  const t = Math.floor(clock.now().getTime() / 1_000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

/** The stats that an answer approves (STA-14), or a sentence why the answer is invalid. */
function verdictIn({ status, text, error }: { status: number | null; text: string; error: string | null }) {
  if (error !== null) return error
  if (status === null || status < 200 || status > 299) return `the answer has status ${status}`

  const answer = parsed(text)
  if (answer === undefined) return 'the answer is not JSON'
  const { approve, results } = (answer ?? {}) as { approve?: unknown; results?: unknown }
  if (typeof approve === 'boolean') return (): boolean => approve
  if (typeof results !== 'object' || results === null || Array.isArray(results))
    return 'the answer has neither approve nor results'
  return (key: string): boolean => Reflect.get(results, key) === true
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Text that databases accept: without U+0000 and without an unpaired surrogate at its end. */
const beginningOf = (text: string) =>
  text.slice(0, LIMITS.webhookAnswerKeptLength).replaceAll('\0', '\uFFFD').toWellFormed()
