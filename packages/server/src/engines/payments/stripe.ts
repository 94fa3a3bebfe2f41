import { Stripe } from 'stripe'

import {
  type Dispute,
  InvalidSignatureError,
  type PaymentEvent,
  type Payments,
} from '../../platform/ports/payments.ts'

export type StripeSettings = { secretKey: string; webhookSecret: string; apiBaseUrl: string | undefined }

/** Three attempts of 8 s, with pauses: every call ends within 30 s. */
const TIMEOUT_MS = 8_000
const RETRIES_MAX = 2
const PING_TIMEOUT_MS = 4_000
/** Also the other way: a signature may be this far ahead of our clock. */
const SIGNATURE_AGE_SECONDS_MAX = 300
const PAGE_SIZE = 100

/** Payments through Stripe Checkout. */
export function openStripe({ secretKey, webhookSecret, apiBaseUrl }: StripeSettings): Payments {
  const stripe = new Stripe(secretKey, {
    ...(apiBaseUrl !== undefined && addressOf(new URL(apiBaseUrl))),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES_MAX,
    telemetry: false,
  })

  async function isFailed(paymentId: string): Promise<boolean> {
    const { status } = await stripe.paymentIntents.retrieve(paymentId)
    return status === 'requires_payment_method' || status === 'canceled'
  }

  return {
    provider: 'stripe',

    async ping() {
      await stripe.checkout.sessions.list({ limit: 1 }, { timeout: PING_TIMEOUT_MS, maxNetworkRetries: 0 })
    },

    async createCheckout({ id, amountCents, successUrl, cancelUrl }) {
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: id,
          success_url: successUrl,
          cancel_url: cancelUrl,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: 'usd',
                unit_amount: amountCents,
                product_data: { name: 'Prepaid credit' },
              },
            },
          ],
          payment_intent_data: { metadata: { checkout: id } },
          payment_method_options: { card: { request_three_d_secure: 'any' } },
        },
        { idempotencyKey: id },
      )
      if (session.url === null) throw new Error('Stripe returned a checkout session without a URL')
      const expiresAt = new Date(session.expires_at * 1_000).toISOString()
      return { providerId: session.id, url: session.url, expiresAt }
    },

    async readCheckout({ providerId }) {
      const session = await stripe.checkout.sessions.retrieve(providerId)
      const paymentId = idOf(session.payment_intent)
      const hasFailed = isUnpaid(session) && paymentId !== null && (await isFailed(paymentId))
      return {
        status: hasFailed ? 'cancelled' : statusOf(session),
        amountCents: session.amount_total ?? 0,
        currency: session.currency ?? '',
        paymentId,
      }
    },

    readEvent(body, signature, nowMs) {
      try {
        const event = stripe.webhooks.constructEvent(
          body,
          signature ?? '',
          webhookSecret,
          SIGNATURE_AGE_SECONDS_MAX,
          undefined,
          nowMs,
        )
        requireNotAhead(signature ?? '', nowMs)
        return inMode(event, isLiveKey(secretKey))
      } catch (error) {
        throw new InvalidSignatureError('the event is not signed by Stripe', { cause: error })
      }
    },

    async findCheckout(paymentId) {
      const { data } = await stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 1 })
      return data[0]?.client_reference_id ?? undefined
    },

    async *payments(sinceMs) {
      const sessions = stripe.checkout.sessions.list({
        created: { gte: Math.floor(sinceMs / 1_000) },
        status: 'complete',
        limit: PAGE_SIZE,
      })
      for await (const session of sessions) {
        const paymentId = idOf(session.payment_intent)
        const checkoutId = session.client_reference_id
        if (session.payment_status !== 'paid' || paymentId === null || checkoutId === null) continue
        yield { checkoutId, paymentId, amountCents: session.amount_total ?? 0 }
      }
    },
  }
}

/** The library checks only the age of a signature. */
function requireNotAhead(signature: string, nowMs: number) {
  const [, seconds] = /(?:^|,)t=(\d+)/.exec(signature) ?? []
  if (Number(seconds) * 1_000 > nowMs + SIGNATURE_AGE_SECONDS_MAX * 1_000)
    throw new Error('the signature is from the future')
}

/** `sk_live_…`, and `rk_live_…` for a restricted key. */
const isLiveKey = (secretKey: string) => secretKey.includes('_live_')

/** In test mode anybody can pay with a test card: such an event must never book credit on a service with a live key. */
function inMode(event: Stripe.Event, isLive: boolean): PaymentEvent {
  const known = eventOf(event)
  if (known.kind === 'ignored' || Boolean(event.livemode) === isLive) return known
  const [is, not] = isLive ? ['test', 'live'] : ['live', 'test']
  const reason = `the event is from Stripe's ${is} mode, but STRIPE_SECRET_KEY is a ${not} key`
  return { id: event.id, type: event.type, kind: 'refused', reason }
}

function eventOf(event: Stripe.Event): PaymentEvent {
  const { id, type } = event
  const ignored = { id, type, kind: 'ignored' } as const
  if (
    event.type === 'checkout.session.completed' ||
    event.type === 'checkout.session.async_payment_succeeded'
  ) {
    const { client_reference_id: checkoutId, payment_status: status, currency } = event.data.object
    const paymentId = idOf(event.data.object.payment_intent)
    // Some payment methods complete the page before the money has arrived; another event follows then.
    if (status !== 'paid' || checkoutId === null || paymentId === null) return ignored
    const amountCents = event.data.object.amount_total ?? 0
    return { id, type, kind: 'paid', checkoutId, paymentId, amountCents, currency: currency ?? '' }
  }
  if (event.type === 'checkout.session.expired') {
    const checkoutId = event.data.object.client_reference_id
    return checkoutId === null ? ignored : { id, type, kind: 'expired', checkoutId }
  }
  if (event.type === 'checkout.session.async_payment_failed') {
    const checkoutId = event.data.object.client_reference_id
    return checkoutId === null ? ignored : { id, type, kind: 'cancelled', checkoutId }
  }
  if (event.type === 'charge.refunded') {
    const { amount_refunded: totalCents, currency, payment_intent: payment } = event.data.object
    const paymentId = idOf(payment)
    return paymentId === null ? ignored : { id, type, kind: 'refunded', paymentId, totalCents, currency }
  }
  // Not charge.dispute.created and closed: an inquiry moves no money, and a dispute that is won may be paid back in part.
  if (event.type === 'charge.dispute.funds_withdrawn' || event.type === 'charge.dispute.funds_reinstated') {
    const dispute = disputeOf(event.data.object, event.type === 'charge.dispute.funds_reinstated')
    return dispute === undefined ? ignored : { id, type, kind: 'disputed', ...dispute }
  }
  return ignored
}

/** Stripe lists what it moved in `balance_transactions`, in the currency of the account; in another one it is the disputed amount. */
function disputeOf(dispute: Stripe.Dispute, isReinstated: boolean): Dispute | undefined {
  const { id: disputeId, amount, currency, payment_intent: payment } = dispute
  const paymentId = idOf(payment)
  if (paymentId === null) return undefined
  const moved = (dispute.balance_transactions ?? []).filter((entry) => entry.currency === currency)
  const sum = (sign: 1 | -1) => moved.reduce((total, entry) => total + Math.max(0, sign * entry.amount), 0)
  const withdrawnCents = sum(-1) || amount
  const reinstatedCents = isReinstated ? sum(1) || amount : sum(1)
  return { disputeId, paymentId, withdrawnCents, reinstatedCents, currency }
}

function statusOf({ status, payment_status: payment }: Stripe.Checkout.Session) {
  if (payment === 'paid') return 'paid'
  return status === 'expired' ? 'expired' : 'open'
}

/** The customer has finished the page, but a bank transfer is on its way, or has failed. */
const isUnpaid = ({ status, payment_status: payment }: Stripe.Checkout.Session) =>
  status === 'complete' && payment === 'unpaid'

const idOf = (object: string | { id: string } | null): string | null =>
  typeof object === 'string' ? object : (object?.id ?? null)

const addressOf = ({ protocol, hostname, port }: URL) => ({
  host: hostname,
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  protocol: protocol === 'https:' ? ('https' as const) : ('http' as const),
})
