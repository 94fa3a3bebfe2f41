import { randomBytes } from 'node:crypto'

/** Objects of Stripe's API as it sends them, with the fields that matter here. Amounts are cents. */

export type PaymentIntent = {
  id: string
  object: 'payment_intent'
  amount: number
  currency: string
  status: 'processing' | 'succeeded' | 'requires_payment_method'
}

export type Session = {
  id: string
  object: 'checkout.session'
  livemode: boolean
  mode: 'payment'
  status: 'open' | 'complete' | 'expired'
  payment_status: 'unpaid' | 'paid'
  /** Null until the customer has finished the page. */
  payment_intent: string | null
  amount_total: number
  currency: string
  client_reference_id: string | null
  created: number
  expires_at: number
  url: string | null
}

type BalanceTransaction = {
  id: string
  object: 'balance_transaction'
  amount: number
  currency: string
  fee: number
  net: number
  reporting_category: 'dispute' | 'dispute_reversal'
  type: 'adjustment'
}

export type Dispute = {
  id: string
  object: 'dispute'
  amount: number
  /** Empty for an inquiry; then one entry for the withdrawal, and one for what comes back. */
  balance_transactions: BalanceTransaction[]
  charge: string
  created: number
  currency: string
  is_charge_refundable: boolean
  livemode: boolean
  payment_intent: string | null
  reason: 'fraudulent'
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost'
}

const DISPUTE_FEE = 1_500
const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

export const chargeOf = (session: Session, refunded: number) => ({
  id: `ch_${session.id}`,
  object: 'charge',
  livemode: session.livemode,
  payment_intent: session.payment_intent,
  amount: session.amount_total,
  amount_refunded: refunded,
  refunded: refunded === session.amount_total,
  currency: session.currency,
})

export const newDispute = (session: Session, amount: number, created: number): Dispute => ({
  id: newId('du'),
  object: 'dispute',
  amount,
  balance_transactions: [],
  charge: `ch_${session.id}`,
  created,
  currency: session.currency,
  is_charge_refundable: false,
  livemode: session.livemode,
  payment_intent: session.payment_intent,
  reason: 'fraudulent',
  status: 'warning_needs_response',
})

/** Takes the amount and the fee of a dispute (`cents` below 0), or gives them back. */
export function moveFunds(dispute: Dispute, cents: number): void {
  const fee = cents < 0 ? DISPUTE_FEE : -DISPUTE_FEE
  dispute.balance_transactions.push({
    id: newId('txn'),
    object: 'balance_transaction',
    amount: cents,
    currency: dispute.currency,
    fee,
    net: cents - fee,
    reporting_category: cents < 0 ? 'dispute' : 'dispute_reversal',
    type: 'adjustment',
  })
}

export const newEvent = (
  type: string,
  object: object,
  head: { id?: string; created: number; livemode: boolean },
) => ({
  id: head.id ?? newId('evt'),
  object: 'event',
  api_version: '2025-03-31.basil',
  created: head.created,
  data: { object },
  livemode: head.livemode,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})
