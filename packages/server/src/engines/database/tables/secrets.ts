/** Encrypted secrets that the service must be able to read. */
export type SecretsTables = {
  /** Encrypted secrets that the service must be able to read; no other table contains secrets. */
  secrets: { id: string; sealed: string; updatedAt: string }
}
