import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { PaymentEvent, Payments } from '../../platform/ports/payments.ts'
import type { CheckoutRow, CheckoutStore, Transaction } from './checkout-store.ts'
import type { Book, Ledger } from './ledger.ts'

type PaymentEventDeps = {
  ledger: Pick<Ledger, 'change'>
  clock: Clock
  payments: Pick<Payments, 'provider' | 'findCheckout' | 'readCheckout'>
  /** For the operator's log. */
  reportRefused(problem: { event: string; checkout?: string; reason: string }): void
}

/**
 * `repeated`: booked before. `refused`: does not match its checkout; the operator must check it. `ignored`: not about our
 * checkouts.
 */
type EventOutcome = 'booked' | 'repeated' | 'refused' | 'ignored'
type PaidEvent = Extract<PaymentEvent, { kind: 'paid' }>
type RefusedEvent = Extract<PaymentEvent, { kind: 'refused' }>
type DisputedEvent = Extract<PaymentEvent, { kind: 'disputed' }>
type ReturnedEvent = Extract<PaymentEvent, { kind: 'refunded' }> | DisputedEvent

export type PaymentEvents = ReturnType<typeof createPaymentEvents>

/** Books the events of the payment provider: the only source of paid credit. An event may arrive twice, late, and in any order. */
export function createPaymentEvents(store: CheckoutStore, deps: PaymentEventDeps) {
  const { ledger, clock, payments, reportRefused } = deps

  /** The event and its effects are one transaction: after a crash the provider sends it again. */
  const inOneStep = (
    { developerId, id }: CheckoutRow,
    event: PaymentEvent,
    work: (checkout: CheckoutRow, book: Book, transaction: Transaction) => Promise<EventOutcome>,
  ): Promise<EventOutcome> =>
    ledger.change(developerId, async (book, transaction) => {
      const current = await store.in(transaction).find(id)
      const outcome = current ? await work(current, book, transaction) : 'ignored'
      await store
        .in(transaction)
        .recordEvent({ id: event.id, type: event.type, at: timestamp(clock), outcome })
      return outcome
    })

  function refuse(event: PaymentEvent, checkout: CheckoutRow, reason: string): EventOutcome {
    reportRefused({ event: event.id, checkout: checkout.id, reason })
    return 'refused'
  }

  /** An event that was not looked up: a problem of the settings. */
  async function refuseAny({ id, type, reason }: RefusedEvent): Promise<EventOutcome> {
    reportRefused({ event: id, reason })
    await store.recordEvent({ id, type, at: timestamp(clock), outcome: 'refused' })
    return 'refused'
  }

  const paid = (found: CheckoutRow, event: PaidEvent) =>
    inOneStep(found, event, async (checkout, book, transaction) => {
      const { paymentId, amountCents, currency } = event
      if (currency !== 'usd') return refuse(event, checkout, `paid in ${currency}`)
      if (amountCents !== checkout.amount) return refuse(event, checkout, `${amountCents} cents were paid`)
      if (checkout.status === 'paid')
        return checkout.paymentId === paymentId ? 'repeated' : refuse(event, checkout, 'paid twice')

      await book({
        type: 'topup',
        cents: checkout.amount,
        reference: `${payments.provider}:${paymentId}`,
        description: 'Top-up',
      })
      await store.in(transaction).setPaid(checkout.id, paymentId, timestamp(clock))
      return 'booked'
    })

  const returned = (found: CheckoutRow, event: ReturnedEvent) =>
    inOneStep(found, event, async (checkout, book, transaction) => {
      if (event.currency !== 'usd') return refuse(event, checkout, `returned in ${event.currency}`)
      if (checkout.status !== 'paid') return refuse(event, checkout, 'returned before it was paid')
      // An older event may arrive after a newer one; the total of refunds only grows.
      const refunded = Math.max(checkout.refunded, event.kind === 'refunded' ? event.totalCents : 0)
      const disputed =
        event.kind === 'disputed' ? await noteDispute(transaction, checkout, event) : checkout.disputed
      const returnedCents = (sum: number) => Math.min(checkout.amount, sum)
      const cents = returnedCents(refunded + disputed) - returnedCents(checkout.refunded + checkout.disputed)
      await store.in(transaction).setReturned(checkout.id, refunded, disputed)
      const reference = `${payments.provider}:${event.paymentId}:${event.id}`
      const description = descriptionOf(event, cents)
      if (cents > 0) await book({ type: 'refund', cents, reference, description })
      if (cents < 0) await book({ type: 'reinstatement', cents: -cents, reference, description })
      return cents === 0 ? 'repeated' : 'booked'
    })

  /** Returns what all disputes of the payment have withdrawn and not given back. */
  async function noteDispute(
    transaction: Transaction,
    { id: checkoutId }: CheckoutRow,
    event: DisputedEvent,
  ) {
    const disputes = store.in(transaction)
    const rows = await disputes.disputes(checkoutId)
    const known = rows.find(({ id }) => id === event.disputeId)
    const dispute = {
      id: event.disputeId,
      checkoutId,
      withdrawn: Math.max(known?.withdrawn ?? 0, event.withdrawnCents),
      reinstated: Math.max(known?.reinstated ?? 0, event.reinstatedCents),
    }
    await disputes.writeDispute(dispute)
    return [...rows.filter((row) => row !== known), dispute].reduce(
      (sum, { withdrawn, reinstated }) => sum + Math.max(0, withdrawn - reinstated),
      0,
    )
  }

  /** A refund may arrive before the payment it belongs to: then the provider is asked for the payment first. */
  async function findPaid(event: ReturnedEvent): Promise<CheckoutRow | undefined> {
    const known = await store.findByPayment(event.paymentId)
    if (known) return known
    const id = await payments.findCheckout(event.paymentId).catch(unavailable)
    const checkout = id === undefined ? undefined : await store.find(id)
    if (!checkout) return undefined
    await askProvider(checkout).catch(unavailable)
    return store.find(checkout.id)
  }

  /** Asks the provider for the state of a checkout, and books it like an event. Only the provider ends a checkout that has a page. */
  async function askProvider(checkout: CheckoutRow): Promise<void> {
    const { providerId, expiresAt } = checkout
    if (providerId === null) {
      if (expiresAt <= timestamp(clock)) await store.end(checkout.id, 'expired')
      return
    }
    const { status, paymentId, amountCents, currency } = await payments.readCheckout({
      providerId,
      expiresAt,
    })
    if (status === 'paid' && paymentId !== null) {
      const event = { id: `asked:${checkout.id}`, type: 'asked', kind: 'paid' as const }
      await paid(checkout, { ...event, checkoutId: checkout.id, paymentId, amountCents, currency })
    } else if (status === 'expired' || status === 'cancelled') await store.end(checkout.id, status)
  }

  async function handle(event: PaymentEvent): Promise<EventOutcome> {
    if (event.kind === 'ignored') return 'ignored'
    if (event.kind === 'refused') return refuseAny(event)
    if (event.kind === 'refunded' || event.kind === 'disputed') {
      const checkout = await findPaid(event)
      return checkout ? returned(checkout, event) : 'ignored'
    }
    const checkout = await store.find(event.checkoutId)
    if (!checkout) return 'ignored'
    if (event.kind === 'paid') return paid(checkout, event)
    return (await store.end(checkout.id, event.kind)) === 1 ? 'booked' : 'repeated'
  }

  return { handle, ask: askProvider }
}

function descriptionOf({ kind }: ReturnedEvent, cents: number): string {
  if (kind === 'refunded') return 'Refund'
  return cents > 0 ? 'Disputed payment' : 'Disputed payment, given back'
}

/** The provider sends the event again. */
function unavailable(error: unknown): never {
  throw error instanceof ApiError ? error : new ApiError('service_unavailable')
}
