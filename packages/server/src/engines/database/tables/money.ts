/** Prepaid money: ledger, checkouts, disputes, usage, invite codes. Amounts are US cents. */
export type MoneyTables = {
  /** Amounts in US cents. The three accounts of a developer, and the end of the chain of transactions. */
  money_accounts: {
    developerId: string
    prepaid: number
    invite: number
    /** 0, or below 0 for usage that is not paid yet. */
    owed: number
    /** 0, or below 0 for refunds, disputes and corrections that paid credit did not cover. */
    owedOther: number
    sequence: number
    hash: string
    /** Amount of the last top-up. */
    lastTopup: number
    updatedAt: string
  }
  /** Rows are only inserted. Each hash covers the row, its postings and the previous hash. */
  money_transactions: {
    developerId: string
    sequence: number
    id: string
    at: string
    type: string
    /** Identifies the cause: no cause is booked twice. */
    reference: string
    /** Change of the balance. */
    amount: number
    balanceAfter: number
    description: string
    hash: string
  }
  /** Rows are only inserted. The postings of a transaction sum to 0. */
  money_postings: { transactionId: string; account: string; amount: number }
  money_checkouts: {
    id: string
    developerId: string
    /** Null when the key may be used again. */
    idempotencyKey: string | null
    amount: number
    successUrl: string
    cancelUrl: string
    status: string
    /** Null until the provider has answered. */
    providerId: string | null
    url: string | null
    createdAt: string
    expiresAt: string
    /** When the provider was last asked for the state. */
    askedAt: string | null
    paidAt: string | null
    paymentId: string | null
    /** Returned cents: by refunds, and by disputes that are not won. */
    refunded: number
    disputed: number
  }
  /** Cents that the provider withdrew for a dispute, and gave back. */
  money_disputes: { id: string; checkoutId: string; withdrawn: number; reinstated: number }
  /** Events of the payment provider, and their outcomes. */
  money_events: { id: string; type: string; at: string; outcome: string }
  /**
   * Not named environmentId: the usage of a deleted project is charged, too, so the purge of an environment must not remove it.
   */
  money_usage: {
    developerId: string
    environment: string
    component: string
    /** A month in UTC: 2026-11. */
    period: string
    quantity: number
    updatedAt: string
  }
  /** The same per UTC day, for charts; kept for 13 months. */
  money_usage_days: { developerId: string; date: string; component: string; quantity: number }
  money_periods: {
    developerId: string
    period: string
    chargedCents: number
    closedAt: string | null
    /** Price list of the month's first charge, as JSON. */
    prices: string
  }
  money_invites: {
    codeHash: string
    label: string | null
    usesMax: number
    uses: number
    expiresAt: string | null
    revokedAt: string | null
    createdAt: string
  }
  money_redemptions: { developerId: string; codeHash: string; status: string; at: string }
}
