import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { Cursor, Id, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'

/** Prepaid money: balance, ledger, checkouts, usage, invite codes. Amounts are integer US cents, costs integer micro-USD. */

const Cents = Type.Integer({ description: 'US cents' })

/** The balance of an account. */
export type Prepaid = Static<typeof Prepaid>
/** All amounts are US cents. `invite` is null if no invite code was redeemed. */
export const Prepaid = Type.Object({
  balance: Type.Integer({ minimum: 0, description: 'US cents; includes invite.remaining' }),
  owed: Type.Integer({ minimum: 0, description: 'US cents of usage that the balance does not cover' }),
  invite: Nullable(
    Type.Object({
      granted: Type.Integer({ minimum: 0, description: 'US cents' }),
      remaining: Type.Integer({ minimum: 0, description: 'US cents' }),
      pending: Type.Boolean({ description: 'true until the email address is confirmed' }),
    }),
  ),
})

/** Why a balance changed. */
export type LedgerType = Static<typeof LedgerType>
/** `topup` is a payment; `adjustment` is a correction by the operator. */
export const LedgerType = Type.Union([
  Type.Literal('topup'),
  Type.Literal('usage'),
  Type.Literal('invite'),
  Type.Literal('refund'),
  Type.Literal('adjustment'),
])

/** One change of a balance. */
export type LedgerEntry = Static<typeof LedgerEntry>
/** The sum of all amounts is always the balance (MON-03). */
export const LedgerEntry = Type.Object({
  id: Id,
  at: Timestamp,
  type: LedgerType,
  amount: Type.Integer({ description: 'US cents; 0 if the whole amount is owed' }),
  balanceAfter: Type.Integer({ minimum: 0, description: 'US cents' }),
  description: Type.String(),
})

/** The states of a checkout. */
export type CheckoutStatus = Static<typeof CheckoutStatus>
/** Only `paid` adds to the balance. */
export const CheckoutStatus = Type.Union([
  Type.Literal('open'),
  Type.Literal('paid'),
  Type.Literal('expired'),
  Type.Literal('cancelled'),
])

/** A hosted payment. */
export type Checkout = Static<typeof Checkout>
/** The balance increases when the payment provider confirms the payment, not when the browser returns. */
export const Checkout = Type.Object({
  id: Id,
  url: Type.String({ description: 'the payment page; send the browser there' }),
  status: CheckoutStatus,
  amount: Cents,
  currency: Type.Literal('usd'),
  expiresAt: Timestamp,
})

/** What is metered. Everything else is free. */
export type UsageComponent = (typeof USAGE_COMPONENTS)[number]
/** The names in the usage of a month and in the price file of the operator. */
export const USAGE_COMPONENTS = [
  'functions.requests',
  'functions.cpuMs',
  'functions.rowsRead',
  'functions.rowsWritten',
  'functions.egressBytes',
  'functions.storageByteHours',
  'voice.relayMinutes',
  'xSignIns',
] as const

/** The usage of one month. */
export type Usage = Static<typeof Usage>
/** `updatedAt` is null without usage in this month. Costs are 0 if the service does not charge. */
export const Usage = Type.Object({
  period: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'a month in UTC, YYYY-MM' }),
  components: Type.Array(
    Type.Object({
      component: Type.String({ description: USAGE_COMPONENTS.join(', ') }),
      quantity: Type.Integer({ minimum: 0 }),
      unit: Type.String(),
      costMicroUsd: Type.Integer({ minimum: 0 }),
    }),
  ),
  totalMicroUsd: Type.Integer({ minimum: 0 }),
  chargedCents: Type.Integer({ minimum: 0, description: 'US cents charged so far' }),
  days: Type.Array(
    Type.Object({
      date: Type.String({ description: 'a day in UTC, YYYY-MM-DD' }),
      chargedCents: Type.Integer({ minimum: 0, description: 'US cents charged on this day' }),
      components: Type.Array(
        Type.Object({
          component: Type.String(),
          quantity: Type.Integer({ minimum: 0 }),
          costMicroUsd: Type.Integer({
            minimum: 0,
            description: 'what the day adds to the month’s cost',
          }),
        }),
        { description: 'what was used on this day; kept for 13 months' },
      ),
    }),
    { description: 'days with usage or a charge, oldest first' },
  ),
  updatedAt: Nullable(Timestamp),
})

const ReturnUrl = Type.String({
  minLength: 1,
  maxLength: LIMITS.checkoutUrlLengthMax,
  description: 'https, or http on loopback; no user name or password',
})

/** Get your prepaid balance. */
export const readPrepaid = endpoint('GET /v1/money/prepaid', {
  summary: 'Get your prepaid balance',
  caller: 'developer',
  role: 'account',
  response: Prepaid,
})

/** List the changes of your balance, newest first. */
export const listLedger = endpoint('GET /v1/money/prepaid/ledger', {
  summary: 'List your transactions; newest first. The sum of all amounts is the balance',
  caller: 'developer',
  role: 'account',
  query: Type.Object({ limit: Limit(), cursor: Type.Optional(Cursor) }),
  response: Type.Object({ entries: Type.Array(LedgerEntry), nextCursor: Nullable(Id) }),
})

/** Start a payment. */
export const createCheckout = endpoint('POST /v1/money/prepaid/checkout', {
  summary: 'Start a payment on a hosted page; the balance increases when the payment provider confirms it',
  caller: 'developer',
  role: 'account',
  idempotent: 'required',
  body: Type.Object({
    // Without a type in the schema: every invalid value answers invalid_amount (MON-05).
    amount: Type.Unsafe<number>({
      description: `US cents, an integer from ${LIMITS.checkoutCentsMin} to ${LIMITS.checkoutCentsMax}`,
    }),
    successUrl: ReturnUrl,
    cancelUrl: ReturnUrl,
  }),
  response: Checkout,
  errors: ['invalid_amount', 'feature_unavailable'],
})

/** Poll a payment. */
export const readCheckout = endpoint('GET /v1/money/prepaid/checkouts/:id', {
  summary: 'Get the state of a payment',
  caller: 'developer',
  role: 'account',
  params: Type.Object({ id: IdParam }),
  response: Checkout,
  errors: ['checkout_not_found'],
})

/** Get the usage of a month. */
export const readUsage = endpoint('GET /v1/money/usage', {
  summary: 'Get a month’s usage; its cost by component and the amount charged',
  caller: 'developer',
  role: 'account',
  query: Type.Object({
    period: Type.Optional(
      Type.String({
        pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
        patternErrorMessage: 'must be a month like 2026-03',
        description: 'a month in UTC, YYYY-MM; the current one by default',
      }),
    ),
    refresh: Type.Optional(
      Type.Boolean({ description: 'true: charge what is due first, at most once a minute' }),
    ),
  }),
  response: Usage,
})

/** Redeem an invite code. */
export const redeemInviteCode = endpoint('POST /v1/developers/me/invite-code', {
  summary: 'Redeem an invite code; the credit pays for usage and cannot be refunded',
  caller: 'developer',
  role: 'account',
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 128 }) }),
  response: Type.Object({
    credited: Cents,
    currency: Type.Literal('usd'),
    pending: Type.Boolean({ description: 'true: added when the email address is confirmed' }),
  }),
  errors: ['invalid_invite_code', 'invite_code_used', 'invite_limit_reached', 'already_redeemed'],
})

/** The webhook for events of Stripe. */
export const receiveStripeEvent = endpoint('POST /v1/money/webhooks/stripe', {
  summary: 'Receive a Stripe event; signed with STRIPE_WEBHOOK_SECRET',
  caller: 'none',
  rawBody: true,
  bodyBytesMax: 256 * 1024,
  response: Type.Object({ received: Type.Literal(true) }),
  errors: ['invalid_signature', 'not_found'],
})
