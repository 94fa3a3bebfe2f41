/** News opt-ins, and every news mail. */
export type NewsTables = {
  /** News opt-ins, with their confirmation. */
  news_subscriptions: {
    environmentId: string
    playerId: string
    email: string
    /** HMAC of the address: mails can be counted without storing the address. */
    addressHash: string
    language: string
    status: string
    tokenHash: string
    createdAt: string
    confirmedAt: string | null
  }
  /** Every news mail. An address has two places per month, so there is no third mail; and each issue is sent once. */
  news_mails: { addressHash: string; month: string; place: number; issue: string; sentAt: string }
}
