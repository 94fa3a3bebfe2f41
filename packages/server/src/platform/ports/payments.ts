/** A payment page to be created. */
export type NewCheckout = {
  /** Also the provider's idempotency key: a repeated call with the same id creates no second page. */
  id: string
  amountCents: number
  successUrl: string
  cancelUrl: string
}

/** A payment page at the provider. */
export type CreatedCheckout = { providerId: string; url: string; expiresAt: string }

/** The state of a payment page, in the words of `CheckoutStatus` of the contract. */
export type PaymentStatus = 'open' | 'paid' | 'expired' | 'cancelled'

/** The provider's state of a payment page. `paymentId` is set if it is paid. */
export type ProviderCheckout = {
  status: PaymentStatus
  amountCents: number
  currency: string
  paymentId: string | null
}

/** What one dispute has moved so far. An inquiry of a bank moves nothing. */
export type Dispute = {
  disputeId: string
  paymentId: string
  withdrawnCents: number
  reinstatedCents: number
  currency: string
}

/** A webhook event of the provider about one of our checkouts. `id` and `type` are the provider's. */
export type PaymentEvent = { id: string; type: string } & (
  | { kind: 'paid'; checkoutId: string; paymentId: string; amountCents: number; currency: string }
  | { kind: 'expired' | 'cancelled'; checkoutId: string }
  /** `totalCents`: everything that was refunded of this payment so far. */
  | { kind: 'refunded'; paymentId: string; totalCents: number; currency: string }
  | ({ kind: 'disputed' } & Dispute)
  /** Signed, but not for this service; the operator must check it. */
  | { kind: 'refused'; reason: string }
  | { kind: 'ignored' }
)

/** A payment that the provider has received. */
export type Payment = { checkoutId: string; paymentId: string; amountCents: number }

/** The signature of an event is missing, wrong, too old, or from the future. */
export class InvalidSignatureError extends Error {}

/**
 * Accepts payments on a page of the provider. Every call ends within 30 s, and throws if the provider cannot be reached or returns
 * an error; only `readEvent` works without the provider.
 */
export type Payments = {
  provider: 'test' | 'stripe'
  /** Creates a payment page that asks for card authentication. */
  createCheckout(checkout: NewCheckout): Promise<CreatedCheckout>
  /** A payment that the provider still processes (bank transfer) is `open`, also after `expiresAt`; a failed one is `cancelled`. */
  readCheckout(checkout: Pick<CreatedCheckout, 'providerId' | 'expiresAt'>): Promise<ProviderCheckout>
  /** Verifies and reads an event. `body` is unchanged, as it was sent; `nowMs` is our time. Throws `InvalidSignatureError`. */
  readEvent(body: Buffer, signature: string | undefined, nowMs: number): PaymentEvent
  /** The checkout that a payment belongs to, or undefined if it is not one of ours. */
  findCheckout(paymentId: string): Promise<string | undefined>
  /** Throws if the provider cannot be reached or does not accept our key. Absent: there is no provider. */
  ping?(): Promise<void>
  /** All payments of our checkouts since this time; undefined if the provider cannot list them. */
  payments(sinceMs: number): AsyncIterable<Payment> | undefined
}
