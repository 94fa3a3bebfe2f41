/** The slot of each scheduled job that was claimed last, so that only one node runs it. */
export type JobsTables = {
  /** Scheduled jobs: the slot that was claimed last, one row per job. */
  jobs: {
    name: string
    /** Beginning of the slot, by the service's clock. */
    slotAtMs: number
    /** Number of claims of this slot. */
    attempts: number
    /** 1 when the slot is done or given up. */
    isDone: number
    /** End of the claim, or of the pause after a failure, by the database's clock. */
    notBeforeMs: number
    lastError: string | null
  }
}
