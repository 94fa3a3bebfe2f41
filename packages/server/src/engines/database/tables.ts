/**
 * The whole database at a glance. A table belongs to the capability its name begins with; a column is named like the API field.
 * Times are ISO 8601 text in UTC with milliseconds, JSON documents are text, absence is null.
 */
export type Tables = {
  migrations: { name: string; checksum: string; appliedAt: string }

  developers: {
    id: string
    email: string
    name: string | null
    passwordHash: string | null
    emailVerifiedAt: string | null
    createdAt: string
  }
  developers_sessions: { tokenHash: string; developerId: string; createdAt: string; expiresAt: string }
  /** What was sent by mail (verify, reset) or given after a second sign-in (reauth); a row is deleted by its one use. */
  developers_tokens: {
    tokenHash: string
    developerId: string
    kind: string
    email: string
    expiresAt: string
  }
  developers_identities: {
    provider: string
    subject: string
    developerId: string
    email: string | null
    linkedAt: string
  }
  /** An external sign-in between start and callback. */
  developers_sign_ins: {
    stateHash: string
    provider: string
    redirectUrl: string
    challenge: string
    intent: string
    developerId: string | null
    verifier: string
    nonce: string
    expiresAt: string
  }
  /** An external sign-in between callback and exchange. */
  developers_exchange_codes: {
    codeHash: string
    provider: string
    subject: string
    email: string | null
    emailVerified: number
    name: string | null
    challenge: string
    intent: string
    developerId: string | null
    expiresAt: string
    /** Of the session it gave; null until it was used. */
    sessionHash: string | null
  }

  projects: {
    id: string
    developerId: string
    name: string
    slug: string
    createdAt: string
    /** The row stays, so that the slug is never given to anybody else. */
    deletedAt: string | null
  }
  projects_environments: { id: string; projectId: string; name: string }
  projects_keys: {
    id: string
    projectId: string
    environmentId: string
    type: string
    label: string | null
    hash: string
    last4: string
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
  }
  projects_renames: { projectId: string; renamedAt: string }

  config_versions: {
    environmentId: string
    version: number
    document: string
    updatedAt: string
    actor: string
  }

  oauth_credentials: { environmentId: string; provider: string; settings: string; updatedAt: string }

  audit_entries: {
    projectId: string
    sequence: number
    id: string
    at: string
    env: string | null
    actor: string
    action: string
    target: string | null
    details: string
    hash: string
  }
  audit_heads: { projectId: string; sequence: number; hash: string }

  /** Every secret that must be read again, sealed; the only table that holds any. */
  secrets: { id: string; sealed: string; updatedAt: string }

  mail_outbox: {
    id: string
    environmentId: string | null
    recipient: string
    subject: string
    textBody: string
    htmlBody: string
    status: string
    attempts: number
    nextAttemptAt: string
    lastError: string | null
    createdAt: string
    sentAt: string | null
  }

  idempotency_answers: {
    scope: string
    key: string
    requestHash: string
    status: number | null
    answer: string | null
    expiresAt: string
  }
}
