/** Changes that every node must know within two seconds. */
export type RevocationsTables = {
  /** Changes that must reach every node even if the bus loses the message. Rows are kept for an hour. */
  revocations: {
    id: string
    /** By the database's clock, which all nodes share. */
    atMs: number
    kind: string
    /** Null if the subject alone identifies the change. */
    environmentId: string | null
    subject: string
  }
}
