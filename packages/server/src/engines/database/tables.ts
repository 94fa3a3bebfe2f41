import type { GeneratedAlways } from 'kysely'

/**
 * All tables of the database. A table belongs to the capability whose name it begins with; a column has the name of its API field.
 * Times are ISO 8601 text in UTC with milliseconds, JSON documents are text, a missing value is null.
 */
export type Tables = {
  /** Applied migrations. */
  migrations: { name: string; checksum: string; appliedAt: string }

  /** Developer accounts. */
  developers: {
    id: string
    email: string
    name: string | null
    passwordHash: string | null
    emailVerifiedAt: string | null
    createdAt: string
    /** 1 for operators of the service. */
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
  /** Sessions of developers, by the hash of their token. */
  developers_sessions: {
    tokenHash: string
    developerId: string
    createdAt: string
    expiresAt: string
  }
  /** One-time tokens: mailed (verify, reset) or issued after a second sign-in (reauth). A row is deleted when it is used. */
  developers_tokens: {
    tokenHash: string
    developerId: string
    kind: string
    email: string
    expiresAt: string
  }
  /** Sign-ins of command lines. A row is deleted when its session is collected. */
  developers_device_codes: {
    /** Hash of the secret that only the command line has. */
    secretHash: string
    codeHash: string
    /** Client address of the request; shown to the developer who decides. */
    address: string
    createdAt: string
    expiresAt: string
    /** `confirmed` or `refused`; null until a developer decides. */
    decision: string | null
    developerId: string | null
    /** Hash of the token of the session in which the developer confirmed. */
    sessionHash: string | null
  }
  /** External sign-in methods of developers. */
  developers_identities: {
    provider: string
    subject: string
    developerId: string
    email: string | null
    linkedAt: string
  }
  /** HMAC of client addresses with successful sign-ins; `day` is that of the last one. */
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
    /** Hash of the session token it returned; null until it was used. */
    sessionHash: string | null
  }

  /** Projects of developers. */
  projects: {
    id: string
    developerId: string
    name: string
    slug: string
    createdAt: string
    /** The row of a deleted project stays, so that its slug is never reused. */
    deletedAt: string | null
  }
  /** The two environments of every project. */
  projects_environments: { id: string; projectId: string; name: string }
  /** API keys, by their hash. */
  projects_keys: {
    id: string
    projectId: string
    environmentId: string
    type: string
    label: string | null
    hash: string
    last4: string
    /** The text of a publishable key, which is public; null for secret keys and keys of earlier versions. */
    plaintext: string | null
    createdAt: string
    lastUsedAt: string | null
    revokedAt: string | null
    /** The actor as JSON; null for keys of earlier versions. */
    createdBy: string | null
  }
  /** Renames of the last hour, for their rate limit. */
  projects_renames: { projectId: string; renamedAt: string }

  /** Every pushed config document. */
  config_versions: {
    environmentId: string
    version: number
    document: string
    updatedAt: string
    actor: string
  }

  /** Players of an environment. */
  players: {
    environmentId: string
    id: string
    displayName: string
    /** The name in lower case, for searches by the beginning of a name. */
    searchName: string
    email: string | null
    emailLinkedAt: string | null
    emailVerifiedAt: string | null
    passwordHash: string | null
    createdAt: string
    /** Written at most every five minutes. */
    lastSeenAt: string
    /** Copied from the ban in the same transaction, because every write checks it. FOREVER if the ban has no end. */
    bannedUntil: string | null
    /** 1 if the player has left the leaderboards. */
    leaderboardsHidden: number
  }
  /** External sign-in methods of players. */
  players_identities: {
    environmentId: string
    provider: string
    subject: string
    playerId: string
    linkedAt: string
    /** Profile from the provider: name, handle, picture. */
    profile: string
  }
  /** One-time tokens of mailed links (verify, reset). */
  players_tokens: {
    tokenHash: string
    environmentId: string
    playerId: string
    kind: string
    email: string
    expiresAt: string
  }
  /** HMAC of client addresses with successful sign-ins; `day` is that of the last one. */
  players_sign_in_addresses: { environmentId: string; playerId: string; addressHash: string; day: string }
  /** Players seen on a day, for the number of daily active players. */
  players_days: { environmentId: string; day: string; playerId: string }
  /** Whether the player shows the X profile to others: 1, or 0 once hidden again. */
  players_x_profiles: { environmentId: string; playerId: string; visible: number }
  /** Deleted players whose access tokens have not expired yet. */
  players_deletions: { environmentId: string; playerId: string; deletedAt: string }

  /** Sessions of players; each is a chain of refresh tokens. */
  sessions: {
    environmentId: string
    id: string
    playerId: string
    /** Generation of the one valid refresh token; each rotation adds 1. */
    generation: number
    rotatedAt: string | null
    /** The same time by the clock that all nodes share, in microseconds. */
    rotatedAtUs: number | null
    nonceHash: string | null
    createdAt: string
    expiresAt: string
    revokedAt: string | null
    revokedReason: string | null
    /** The ban that revoked it. */
    sanctionId: string | null
  }
  /** Public keys of access tokens. */
  sessions_signing_keys: {
    environmentId: string
    kid: string
    publicJwk: string
    createdAt: string
    retiredAt: string | null
  }
  /** Codes to continue as the same player in another browser. */
  sessions_transfer_codes: {
    environmentId: string
    playerId: string
    codeHash: string
    expiresAt: string
    /** The session that created the code; the code ends with it. */
    sessionId: string
  }
  /** Sessions of deleted players, so that their refresh tokens get the right error. Rows contain no reference to the player. */
  sessions_deleted: { environmentId: string; idHash: string; expiresAt: string }

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

  /** Facts of the whole installation: `id`. */
  installation: { name: string; value: string }

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

  /** Bans of players. */
  moderation_bans: {
    environmentId: string
    id: string
    playerId: string
    reason: string | null
    createdAt: string
    expiresAt: string | null
    /** When the ban was lifted, or replaced after it expired. At most one ban per player has `endedAt = null`. */
    endedAt: string | null
    /** The actor as JSON; null for bans of earlier versions. */
    bannedBy: string | null
  }
  /** Appeals of banned players. */
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
  /** Age bands of players. */
  moderation_ages: {
    environmentId: string
    playerId: string
    /** Declared by the player, or set by a correction. */
    declared: string | null
    /** The strictest band that the operating system has reported. */
    signalled: string | null
    updatedAt: string
  }

  /** Cloud saves. */
  saves: {
    environmentId: string
    playerId: string
    key: string
    version: number
    size: number
    updatedAt: string
    /**
     * The JSON text as it was sent; null once deleted: the row stays, so that no version is ever used twice.
     * The last column, because SQLite has to read through it to reach a later one.
     */
    data: string | null
  }

  /** Current values of reported stats. */
  stats: {
    environmentId: string
    playerId: string
    key: string
    /** How the last report was combined with the stored value. */
    aggregation: string
    /** The day, ISO week and month of the other values, in this time zone: 2026-11-15, 2026-W46, 2026-11. */
    zone: string
    day: string
    week: string
    month: string
    allTime: number
    daily: number
    weekly: number
    monthly: number
    /** Empty while the row only keeps `hidden`, without values. */
    updatedAt: string
    /** Id of the board that the value is on; null: none. */
    allTimeBoard: number | null
    dailyBoard: number | null
    weeklyBoard: number | null
    monthlyBoard: number | null
    /** The value on its board. */
    allTimeRanked: number | null
    dailyRanked: number | null
    weeklyRanked: number | null
    monthlyRanked: number | null
    /** When the value was reached, in 1/1024 ms since 1970; negative where the highest value is first. */
    allTimeTie: number | null
    dailyTie: number | null
    weeklyTie: number | null
    monthlyTie: number | null
    /** Why the player is on no board: 1 hidden by a developer, 2 banned, 3 left by choice, 4 shown again by a developer (until the next report). */
    hidden: number | null
  }
  /** Leaderboards: one row per stat and period, and another for each day, week and month. */
  leaderboards: {
    /** Given by the database, in ascending order; never used again. */
    id: GeneratedAlways<number>
    environmentId: string
    key: string
    period: 'daily' | 'weekly' | 'monthly' | 'allTime'
    /** `2026-11-15`, `2026-W46`, `2026-11`; empty for all time. */
    label: string
    direction: 'desc' | 'asc'
    /** The part of the config that decides which values are on the board; if it changes, a new board replaces this one. */
    signature: string
    startsAt: string | null
    endsAt: string | null
    createdAt: string
    /** Values from before this time do not count; null when all of them are deleted. */
    resetAt: string | null
    replacedAt: string | null
    closedAt: string | null
    /** When the winners were counted for the last time. */
    settledAt: string | null
    /** Number of entries at the last checkpoint; of a closed board: when it was closed. */
    count: number | null
    /**
     * The remaining work: `fill` adds existing values, `refill` those that nodes stored without knowing of the board, `clear` removes
     * all entries, `delete` deletes values from before a reset.
     */
    work: 'fill' | 'refill' | 'clear' | 'delete' | null
    /** The last player that the work has processed. */
    workAfter: string | null
    /** No node creates a checkpoint before this time. */
    checkpointDueAt: string | null
    checkpointAt: string | null
    /** When the leaderboard of a closed board was turned off. */
    retiredAt: string | null
    /** With `verifiedOnly`: values that were reached from this time on are approved. */
    verifiedFrom: string | null
    /** `[[value, tie], …]` of every 1,000th place; the last column, because SQLite has to read through it to reach a later one. */
    checkpoint: string | null
  }
  /** The first 100 of closed boards. */
  leaderboards_winners: {
    environmentId: string
    key: string
    label: string
    rank: number
    playerId: string
    value: number
    tie: number
  }
  /** Rejected values. */
  stats_signals: {
    environmentId: string
    playerId: string
    id: string
    at: string
    key: string
    value: string
    reason: string
  }
  /** Deliveries of the stats verification webhook. */
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
    /** The body as it was sent; null for deliveries of earlier versions. */
    request: string | null
  }

  /** When the first room of an environment was created; rooms themselves are in memory only. */
  rooms_firsts: { environmentId: string; at: string }
  /** Players that the playground created; they are deleted after `expiresAt`. */
  playground_players: { environmentId: string; playerId: string; expiresAt: string }

  /** Channels that a server created; all others are in memory only. */
  channels: { environmentId: string; name: string; settings: string; createdAt: string }
  /** Players who may join, may send, are muted or are banned; `until` is null without an end. */
  channels_lists: {
    environmentId: string
    name: string
    list: string
    playerId: string
    until: string | null
  }

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

  /** An external sign-in of a player between start and callback. */
  oauth_sign_ins: {
    stateHash: string
    environmentId: string
    provider: string
    redirectUrl: string
    challenge: string
    mode: string
    /** The player to link, and the session that started it: if the session has ended, the link fails. */
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
    /** Profile from the provider; emptied together with `subject` when the code is used. */
    profile: string
    /** Error of the provider, instead of an identity. */
    refusal: string | null
    challenge: string
    /** The player to link; once the code was used, the player who signed in. */
    playerId: string | null
    linkSessionId: string | null
    orSignIn: number
    expiresAt: string
    /** Id of the session it returned; null until it was used. */
    sessionId: string | null
  }
  /** Credentials of an environment at sign-in providers; their secrets are in `secrets`. */
  oauth_credentials: { environmentId: string; provider: string; settings: string; updatedAt: string }

  /** The audit log: a hash chain per project. */
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
  /** The newest entry of each chain. */
  audit_heads: { projectId: string; sequence: number; hash: string }

  /** Deployed versions of apps. */
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
    /** `[{ path, sha256, size }]`; the last column, because SQLite has to read through it to reach a later one. */
    files: string
  }
  /** Who created a deployment: the actor as JSON. */
  hosting_authors: { environmentId: string; deploymentId: string; createdBy: string }
  /** The activations of versions; `number` counts those of the environment. */
  hosting_activations: {
    environmentId: string
    number: number
    version: number
    at: string
    activatedBy: string
  }
  /** The live version of each environment. */
  hosting_live: {
    environmentId: string
    /** Highest version number ever used, so that none is used twice. */
    lastVersion: number
    /** Null while nothing is live. */
    deploymentId: string | null
    version: number | null
    /** Counter of activations; distinguishes one activation from the next. */
    activations: number
    /** `[{ path, sha256, size, until }]`: retained files of earlier versions whose pages may still be open; the last column, like `files`. */
    kept: string
  }
  /** State of hosting per project. */
  hosting_projects: {
    projectId: string
    /** When unused blobs should be swept; null if there are none. */
    sweepAt: string | null
    /** When the operator suspended the apps. */
    suspendedAt: string | null
  }
  /** Uploaded files. A blob belongs to one project, so that projects cannot find out about files of others. */
  hosting_blobs: {
    /** Key in the blob store, unique per upload, so that removing an old blob never affects a new one. */
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
  /** Sums per link and UTC day; they contain no visitor. */
  sharing_days: {
    environmentId: string
    shareId: string
    day: string
    visits: number
    newPlayers: number
    plays: number
  }
  /** Visitors that are already counted: hashes with a salt of the day. Rows and salt are deleted after two days. */
  sharing_visitors: {
    day: string
    environmentId: string
    /** Empty for kind `new`: a player counts as new once over all links. */
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
  /**
   * Blobs that are removed after this time unless a link or card uses them then. Rows are kept after their environment is deleted,
   * so they contain no environment.
   */
  sharing_removals: { blobKey: string; removeAfter: string }
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
  /** The functions of an environment; a row exists once they were enabled. */
  functions: {
    environmentId: string
    projectId: string
    /** Null: disabled. */
    enabledAt: string | null
    suspendedAt: string | null
    /** `money` or `operator`. */
    suspendedBy: string | null
    cpuMs: number
    subRequests: number
    lastVersion: number
    /** Null: no code is live. */
    liveVersionId: string | null
    /** Increases with every change for which a running process must be restarted. */
    generation: number
    /** Identifies the folder and the blobs of the data; new after a purge. */
    dataId: string
    updatedAt: string
  }
  functions_versions: {
    environmentId: string
    id: string
    version: number
    message: string | null
    /** Key of the code in the blob store. */
    blobKey: string
    bytes: number
    actor: string
    createdAt: string
    /** JSON: everything but the contents of the modules. */
    manifest: string
  }
  /** Names only; the values are in `secrets`. */
  functions_secrets: { environmentId: string; name: string; updatedAt: string }
  /** Databases, namespaces, buckets, queues and classes that a version was bound to. */
  functions_resources: { environmentId: string; type: string; id: string; bytes: number; createdAt: string }
  functions_cron_slots: {
    environmentId: string
    cron: string
    /** The minute, in ms since 1970. */
    slot: number
    nodeId: string
    startedAt: string
    endedAt: string | null
    /** `ok`, `failed` or `missed`; null while it runs. */
    outcome: string | null
  }
  /** What functions used, per minute; kept for a day. */
  functions_minutes: {
    environmentId: string
    /** Minutes since 1970. */
    minute: number
    requests: number
    errors: number
    cpuMs: number
  }
  /** The hours, since 1970, whose storage was charged. */
  functions_storage_hours: { environmentId: string; hour: number }
  /** Folders and blobs to delete. Without environmentId, because the rows must outlive their environment. */
  functions_removals: { dataId: string; blobPrefix: string; createdAt: string }

  /** Projects whose voice calls the operator has suspended. */
  voice_projects: { projectId: string; suspendedAt: string }

  /** Encrypted secrets that the service must be able to read; no other table contains secrets. */
  secrets: { id: string; sealed: string; updatedAt: string }

  /** Mails to send, and captured mails. */
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
   * Mails of the last day, with HMACs of the addresses. Rows are kept after the deletion of accounts and projects, so that limits are
   * not reset by it: therefore `sender`, the id of an environment or empty, is not named environmentId.
   */
  mail_sends: {
    id: string
    /** Hash of the address without the part after a `+`. */
    mailboxHash: string
    recipientHash: string
    sender: string
    kind: string
    sentAt: string
  }

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
