import { LIMITS } from '@svc/contract/common/limits'
import type { Checkout, CheckoutStatus } from '@svc/contract/money'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { isLoopbackHost } from '../../platform/network/networks.ts'
import { InvalidSignatureError, type Payments } from '../../platform/ports/payments.ts'
import type { Ids } from '../../platform/random.ts'
import type { CheckoutRow, CheckoutStore } from './checkout-store.ts'
import type { Ledger } from './ledger.ts'
import type { PaymentEvents } from './payment-events.ts'

type CheckoutDeps = {
  clock: Clock
  ids: Ids
  ledger: Pick<Ledger, 'change'>
  /** Undefined when nothing is charged. */
  provider: { payments: Payments; events: PaymentEvents } | undefined
  /** For the operator's log. */
  reportFailure(failure: { err: unknown }): void
}

export type NewCheckout = { amount: unknown; successUrl: string; cancelUrl: string }
export type Checkouts = ReturnType<typeof createCheckouts>

const KEY_TTL_MS = LIMITS.idempotencyResponseTtlMs
const ASK_EVERY_MS = 10 * SECOND_MS
const ASK_AT_ONCE_MAX = 100
const UNPAID_TTL_MS = 30 * DAY_MS
const EVENT_TTL_MS = 90 * DAY_MS

/** Payments on a hosted page. A checkout gives no credit until the provider reports the payment. */
export function createCheckouts(store: CheckoutStore, deps: CheckoutDeps) {
  const { clock, ids, ledger, provider, reportFailure } = deps

  /** The row is written before the provider is called. A second request with the same key gets the same row, also after a crash. */
  const rowFor = (developerId: string, idempotencyKey: string, wanted: Wanted): Promise<CheckoutRow> =>
    ledger.change(developerId, async (_book, transaction) => {
      const checkouts = store.in(transaction)
      const known = await checkouts.findByKey(developerId, idempotencyKey)
      if (known && known.createdAt > timestamp(clock, -KEY_TTL_MS)) {
        if (!isSame(known, wanted)) throw new ApiError('idempotency_key_reused')
        return known
      }
      if (known) await checkouts.releaseKey(known.id)
      const row = { ...NEW, ...wanted, id: ids('chk'), developerId, idempotencyKey }
      const checkout = { ...row, createdAt: timestamp(clock), expiresAt: timestamp(clock, DAY_MS) }
      await checkouts.insert(checkout)
      return checkout
    })

  /** The provider uses the checkout's id as its idempotency key, so a crash in between cannot cause a second payment page. */
  async function openAtProvider(payments: Payments, row: CheckoutRow): Promise<CheckoutRow> {
    const { id, amount: amountCents, successUrl, cancelUrl } = row
    const created = await payments
      .createCheckout({ id, amountCents, successUrl, cancelUrl })
      .catch((error: unknown) => {
        reportFailure({ err: error })
        throw new ApiError('service_unavailable', { provider: payments.provider })
      })
    await store.setProvider(id, created)
    return { ...row, ...created }
  }

  /** Polls the provider at most once per interval and checkout. If the provider does not answer, nothing changes. */
  async function askIfDue(row: CheckoutRow, everyMs = ASK_EVERY_MS): Promise<void> {
    if (!provider) return
    if (!(await store.claimAsking(row.id, timestamp(clock), timestamp(clock, -everyMs)))) return
    await provider.events.ask(row).catch((error: unknown) => reportFailure({ err: error }))
  }

  return {
    async create(developerId: string, idempotencyKey: string, input: NewCheckout): Promise<Checkout> {
      if (!provider) throw new ApiError('feature_unavailable')
      const wanted = requireValid(input)
      const row = await rowFor(developerId, idempotencyKey, wanted)
      return view(row.url === null ? await openAtProvider(provider.payments, row) : row)
    },

    async read(developerId: string, id: string): Promise<Checkout> {
      const row = await store.find(id)
      if (row?.developerId !== developerId) throw new ApiError('checkout_not_found')
      if (row.status !== 'open') return view(row)
      await askIfDue(row)
      return view((await store.find(id)) ?? row)
    },

    /** Books an event of the provider. Throws `invalid_signature` if the event is not from the provider. */
    async receive(body: Buffer, signature: string | undefined): Promise<{ received: true }> {
      if (provider?.payments.provider !== 'stripe') throw new ApiError('not_found')
      await provider.events.handle(verifiedEvent(provider.payments, body, signature))
      return { received: true }
    },

    /** For the test page: the checkout and its state, or undefined if there is no such checkout. */
    async readForTest(id: string): Promise<CheckoutRow | undefined> {
      const row = provider?.payments.provider === 'test' ? await store.find(id) : undefined
      if (row?.status === 'open' && row.expiresAt <= timestamp(clock)) return { ...row, status: 'expired' }
      return row
    },

    /** For the test page: what a payment provider would report. */
    finishTest: (row: CheckoutRow, isPaid: boolean) =>
      provider?.events.handle(
        isPaid
          ? {
              id: `test:${row.id}`,
              type: 'paid',
              kind: 'paid',
              checkoutId: row.id,
              paymentId: row.id,
              amountCents: row.amount,
              currency: 'usd',
            }
          : { id: `test:${row.id}`, type: 'cancelled', kind: 'cancelled', checkoutId: row.id },
      ),

    /** Finds payments whose events were lost: polls all open checkouts, also those that a developer has just polled. */
    async askForOpen(): Promise<void> {
      if (!provider) return
      let rows: CheckoutRow[] = []
      do {
        rows = await store.listOpen(rows.at(-1)?.id ?? '', ASK_AT_ONCE_MAX)
        for (const row of rows) await askIfDue(row, 0)
      } while (rows.length === ASK_AT_ONCE_MAX)
    },

    purgeExpired: (stopping?: AbortSignal) =>
      store.purge(
        { unpaid: timestamp(clock, -UNPAID_TTL_MS), events: timestamp(clock, -EVENT_TTL_MS) },
        stopping,
      ),
  }

  function verifiedEvent(payments: Payments, body: Buffer, signature: string | undefined) {
    try {
      return payments.readEvent(body, signature, clock.now().getTime())
    } catch (error) {
      if (error instanceof InvalidSignatureError) throw new ApiError('invalid_signature')
      throw error
    }
  }
}

type Wanted = Pick<CheckoutRow, 'amount' | 'successUrl' | 'cancelUrl'>

const NEW = {
  status: 'open',
  providerId: null,
  url: null,
  askedAt: null,
  paidAt: null,
  paymentId: null,
  refunded: 0,
  disputed: 0,
} as const

function requireValid({ amount, successUrl, cancelUrl }: NewCheckout): Wanted {
  const isAmount =
    typeof amount === 'number' &&
    Number.isInteger(amount) &&
    amount >= LIMITS.checkoutCentsMin &&
    amount <= LIMITS.checkoutCentsMax
  if (!isAmount) throw new ApiError('invalid_amount')
  const errors = Object.entries({ successUrl, cancelUrl })
    .filter(([, url]) => !isReturnUrl(url))
    .map(([name]) => ({ path: `$.${name}`, message: 'must be an https URL, or http on loopback' }))
  if (errors.length > 0) throw new ApiError('invalid_request', { errors })
  return { amount, successUrl, cancelUrl }
}

function isReturnUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''))
}

const isSame = (row: CheckoutRow, wanted: Wanted) =>
  row.amount === wanted.amount && row.successUrl === wanted.successUrl && row.cancelUrl === wanted.cancelUrl

const view = (row: CheckoutRow): Checkout => ({
  id: row.id,
  url: row.url ?? '',
  status: row.status as CheckoutStatus,
  amount: row.amount,
  currency: 'usd',
  expiresAt: row.expiresAt,
})
