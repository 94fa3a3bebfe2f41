import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import { close, listen } from './oidc-provider.ts'
import {
  chargeOf,
  type Dispute,
  moveFunds,
  newDispute,
  newEvent,
  type PaymentIntent,
  type Session,
} from './stripe-objects.ts'

const CREATE_PARAMETERS =
  /^(mode|client_reference_id|success_url|cancel_url|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|payment_intent_data\[metadata\]\[\w+\]|payment_method_options\[card\]\[request_three_d_secure\])$/
const REQUIRED = [
  'mode',
  'success_url',
  'line_items[0][quantity]',
  'line_items[0][price_data][currency]',
  'line_items[0][price_data][unit_amount]',
  'line_items[0][price_data][product_data][name]',
]
const LIST_PARAMETERS = /^(created\[gte\]|status|limit|starting_after|payment_intent)$/
const [AMOUNT_MIN, AMOUNT_MAX, LIMIT_MAX, EXPIRES_SECONDS] = [50, 99_999_999, 100, 86_400]

type Answer = { status: number; body: unknown }
export type Delivery = {
  /** Where events go: the webhook of a service. */
  deliver(body: string, signature: string | undefined): Promise<number>
}
/** `ageSeconds` below 0 is a signature from the future. */
export type EventOptions = {
  secret?: string
  ageSeconds?: number
  id?: string
  signature?: string
  livemode?: boolean
}

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

/**
 * As strict as Stripe in the parts that we use: secret key, API version, unknown and missing parameters, amounts, one set of
 * parameters per idempotency key, pages that expire. It stores the responses of a key, and can be set to fail or hang. What a customer
 * or a bank does (`pay`, `transfer`, `withdraw` …) changes its state; events are sent by other calls, so that tests can lose,
 * repeat and reorder them.
 */
export async function startFakeStripe({ nowMs = Date.now }: { nowMs?: () => number } = {}) {
  const [secretKey, webhookSecret] = ['sk_test_stand_in', 'whsec_stand_in']
  const sessions = new Map<string, Session>()
  const intents = new Map<string, PaymentIntent>()
  const answers = new Map<string, { hash: string; answer: Answer }>()
  const requests: string[] = []
  let [failures, webhook, held] = [
    0,
    undefined as Delivery | undefined,
    undefined as Promise<void> | undefined,
  ]
  const seconds = () => Math.floor(nowMs() / 1_000)

  const { server, origin } = await listen((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    requests.push(`${request.method} ${request.url}`)
    const { status, body: answer } = await answerTo(request, body)
    await held
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_stand_in' })
      .end(JSON.stringify(answer))
  }

  async function answerTo({ method, url = '', headers }: IncomingMessage, body: string): Promise<Answer> {
    if (headers.authorization !== `Bearer ${secretKey}`) return refusal(401, 'Invalid API Key provided')
    if (!headers['stripe-version']) return refusal(400, 'No API version')
    if (failures > 0) {
      failures--
      return { status: 500, body: { error: { type: 'api_error', message: 'told to fail' } } }
    }
    const { pathname, searchParams } = new URL(url, origin)
    const [, id] = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(pathname) ?? []
    if (method === 'GET' && id !== undefined) {
      const session = sessions.get(id)
      if (!session) return refusal(404, `No such checkout.session: ${id}`)
      expireIfOver(session)
      return { status: 200, body: session }
    }
    const [, intentId] = /^\/v1\/payment_intents\/(\w+)$/.exec(pathname) ?? []
    if (method === 'GET' && intentId !== undefined) {
      const intent = intents.get(intentId)
      return intent ? { status: 200, body: intent } : refusal(404, `No such payment_intent: ${intentId}`)
    }
    if (pathname !== '/v1/checkout/sessions') return refusal(404, `Unrecognized request URL: ${pathname}`)
    if (method === 'GET') return list(searchParams)
    return once(headers['idempotency-key'], body, () => create(new URLSearchParams(body)))
  }

  function expireIfOver(session: Session) {
    if (session.status === 'open' && session.expires_at <= seconds()) expire(session)
  }
  const expire = (session: Session) => Object.assign(session, { status: 'expired' as const, url: null })

  /** The customer finishes the page: with a card the money is there, with a bank transfer it is on its way. */
  function complete(session: Session, status: 'succeeded' | 'processing'): Session {
    expireIfOver(session)
    if (session.status !== 'open') throw new Error(`the page of ${session.id} is ${session.status}`)
    const { amount_total: amount, currency } = session
    const id = `pi_${session.id.slice(8)}`
    intents.set(id, { id, object: 'payment_intent', amount, currency, status })
    session.payment_intent = id
    session.status = 'complete'
    session.payment_status = status === 'succeeded' ? 'paid' : 'unpaid'
    session.url = null
    return session
  }

  /** The bank has transferred the money, or has refused to. */
  function settle(session: Session, status: 'succeeded' | 'requires_payment_method'): Session {
    const intent = intents.get(session.payment_intent ?? '')
    if (intent?.status !== 'processing') throw new Error(`no transfer of ${session.id} is on its way`)
    intent.status = status
    if (status === 'succeeded') session.payment_status = 'paid'
    return session
  }

  function once(key: string | string[] | undefined, body: string, work: () => Answer): Answer {
    if (typeof key !== 'string') return work()
    const hash = createHash('sha256').update(body).digest('hex')
    const known = answers.get(key)
    if (known && known.hash !== hash)
      return refusal(400, 'Keys for idempotent requests…', 'idempotency_error')
    const answer = known?.answer ?? work()
    answers.set(key, { hash, answer })
    return answer
  }

  function create(form: URLSearchParams): Answer {
    const unknown = [...form.keys()].find((name) => !CREATE_PARAMETERS.test(name))
    if (unknown !== undefined) return refusal(400, `Received unknown parameter: ${unknown}`)
    const missing = REQUIRED.find((name) => !form.has(name))
    if (missing !== undefined) return refusal(400, `Missing required param: ${missing}`)
    const amount = Number(form.get('line_items[0][price_data][unit_amount]'))
    if (!Number.isInteger(amount) || amount < AMOUNT_MIN || amount > AMOUNT_MAX)
      return refusal(400, 'Invalid amount')
    if (form.get('mode') !== 'payment') return refusal(400, 'Invalid mode')
    for (const name of ['success_url', 'cancel_url'])
      if (form.has(name) && !/^https?:$/.test(URL.parse(form.get(name) ?? '')?.protocol ?? ''))
        return refusal(400, `Not a valid URL: ${name}`)
    const id = `cs_test_${randomBytes(12).toString('hex')}`
    const session: Session = {
      id,
      object: 'checkout.session',
      livemode: false,
      mode: 'payment',
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: null,
      amount_total: amount,
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      client_reference_id: form.get('client_reference_id'),
      created: seconds(),
      expires_at: seconds() + EXPIRES_SECONDS,
      url: `${origin}/pay/${id}`,
    }
    sessions.set(id, session)
    return { status: 200, body: { ...session } }
  }

  function list(query: URLSearchParams): Answer {
    const unknown = [...query.keys()].find((name) => !LIST_PARAMETERS.test(name))
    if (unknown !== undefined) return refusal(400, `Received unknown parameter: ${unknown}`)
    const limit = Number(query.get('limit') ?? 10)
    if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) return refusal(400, 'Invalid limit')
    for (const session of sessions.values()) expireIfOver(session)
    const fits = [...sessions.values()]
      .toReversed()
      .filter(
        (session) =>
          session.created >= Number(query.get('created[gte]') ?? 0) &&
          (!query.has('status') || session.status === query.get('status')) &&
          (!query.has('payment_intent') || session.payment_intent === query.get('payment_intent')),
      )
    const from = fits.findIndex(({ id }) => id === query.get('starting_after')) + 1
    const data = fits.slice(from, from + limit)
    const body = { object: 'list', url: '/v1/checkout/sessions', data, has_more: from + limit < fits.length }
    return { status: 200, body }
  }

  const sessionOf = (checkoutId: string): Session => {
    const found = [...sessions.values()].find((session) => session.client_reference_id === checkoutId)
    if (!found) throw new Error(`Stripe knows no session of ${checkoutId}`)
    return found
  }

  /** Sends a signed event to the webhook; returns the status of its response. */
  async function emit(type: string, object: object, options: EventOptions = {}): Promise<number> {
    const { secret = webhookSecret, ageSeconds = 0, id, livemode = false } = options
    const head = { created: seconds(), livemode, ...(id !== undefined && { id }) }
    const body = JSON.stringify(newEvent(type, object, head))
    const at = seconds() - ageSeconds
    const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    if (!webhook) throw new Error('no webhook is set')
    return webhook.deliver(body, options.signature ?? `t=${at},v1=${digest}`)
  }

  return {
    origin,
    secretKey,
    webhookSecret,
    sessions,
    requests,
    emit,
    sessionOf,
    setWebhook: (delivery: Delivery) => void (webhook = delivery),
    fail: (times: number) => void (failures = times),
    /** Responses are sent when the promise resolves; their effects happen before. */
    hold: (until: Promise<void> | undefined) => void (held = until),

    /** The customer pays with a card. */
    pay: (checkoutId: string) => complete(sessionOf(checkoutId), 'succeeded'),
    /** The customer orders a bank transfer, which takes days. */
    transfer: (checkoutId: string) => complete(sessionOf(checkoutId), 'processing'),
    transferred: (session: Session) => settle(session, 'succeeded'),
    transferFailed: (session: Session) => settle(session, 'requires_payment_method'),
    expire: (checkoutId: string) => expire(sessionOf(checkoutId)),
    completed: (session: Session, options?: EventOptions) =>
      emit('checkout.session.completed', session, options),
    refunded: (session: Session, totalCents: number, options?: EventOptions) =>
      emit('charge.refunded', chargeOf(session, totalCents), options),

    /** A bank asks about a payment. Nothing moves before `withdraw`. */
    inquire: (session: Session, cents: number) => newDispute(session, cents, seconds()),
    withdraw(dispute: Dispute) {
      dispute.status = 'needs_response'
      moveFunds(dispute, -dispute.amount)
    },
    win(dispute: Dispute, cents = dispute.amount) {
      dispute.status = 'won'
      moveFunds(dispute, cents)
    },
    /** Sends an event `charge.dispute.…` with the dispute as it is now. */
    disputeEvent: (
      name: 'created' | 'closed' | 'funds_withdrawn' | 'funds_reinstated',
      dispute: Dispute,
      options?: EventOptions,
    ) => emit(`charge.dispute.${name}`, dispute, options),
    stop: () => close(server),
  }
}

const refusal = (status: number, message: string, type = 'invalid_request_error'): Answer => ({
  status,
  body: { error: { type, message } },
})
