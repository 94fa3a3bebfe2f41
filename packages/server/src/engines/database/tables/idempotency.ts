/** Stored responses of idempotent requests. */
export type IdempotencyTables = {
  /** Stored responses of idempotent requests. */
  idempotency_answers: {
    scope: string
    key: string
    requestHash: string
    status: number | null
    answer: string | null
    expiresAt: string
  }
}
