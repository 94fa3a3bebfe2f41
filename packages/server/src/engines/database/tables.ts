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
    /** 1 for those who run the service. */
    isOperator: number
  }
  /** One-time links that admit a new developer: `setup` the operator, `invite` others. A row is deleted by its use. */
  developers_invitations: {
    tokenHash: string
    kind: string
    email: string | null
    createdAt: string
    expiresAt: string
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
  /** By a secret key; `day` is that of the last sign-in from there. */
  developers_sign_in_addresses: { developerId: string; addressHash: string; day: string }
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

  players: {
    environmentId: string
    id: string
    displayName: string
    /** Lower-cased beginning of a search by name. */
    searchName: string
    email: string | null
    emailLinkedAt: string | null
    emailVerifiedAt: string | null
    passwordHash: string | null
    createdAt: string
    /** Written at most every five minutes. */
    lastSeenAt: string
    /** Copied from the ban in its own transaction: every write looks here. FOREVER without an end. */
    bannedUntil: string | null
  }
  players_identities: {
    environmentId: string
    provider: string
    subject: string
    playerId: string
    linkedAt: string
    /** What the provider told: name, handle, picture. */
    profile: string
  }
  players_tokens: {
    tokenHash: string
    environmentId: string
    playerId: string
    kind: string
    email: string
    expiresAt: string
  }
  /** By a secret key; `day` is that of the last sign-in from there. */
  players_sign_in_addresses: { environmentId: string; playerId: string; addressHash: string; day: string }
  /** Which players were seen on a day, for the daily actives. */
  players_days: { environmentId: string; day: string; playerId: string }
  /** Who shows the X profile to other players: 1, or 0 once hidden again. */
  players_x_profiles: { environmentId: string; playerId: string; visible: number }
  /** Ids whose access tokens may still be about. */
  players_deletions: { environmentId: string; playerId: string; deletedAt: string }

  sessions: {
    environmentId: string
    id: string
    playerId: string
    /** Generation of the one valid refresh token; each rotation adds 1. */
    generation: number
    rotatedAt: string | null
    /** The same moment by the clock that all nodes share, in microseconds. */
    rotatedAtUs: number | null
    nonceHash: string | null
    createdAt: string
    expiresAt: string
    revokedAt: string | null
    revokedReason: string | null
    /** The ban that revoked it. */
    sanctionId: string | null
  }
  sessions_signing_keys: {
    environmentId: string
    kid: string
    publicJwk: string
    createdAt: string
    retiredAt: string | null
  }
  sessions_transfer_codes: {
    environmentId: string
    playerId: string
    codeHash: string
    expiresAt: string
    /** The session that made the code; the code ends with it. */
    sessionId: string
  }
  /** Sessions of deleted players, so that their refresh tokens are told why; nothing leads from here to the player. */
  sessions_deleted: { environmentId: string; idHash: string; expiresAt: string }

  /** Changes that every node must learn even if the bus loses the message. Rows are kept for an hour. */
  revocations: {
    id: string
    /** By the database's clock, which all nodes share. */
    atMs: number
    kind: string
    /** Null where the subject alone says what is meant. */
    environmentId: string | null
    subject: string
  }

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

  moderation_bans: {
    environmentId: string
    id: string
    playerId: string
    reason: string | null
    createdAt: string
    expiresAt: string | null
    /** When the ban was lifted, or replaced after it expired. At most one ban per player has `endedAt = null`. */
    endedAt: string | null
  }
  moderation_appeals: {
    environmentId: string
    id: string
    banId: string
    playerId: string
    status: string
    message: string
    response: string | null
    createdAt: string
    resolvedAt: string | null
  }
  moderation_ages: {
    environmentId: string
    playerId: string
    /** By the player, or in place of that by a correction. */
    declared: string | null
    /** The strictest that the operating system has told. */
    signalled: string | null
    updatedAt: string
  }

  saves: {
    environmentId: string
    playerId: string
    key: string
    version: number
    size: number
    updatedAt: string
    /**
     * The JSON text as it was sent; null once deleted: the row stays, so that no version is ever used twice.
     * The last column, because SQLite would have to read through it to reach one behind it.
     */
    data: string | null
  }

  stats: {
    environmentId: string
    playerId: string
    key: string
    /** How the last report was combined with what was there. */
    aggregation: string
    /** The day, ISO week and month of the other values, as this time zone sees them: 2026-11-15, 2026-W46, 2026-11. */
    zone: string
    day: string
    week: string
    month: string
    allTime: number
    daily: number
    weekly: number
    monthly: number
    updatedAt: string
  }
  stats_signals: {
    environmentId: string
    playerId: string
    id: string
    at: string
    key: string
    value: string
    reason: string
  }
  stats_deliveries: {
    environmentId: string
    id: string
    at: string
    kind: string
    url: string
    status: number | null
    durationMs: number
    outcome: string
    error: string | null
    answer: string | null
  }

  /** Made by a server; all others live in memory only. */
  channels: { environmentId: string; name: string; settings: string; createdAt: string }
  /** Who may join, who may send, who is muted and who is banned; `until` is null without an end. */
  channels_lists: {
    environmentId: string
    name: string
    list: string
    playerId: string
    until: string | null
  }

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
  /** Every news mail. A month has two places for an address, so nobody gets a third; and no issue comes twice. */
  news_mails: { addressHash: string; month: string; place: number; issue: string; sentAt: string }

  /** An external sign-in of a player between start and callback. */
  oauth_sign_ins: {
    stateHash: string
    environmentId: string
    provider: string
    redirectUrl: string
    challenge: string
    mode: string
    /** The player it is linked to, and the session that asked for it: one that ended meanwhile leaves no way back in. */
    playerId: string | null
    linkSessionId: string | null
    /** 1: if the identity belongs to another player, sign in as that player. */
    orSignIn: number
    verifier: string
    nonce: string
    expiresAt: string
  }
  /** An external sign-in of a player between callback and exchange. */
  oauth_exchange_codes: {
    codeHash: string
    environmentId: string
    provider: string
    subject: string
    /** What the provider told, emptied with `subject` when the code is used. */
    profile: string
    /** The provider's own refusal, in place of an identity. */
    refusal: string | null
    challenge: string
    /** The player it is linked to; once it was used, the player it signed in. */
    playerId: string | null
    linkSessionId: string | null
    orSignIn: number
    expiresAt: string
    /** Of the session it gave; null until it was used. */
    sessionId: string | null
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

  hosting_deployments: {
    environmentId: string
    id: string
    projectId: string
    version: number
    status: string
    message: string | null
    fileCount: number
    totalBytes: number
    createdAt: string
    activatedAt: string | null
    /** `[{ path, sha256, size }]`; the last column, because SQLite would have to read through it to reach one behind it. */
    files: string
  }
  hosting_live: {
    environmentId: string
    /** Of all deployments there ever were, so that no number is used twice. */
    lastVersion: number
    /** Null while nothing is live. */
    deploymentId: string | null
    version: number | null
    /** Counter of activations; distinguishes one activation from the next. */
    activations: number
    /** `[{ path, sha256, size, until }]`: parts of earlier versions whose pages may still be open; last, like `files`. */
    kept: string
  }
  hosting_projects: {
    projectId: string
    /** When there may be blobs that nothing names; null while there are none. */
    sweepAt: string | null
    /** By the operator. */
    suspendedAt: string | null
  }
  /** A blob belongs to one project, so that nobody learns what others have. */
  hosting_blobs: {
    /** In the blob store: of this upload alone, so that removing an old one never meets a new one. */
    key: string
    projectId: string
    sha256: string
    size: number
    /** `arriving`, `stored` or `removing`. */
    state: string
    changedAt: string
    /** Sizes of the compressed variants; null = not built yet, 0 = compression saves too little. */
    brSize: number | null
    gzSize: number | null
  }

  sharing_links: {
    environmentId: string
    id: string
    /** `plain`, `score`, `challenge`, or `tracked`. */
    kind: string
    /** Null for tracked links, which developers create. */
    playerId: string | null
    label: string | null
    score: number | null
    displayName: string | null
    createdAt: string
    /** UTC day of the last visit; at first that of the creation. */
    lastVisitOn: string
    /** The picture in the blob store; null until it was drawn. */
    cardKey: string | null
    cardBytes: number | null
    cardSha256: string | null
    /** All other inputs of the picture, as they were at the creation. */
    look: string
  }
  /** Sums per link and UTC day; they name no visitor. */
  sharing_days: {
    environmentId: string
    shareId: string
    day: string
    visits: number
    newPlayers: number
    plays: number
  }
  /** Who was counted already: hashes under a salt of the day. Rows and salt are deleted after two days. */
  sharing_visitors: {
    day: string
    environmentId: string
    /** Empty for kind `new`: a player is new once, whichever link it came through. */
    shareId: string
    /** `visit`, `play` or `new`. */
    kind: string
    /** Empty for players. */
    addressHash: string
    visitor: string
  }
  /** Cards of apps, by the hash of all inputs. */
  sharing_cards: {
    environmentId: string
    inputHash: string
    blobKey: string
    bytes: number
    sha256: string
    usedOn: string
  }
  /** Blobs that are removed after this time unless a link or card names them then. They outlive environments, so they name none. */
  sharing_removals: { blobKey: string; removeAfter: string }
  /** Amounts in US cents. The three accounts of a developer, and the end of the chain of transactions. */
  money_accounts: {
    developerId: string
    prepaid: number
    invite: number
    /** 0, or below 0 for usage that nothing has paid yet. */
    owed: number
    sequence: number
    hash: string
    /** Amount of the last top-up. */
    lastTopup: number
    updatedAt: string
  }
  /** Rows are only inserted. Each hash covers the row, its postings and the hash before it. */
  money_transactions: {
    developerId: string
    sequence: number
    id: string
    at: string
    type: string
    /** Names the cause: no cause is booked twice. */
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
    /** Cents that went back: by refunds, and by disputes. */
    refunded: number
    disputed: number
  }
  /** Events of the payment provider, and what became of them. */
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

  /** Every secret that must be read again, sealed; the only table that holds any. */
  secrets: { id: string; sealed: string; updatedAt: string }

  mail_outbox: {
    id: string
    environmentId: string | null
    recipient: string
    subject: string
    textBody: string
    htmlBody: string
    unsubscribeUrl: string | null
    status: string
    attempts: number
    nextAttemptAt: string
    lastError: string | null
    createdAt: string
    sentAt: string | null
  }
  /**
   * Which mails went to whom in the last day, by hashes with a secret key. It outlives accounts and projects, so that a limit does not
   * begin anew with them: therefore `sender`, which is an environment's id or empty, is not named environmentId.
   */
  mail_sends: {
    id: string
    /** Of the address without what follows a `+`. */
    mailboxHash: string
    recipientHash: string
    sender: string
    kind: string
    sentAt: string
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
