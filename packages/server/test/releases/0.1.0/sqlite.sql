CREATE TABLE migrations (
    name text primary key,
    checksum text not null,
    "appliedAt" text not null
  );
CREATE TABLE installation (
    name text primary key,
    value text not null
  );
CREATE TABLE developers (
    id text primary key,
    email text not null unique,
    name text,
    "passwordHash" text,
    "emailVerifiedAt" text,
    "createdAt" text not null,
    "isOperator" bigint not null default 0
  );
CREATE TABLE developers_sessions (
    "tokenHash" text primary key,
    "developerId" text not null,
    "createdAt" text not null,
    "expiresAt" text not null
  );
CREATE INDEX developers_sessions_of on developers_sessions ("developerId");
CREATE TABLE developers_tokens (
    "tokenHash" text primary key,
    "developerId" text not null,
    kind text not null,
    email text not null,
    "expiresAt" text not null
  );
CREATE INDEX developers_tokens_of on developers_tokens ("developerId");
CREATE TABLE developers_identities (
    provider text not null,
    subject text not null,
    "developerId" text not null,
    email text,
    "linkedAt" text not null,
    primary key (provider, subject)
  );
CREATE UNIQUE INDEX developers_identities_of on developers_identities ("developerId", provider);
CREATE TABLE developers_sign_ins (
    "stateHash" text primary key,
    provider text not null,
    "redirectUrl" text not null,
    challenge text not null,
    intent text not null,
    "developerId" text,
    verifier text not null,
    nonce text not null,
    "expiresAt" text not null
  );
CREATE TABLE developers_exchange_codes (
    "codeHash" text primary key,
    provider text not null,
    subject text not null,
    email text,
    "emailVerified" bigint not null,
    name text,
    challenge text not null,
    intent text not null,
    "developerId" text,
    "expiresAt" text not null,
    "sessionHash" text
  );
CREATE TABLE developers_sign_in_addresses (
    "developerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("developerId", "addressHash")
  );
CREATE INDEX developers_sign_in_addresses_day on developers_sign_in_addresses (day);
CREATE TABLE developers_invitations (
    "tokenHash" text primary key,
    kind text not null,
    email text,
    "createdAt" text not null,
    "expiresAt" text not null
  );
CREATE TABLE developers_device_codes (
    "secretHash" text primary key,
    "codeHash" text not null unique,
    address text not null,
    "createdAt" text not null,
    "expiresAt" text not null,
    decision text,
    "developerId" text,
    "sessionHash" text
  );
CREATE INDEX developers_device_codes_expiry on developers_device_codes ("expiresAt");
CREATE TABLE projects (
    id text primary key,
    "developerId" text not null,
    name text not null,
    slug text not null unique,
    "createdAt" text not null,
    "deletedAt" text
  );
CREATE INDEX projects_of on projects ("developerId", id);
CREATE TABLE projects_environments (
    id text primary key,
    "projectId" text not null,
    name text not null
  );
CREATE UNIQUE INDEX projects_environments_of on projects_environments ("projectId", name);
CREATE TABLE projects_keys (
    id text primary key,
    "projectId" text not null,
    "environmentId" text not null,
    type text not null,
    label text,
    hash text not null unique,
    last4 text not null,
    "createdAt" text not null,
    "lastUsedAt" text,
    "revokedAt" text,
    "createdBy" text,
    plaintext text
  );
CREATE INDEX projects_keys_of on projects_keys ("environmentId", id);
CREATE TABLE projects_renames (
    "projectId" text not null,
    "renamedAt" text not null
  );
CREATE INDEX projects_renames_of on projects_renames ("projectId", "renamedAt");
CREATE TABLE config_versions (
    "environmentId" text not null,
    version bigint not null,
    document text not null,
    "updatedAt" text not null,
    actor text not null,
    primary key ("environmentId", version)
  );
CREATE TABLE secrets (
    id text primary key,
    sealed text not null,
    "updatedAt" text not null
  );
CREATE TABLE audit_entries (
    "projectId" text not null,
    sequence bigint not null,
    id text not null,
    at text not null,
    env text,
    actor text not null,
    action text not null,
    target text,
    details text not null,
    hash text not null,
    primary key ("projectId", sequence)
  );
CREATE UNIQUE INDEX audit_entries_id on audit_entries (id);
CREATE TABLE audit_heads (
    "projectId" text primary key,
    sequence bigint not null,
    hash text not null
  );
CREATE TABLE mail_outbox (
    id text primary key,
    "environmentId" text,
    recipient text not null,
    subject text not null,
    "textBody" text not null,
    "htmlBody" text not null,
    status text not null,
    attempts bigint not null,
    "nextAttemptAt" text not null,
    "lastError" text,
    "createdAt" text not null,
    "sentAt" text,
    "unsubscribeUrl" text
  );
CREATE INDEX mail_outbox_due on mail_outbox (status, "nextAttemptAt");
CREATE INDEX mail_outbox_of on mail_outbox ("environmentId", id);
CREATE INDEX mail_outbox_recipient on mail_outbox ("environmentId", recipient);
CREATE INDEX mail_outbox_failed on mail_outbox ("environmentId", id) where status = 'failed';
CREATE TABLE mail_sends (
    id text primary key,
    "mailboxHash" text not null,
    "recipientHash" text not null,
    sender text not null,
    kind text not null,
    "sentAt" text not null
  );
CREATE INDEX mail_sends_to on mail_sends ("mailboxHash", "sentAt");
CREATE INDEX mail_sends_of on mail_sends (sender, "sentAt");
CREATE INDEX mail_sends_at on mail_sends ("sentAt");
CREATE TABLE idempotency_answers (
    scope text not null,
    key text not null,
    "requestHash" text not null,
    status bigint,
    answer text,
    "expiresAt" text not null,
    primary key (scope, key)
  );
CREATE INDEX idempotency_answers_expiry on idempotency_answers ("expiresAt");
CREATE TABLE revocations (
    id text primary key,
    "atMs" bigint not null,
    kind text not null,
    "environmentId" text,
    subject text not null
  );
CREATE INDEX revocations_at on revocations ("atMs");
CREATE TABLE jobs (
    name text primary key,
    "slotAtMs" bigint not null,
    attempts integer not null,
    "isDone" integer not null,
    "notBeforeMs" bigint not null,
    "lastError" text
  );
CREATE TABLE players (
    "environmentId" text not null,
    id text not null,
    "displayName" text not null,
    "searchName" text not null,
    email text,
    "emailLinkedAt" text,
    "emailVerifiedAt" text,
    "passwordHash" text,
    "createdAt" text not null,
    "bannedUntil" text,
    "lastSeenAt" text not null default '',
    "leaderboardsHidden" bigint not null default 0,
    primary key ("environmentId", id)
  );
CREATE UNIQUE INDEX players_email on players ("environmentId", email);
CREATE INDEX players_name on players ("environmentId", "searchName", id);
CREATE INDEX players_banned on players ("environmentId", "bannedUntil") where "bannedUntil" is not null;
CREATE INDEX players_banned_ids on players ("environmentId", id) where "bannedUntil" is not null;
CREATE INDEX players_with_email on players ("environmentId", id) where email is not null;
CREATE INDEX players_last_seen on players ("environmentId", "lastSeenAt", id);
CREATE TABLE players_identities (
    "environmentId" text not null,
    provider text not null,
    subject text not null,
    "playerId" text not null,
    "linkedAt" text not null,
    profile text not null,
    primary key ("environmentId", provider, subject)
  );
CREATE UNIQUE INDEX players_identities_of on players_identities ("environmentId", "playerId", provider);
CREATE TABLE players_tokens (
    "tokenHash" text not null,
    "environmentId" text not null,
    "playerId" text not null,
    kind text not null,
    email text not null,
    "expiresAt" text not null,
    primary key ("tokenHash")
  );
CREATE INDEX players_tokens_of on players_tokens ("environmentId", "playerId");
CREATE INDEX players_tokens_expiry on players_tokens ("expiresAt");
CREATE TABLE players_days (
    "environmentId" text not null,
    day text not null,
    "playerId" text not null,
    primary key ("environmentId", day, "playerId")
  );
CREATE INDEX players_days_of on players_days ("environmentId", "playerId");
CREATE TABLE players_deletions (
    "environmentId" text not null,
    "playerId" text not null,
    "deletedAt" text not null,
    primary key ("environmentId", "playerId")
  );
CREATE INDEX players_deletions_at on players_deletions ("deletedAt");
CREATE TABLE players_sign_in_addresses (
    "environmentId" text not null,
    "playerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("environmentId", "playerId", "addressHash")
  );
CREATE INDEX players_sign_in_addresses_day on players_sign_in_addresses (day);
CREATE TABLE players_x_profiles (
    "environmentId" text not null,
    "playerId" text not null,
    visible integer not null,
    primary key ("environmentId", "playerId")
  );
CREATE TABLE sessions (
    "environmentId" text not null,
    id text not null,
    "playerId" text not null,
    generation bigint not null,
    "rotatedAt" text,
    "rotatedAtUs" bigint,
    "nonceHash" text,
    "createdAt" text not null,
    "expiresAt" text not null,
    "revokedAt" text,
    "revokedReason" text,
    "sanctionId" text,
    primary key ("environmentId", id)
  );
CREATE INDEX sessions_of on sessions ("environmentId", "playerId");
CREATE INDEX sessions_expiry on sessions ("expiresAt");
CREATE TABLE sessions_signing_keys (
    "environmentId" text not null,
    kid text not null,
    "publicJwk" text not null,
    "createdAt" text not null,
    "retiredAt" text,
    primary key ("environmentId", kid)
  );
CREATE UNIQUE INDEX sessions_signing_keys_kid on sessions_signing_keys (kid);
CREATE TABLE sessions_transfer_codes (
    "environmentId" text not null,
    "playerId" text not null,
    "codeHash" text not null,
    "expiresAt" text not null,
    "sessionId" text not null default '',
    primary key ("environmentId", "playerId")
  );
CREATE UNIQUE INDEX sessions_transfer_codes_hash on sessions_transfer_codes ("codeHash");
CREATE TABLE sessions_deleted (
    "environmentId" text not null,
    "idHash" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "idHash")
  );
CREATE INDEX sessions_deleted_expires on sessions_deleted ("expiresAt");
CREATE TABLE oauth_credentials (
    "environmentId" text not null,
    provider text not null,
    settings text not null,
    "updatedAt" text not null,
    primary key ("environmentId", provider)
  );
CREATE TABLE oauth_sign_ins (
    "stateHash" text not null,
    "environmentId" text not null,
    provider text not null,
    "redirectUrl" text not null,
    challenge text not null,
    mode text not null,
    "playerId" text,
    "linkSessionId" text,
    verifier text not null,
    nonce text not null,
    "expiresAt" text not null,
    "orSignIn" integer not null default 0,
    primary key ("stateHash")
  );
CREATE INDEX oauth_sign_ins_expiry on oauth_sign_ins ("expiresAt");
CREATE INDEX oauth_sign_ins_of on oauth_sign_ins ("environmentId", "playerId");
CREATE TABLE oauth_exchange_codes (
    "codeHash" text not null,
    "environmentId" text not null,
    provider text not null,
    subject text not null,
    profile text not null,
    refusal text,
    challenge text not null,
    "playerId" text,
    "linkSessionId" text,
    "expiresAt" text not null,
    "sessionId" text,
    "orSignIn" integer not null default 0,
    primary key ("codeHash")
  );
CREATE INDEX oauth_exchange_codes_expiry on oauth_exchange_codes ("expiresAt");
CREATE INDEX oauth_exchange_codes_of on oauth_exchange_codes ("environmentId", "playerId");
CREATE TABLE moderation_bans (
    "environmentId" text not null,
    id text not null,
    "playerId" text not null,
    reason text,
    "createdAt" text not null,
    "expiresAt" text,
    "endedAt" text,
    "bannedBy" text,
    primary key ("environmentId", id)
  );
CREATE INDEX moderation_bans_of on moderation_bans ("environmentId", "playerId", id);
CREATE UNIQUE INDEX moderation_bans_one on moderation_bans ("environmentId", "playerId") where "endedAt" is null;
CREATE TABLE moderation_appeals (
    "environmentId" text not null,
    id text not null,
    "banId" text not null,
    "playerId" text not null,
    status text not null,
    message text not null,
    response text,
    "createdAt" text not null,
    "resolvedAt" text,
    primary key ("environmentId", id)
  );
CREATE UNIQUE INDEX moderation_appeals_of on moderation_appeals ("environmentId", "banId");
CREATE INDEX moderation_appeals_status on moderation_appeals ("environmentId", status, id);
CREATE INDEX moderation_appeals_player on moderation_appeals ("environmentId", "playerId");
CREATE TABLE moderation_ages (
    "environmentId" text not null,
    "playerId" text not null,
    declared text,
    signalled text,
    "updatedAt" text not null,
    primary key ("environmentId", "playerId")
  );
CREATE TABLE news_subscriptions (
    "environmentId" text not null,
    "playerId" text not null,
    email text not null,
    "addressHash" text not null,
    language text not null,
    status text not null,
    "tokenHash" text not null,
    "createdAt" text not null,
    "confirmedAt" text,
    primary key ("environmentId", "playerId")
  );
CREATE UNIQUE INDEX news_subscriptions_token on news_subscriptions ("tokenHash");
CREATE INDEX news_subscriptions_address on news_subscriptions ("addressHash", status);
CREATE TABLE news_mails (
    "addressHash" text not null,
    month text not null,
    place bigint not null,
    issue text not null,
    "sentAt" text not null,
    primary key ("addressHash", month, place)
  );
CREATE UNIQUE INDEX news_mails_issue on news_mails (issue, "addressHash");
CREATE INDEX news_mails_month on news_mails (month);
CREATE TABLE saves (
    "environmentId" text not null,
    "playerId" text not null,
    key text not null,
    version bigint not null,
    size bigint not null,
    "updatedAt" text not null,
    data text,
    primary key ("environmentId", "playerId", key)
  );
CREATE TABLE stats (
    "environmentId" text not null,
    "playerId" text not null,
    key text not null,
    aggregation text not null,
    zone text not null,
    day text not null,
    week text not null,
    month text not null,
    "allTime" double precision not null,
    daily double precision not null,
    weekly double precision not null,
    monthly double precision not null,
    "updatedAt" text not null,
    "allTimeBoard" bigint,
    "allTimeRanked" double precision,
    "allTimeTie" bigint,
    "dailyBoard" bigint,
    "dailyRanked" double precision,
    "dailyTie" bigint,
    "weeklyBoard" bigint,
    "weeklyRanked" double precision,
    "weeklyTie" bigint,
    "monthlyBoard" bigint,
    "monthlyRanked" double precision,
    "monthlyTie" bigint,
    hidden bigint,
    primary key ("environmentId", "playerId", key)
  );
CREATE INDEX stats_hidden on stats ("environmentId", key) where hidden is not null;
CREATE INDEX stats_alltime on stats ("allTimeBoard", "allTimeRanked", "allTimeTie", "playerId") where "allTimeBoard" is not null;
CREATE INDEX stats_daily on stats ("dailyBoard", "dailyRanked", "dailyTie", "playerId") where "dailyBoard" is not null;
CREATE INDEX stats_weekly on stats ("weeklyBoard", "weeklyRanked", "weeklyTie", "playerId") where "weeklyBoard" is not null;
CREATE INDEX stats_monthly on stats ("monthlyBoard", "monthlyRanked", "monthlyTie", "playerId") where "monthlyBoard" is not null;
CREATE TABLE stats_signals (
    "environmentId" text not null,
    "playerId" text not null,
    id text not null,
    at text not null,
    key text not null,
    value text not null,
    reason text not null,
    primary key ("environmentId", "playerId", id)
  );
CREATE INDEX stats_signals_newest on stats_signals ("environmentId", id);
CREATE INDEX stats_signals_by_reason on stats_signals ("environmentId", reason, id);
CREATE TABLE stats_deliveries (
    "environmentId" text not null,
    id text not null,
    at text not null,
    kind text not null,
    url text not null,
    status bigint,
    "durationMs" bigint not null,
    outcome text not null,
    error text,
    answer text,
    request text,
    primary key ("environmentId", id)
  );
CREATE TABLE leaderboards (
    id integer primary key autoincrement,
    "environmentId" text not null,
    key text not null,
    period text not null,
    label text not null,
    direction text not null,
    signature text not null,
    "startsAt" text,
    "endsAt" text,
    "createdAt" text not null,
    "resetAt" text,
    "replacedAt" text,
    "closedAt" text,
    "settledAt" text,
    count bigint,
    work text,
    "workAfter" text,
    "checkpointDueAt" text,
    "checkpointAt" text,
    "retiredAt" text,
    "verifiedFrom" text,
    checkpoint text
  );
CREATE INDEX leaderboards_of on leaderboards ("environmentId", key, period, label);
CREATE TABLE leaderboards_winners (
    "environmentId" text not null,
    key text not null,
    label text not null,
    rank bigint not null,
    "playerId" text not null,
    value double precision not null,
    tie bigint not null,
    primary key ("environmentId", key, label, rank)
  );
CREATE INDEX leaderboards_winners_of on leaderboards_winners ("environmentId", "playerId");
CREATE TABLE rooms_firsts (
    "environmentId" text primary key,
    at text not null
  );
CREATE TABLE channels (
    "environmentId" text not null,
    name text not null,
    settings text not null,
    "createdAt" text not null,
    primary key ("environmentId", name)
  );
CREATE TABLE channels_lists (
    "environmentId" text not null,
    name text not null,
    list text not null,
    "playerId" text not null,
    until text,
    primary key ("environmentId", name, list, "playerId")
  );
CREATE INDEX channels_lists_player on channels_lists ("environmentId", "playerId");
CREATE TABLE voice_projects (
    "projectId" text primary key,
    "suspendedAt" text not null
  );
CREATE TABLE hosting_deployments (
    "environmentId" text not null,
    id text not null,
    "projectId" text not null,
    version bigint not null,
    status text not null,
    message text,
    "fileCount" bigint not null,
    "totalBytes" bigint not null,
    "createdAt" text not null,
    "activatedAt" text,
    files text not null,
    primary key ("environmentId", id)
  );
CREATE UNIQUE INDEX hosting_deployments_version on hosting_deployments ("environmentId", version);
CREATE INDEX hosting_deployments_of on hosting_deployments ("projectId");
CREATE TABLE hosting_live (
    "environmentId" text primary key,
    "lastVersion" bigint not null,
    "deploymentId" text,
    version bigint,
    activations bigint not null,
    kept text not null
  );
CREATE TABLE hosting_projects (
    "projectId" text primary key,
    "sweepAt" text,
    "suspendedAt" text
  );
CREATE INDEX hosting_projects_due on hosting_projects ("sweepAt");
CREATE TABLE hosting_blobs (
    key text primary key,
    "projectId" text not null,
    sha256 text not null,
    size bigint not null,
    state text not null,
    "changedAt" text not null,
    "brSize" bigint,
    "gzSize" bigint
  );
CREATE INDEX hosting_blobs_of on hosting_blobs ("projectId", sha256);
CREATE INDEX hosting_blobs_state on hosting_blobs (state, "changedAt");
CREATE TABLE hosting_authors (
    "environmentId" text not null,
    "deploymentId" text not null,
    "createdBy" text not null,
    primary key ("environmentId", "deploymentId")
  );
CREATE TABLE hosting_activations (
    "environmentId" text not null,
    number bigint not null,
    version bigint not null,
    at text not null,
    "activatedBy" text not null,
    primary key ("environmentId", number)
  );
CREATE TABLE functions (
    "environmentId" text primary key,
    "projectId" text not null,
    "enabledAt" text,
    "suspendedAt" text,
    "suspendedBy" text,
    "cpuMs" bigint not null,
    "subRequests" bigint not null,
    "lastVersion" bigint not null,
    "liveVersionId" text,
    generation bigint not null,
    "dataId" text not null,
    "updatedAt" text not null
  );
CREATE INDEX functions_of on functions ("projectId");
CREATE TABLE functions_versions (
    "environmentId" text not null,
    id text not null,
    version bigint not null,
    message text,
    "blobKey" text not null,
    bytes bigint not null,
    actor text not null,
    "createdAt" text not null,
    manifest text not null,
    primary key ("environmentId", id)
  );
CREATE UNIQUE INDEX functions_versions_version on functions_versions ("environmentId", version);
CREATE TABLE functions_secrets (
    "environmentId" text not null,
    name text not null,
    "updatedAt" text not null,
    primary key ("environmentId", name)
  );
CREATE TABLE functions_resources (
    "environmentId" text not null,
    type text not null,
    id text not null,
    bytes bigint not null,
    "createdAt" text not null,
    primary key ("environmentId", type, id)
  );
CREATE TABLE functions_cron_slots (
    "environmentId" text not null,
    cron text not null,
    slot bigint not null,
    "nodeId" text not null,
    "startedAt" text not null,
    "endedAt" text,
    outcome text,
    primary key ("environmentId", cron, slot)
  );
CREATE TABLE functions_removals (
    "dataId" text not null,
    "blobPrefix" text not null,
    "createdAt" text not null,
    primary key ("dataId", "blobPrefix")
  );
CREATE TABLE functions_minutes (
    "environmentId" text not null,
    minute bigint not null,
    requests bigint not null,
    errors bigint not null,
    "cpuMs" bigint not null,
    primary key ("environmentId", minute)
  );
CREATE TABLE functions_storage_hours (
    "environmentId" text not null,
    hour bigint not null,
    primary key ("environmentId", hour)
  );
CREATE TABLE sharing_links (
    "environmentId" text not null,
    id text not null,
    kind text not null,
    "playerId" text,
    label text,
    score double precision,
    "displayName" text,
    "createdAt" text not null,
    "lastVisitOn" text not null,
    "cardKey" text,
    "cardBytes" bigint,
    "cardSha256" text,
    look text not null,
    primary key ("environmentId", id)
  );
CREATE INDEX sharing_links_by_player on sharing_links ("environmentId", "playerId") where "playerId" is not null;
CREATE INDEX sharing_links_tracked on sharing_links ("environmentId", "createdAt") where kind = 'tracked';
CREATE INDEX sharing_links_by_last_visit on sharing_links ("lastVisitOn");
CREATE TABLE sharing_days (
    "environmentId" text not null,
    "shareId" text not null,
    day text not null,
    visits integer not null,
    "newPlayers" integer not null,
    plays integer not null,
    primary key ("environmentId", "shareId", day)
  );
CREATE INDEX sharing_days_by_day on sharing_days ("environmentId", day);
CREATE TABLE sharing_visitors (
    day text not null,
    "environmentId" text not null,
    "shareId" text not null,
    kind text not null,
    "addressHash" text not null,
    visitor text not null,
    primary key (day, "environmentId", "shareId", kind, "addressHash", visitor)
  );
CREATE TABLE sharing_cards (
    "environmentId" text not null,
    "inputHash" text not null,
    "blobKey" text not null,
    bytes bigint not null,
    sha256 text not null,
    "usedOn" text not null,
    primary key ("environmentId", "inputHash")
  );
CREATE INDEX sharing_cards_by_use on sharing_cards ("usedOn");
CREATE TABLE sharing_removals (
    "blobKey" text primary key,
    "removeAfter" text not null
  );
CREATE INDEX sharing_removals_by_time on sharing_removals ("removeAfter");
CREATE TABLE money_accounts (
    "developerId" text primary key,
    prepaid bigint not null check (prepaid >= 0),
    invite bigint not null check (invite >= 0),
    owed bigint not null check (owed <= 0),
    sequence bigint not null,
    hash text not null,
    "lastTopup" bigint not null,
    "updatedAt" text not null,
    "owedOther" bigint not null default 0 check ("owedOther" <= 0)
  );
CREATE INDEX money_accounts_overdue on money_accounts ("developerId") where owed < 0 or "owedOther" < 0;
CREATE TABLE money_transactions (
    "developerId" text not null,
    sequence bigint not null,
    id text not null unique,
    at text not null,
    type text not null,
    reference text not null unique,
    amount bigint not null,
    "balanceAfter" bigint not null check ("balanceAfter" >= 0),
    description text not null,
    hash text not null,
    primary key ("developerId", sequence)
  );
CREATE TABLE money_postings (
    "transactionId" text not null,
    account text not null,
    amount bigint not null,
    primary key ("transactionId", account)
  );
CREATE TABLE money_checkouts (
    id text primary key,
    "developerId" text not null,
    "idempotencyKey" text,
    amount bigint not null check (amount > 0),
    "successUrl" text not null,
    "cancelUrl" text not null,
    status text not null,
    "providerId" text,
    url text,
    "createdAt" text not null,
    "expiresAt" text not null,
    "askedAt" text,
    "paidAt" text,
    "paymentId" text unique,
    refunded bigint not null default 0,
    disputed bigint not null default 0,
    unique ("developerId", "idempotencyKey")
  );
CREATE INDEX money_checkouts_open on money_checkouts ("createdAt") where status = 'open';
CREATE TABLE money_events (
    id text primary key,
    type text not null,
    at text not null,
    outcome text not null
  );
CREATE INDEX money_events_at on money_events (at);
CREATE TABLE money_usage (
    "developerId" text not null,
    environment text not null,
    component text not null,
    period text not null,
    quantity bigint not null check (quantity >= 0),
    "updatedAt" text not null,
    primary key ("developerId", period, environment, component)
  );
CREATE INDEX money_usage_period on money_usage (period, "developerId");
CREATE TABLE money_periods (
    "developerId" text not null,
    period text not null,
    "chargedCents" bigint not null check ("chargedCents" >= 0),
    "closedAt" text,
    prices text not null,
    primary key ("developerId", period)
  );
CREATE TABLE money_invites (
    "codeHash" text primary key,
    label text,
    "usesMax" bigint not null,
    uses bigint not null check (uses <= "usesMax"),
    "expiresAt" text,
    "revokedAt" text,
    "createdAt" text not null
  );
CREATE TABLE money_redemptions (
    "developerId" text primary key,
    "codeHash" text not null,
    status text not null,
    at text not null
  );
CREATE TABLE money_usage_days (
    "developerId" text not null,
    date text not null,
    component text not null,
    quantity bigint not null check (quantity >= 0),
    primary key ("developerId", date, component)
  );
CREATE TABLE money_disputes (
    id text primary key,
    "checkoutId" text not null,
    withdrawn bigint not null check (withdrawn >= 0),
    reinstated bigint not null check (reinstated >= 0)
  );
CREATE INDEX money_disputes_checkout on money_disputes ("checkoutId");
CREATE TABLE playground_players (
    "environmentId" text not null,
    "playerId" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "playerId")
  );
CREATE INDEX playground_players_expiry on playground_players ("expiresAt");
insert into "migrations" values ('0001-installation', '4a781f14e6716dd21b089f6c98d461c68f72d1e3bb04e8bf9dd5bbfb732b67ed', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0002-developers', '3b7d49ecac4ec60964745d90e04fec7e804f69d382878cf852b5bac4ef98351c', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0003-projects', 'a071799162958e93cf4d41a585eab0a098e283605d968de1809ed49dbbda30ca', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0004-config', 'e5df803561d077b174f6f07f32fcebb1d59b36e6f24f3424b0537646ae120283', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0005-secrets', '7bb8831711ac9a8d0c9adffc0270acf426e1462ea9cf5df6553a196544b26cb1', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0006-audit', '522009dc024beeac15b8091feac0bf37dc7f4466ef46d453bd84d6abcb5415c2', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0007-mail', '376e5c84ad201ef6c1161bf13fcd56d2e4e3050d8e87e3a312a2373bd32ea742', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0008-idempotency', 'e149698c735e5d3ff9b006c73b5361396ff0cc63b2614a99df8c4f15be9ba279', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0009-revocations', '6afe1763487f83022c961839350c13198838d70567875268f38ce693cacaad7f', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0010-jobs', '35525976c651a2c7d8c31f0f84f3045dab16da6aedc2c7a9fec2fb724dbf401f', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0011-players', '4bc1f030f80d812f44b663a42bac20ba1dafcc3ee500b45d9c5478a3dd3a84f8', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0012-sessions', '52051e8367c6790eb807cdc29f3db3af215a7f752aac7315f08ea3506b050d1b', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0013-oauth', '87062e1dd890884bf3bca9532d4190b72aa8f6fb85a0406285423ca746b98daf', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0014-moderation', 'ecc6d648551c8301c69e4e3cf2a88372b3899670767f781ca5bdbc809f8b0d01', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0015-news', '81b711a50bb124eb1011a9a426177bc9b26f21e35bdcce609b124f853f86010f', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0016-saves', 'e73d0253d7dc5a916722b758d242b8ce8f557aa090fb8cb321ac79d2725ce5f5', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0017-stats', '080709152518a6e46da2486d544927d0708ea706b372124d0304526cfa08bb98', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0018-leaderboards', '0c6b7262260d019f276dd4cf3c56b8225abdf31051d3bfe5227e1ee6615e7189', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0019-rooms', 'ae9441715b234f49ee8372a21b0c3db5f8ecbf9ee07ab9eef2d4d65587f1437a', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0020-channels', '54bea004eeeed6eaf3f325c6207074b832015cbfbb2de58426afc218dda2bc9a', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0021-voice', '4808e7f6517bf74a6e66eb550b4bfb251203f8df922d8c2b741ac7d1ae315be8', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0022-hosting', 'ee9aa9abdf18df1d0b6e4ceff23468d1641b4093a140b009f66b184f65303bc8', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0023-functions', 'fbbe0f1d6b36f0b8325aea9f40aac14f3b92f67842f4686aa475b39b67eb9647', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0024-sharing', '000637c37f721d1195c22b4ffb6653506e5a80829168febde30e2733218e596a', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0025-money', '2c4c72bc7c3541b86e9c7213c175139535b52a2fddfa88a7c7b6155f98279384', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0026-playground', '6fd091dd538eb85a716f01c3ccce77feeaed8e3894a32a9683134e298908a77f', '2026-01-01T00:00:00.000Z');
insert into "installation" values (' null ', ' null ');
insert into "installation" values ('''"\n{}	
, ', '''"\n{}	
, ');
insert into "installation" values ('', '');
insert into "installation" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "installation" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648);
insert into "developers" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "developers" values ('', '', '', '', '', '', 1);
insert into "developers" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
insert into "developers" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, '😀 👩‍👩‍👧 é', 9223372036854775807);
insert into "developers_sessions" values (' null ', ' null ', ' null ', ' null ');
insert into "developers_sessions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_sessions" values ('', '', '', '');
insert into "developers_sessions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_sessions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers_tokens" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_tokens" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_tokens" values ('', '', '', '', '');
insert into "developers_tokens" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_tokens" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers_identities" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_identities" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_identities" values ('', '', '', '', '');
insert into "developers_identities" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_identities" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
insert into "developers_sign_ins" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_sign_ins" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_sign_ins" values ('', '', '', '', '', '', '', '', '');
insert into "developers_sign_ins" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_sign_ins" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers_exchange_codes" values (' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_exchange_codes" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_exchange_codes" values ('', '', '', '', 1, '', '', '', '', '', '');
insert into "developers_exchange_codes" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_exchange_codes" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL);
insert into "developers_sign_in_addresses" values (' null ', ' null ', ' null ');
insert into "developers_sign_in_addresses" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_sign_in_addresses" values ('', '', '');
insert into "developers_sign_in_addresses" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_sign_in_addresses" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers_invitations" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_invitations" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_invitations" values ('', '', '', '', '');
insert into "developers_invitations" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_invitations" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "developers_device_codes" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "developers_device_codes" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "developers_device_codes" values ('', '', '', '', '', '', '', '');
insert into "developers_device_codes" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "developers_device_codes" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
insert into "projects" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "projects" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "projects" values ('', '', '', '', '', '');
insert into "projects" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "projects" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
insert into "projects_environments" values (' null ', ' null ', ' null ');
insert into "projects_environments" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "projects_environments" values ('', '', '');
insert into "projects_environments" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "projects_environments" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "projects_keys" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "projects_keys" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "projects_keys" values ('', '', '', '', '', '', '', '', '', '', '', '');
insert into "projects_keys" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "projects_keys" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL);
insert into "projects_renames" values (' null ', ' null ');
insert into "projects_renames" values ('''"\n{}	
, ', '''"\n{}	
, ');
insert into "projects_renames" values ('', '');
insert into "projects_renames" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "projects_renames" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "config_versions" values (' null ', 2147483648, ' null ', ' null ', ' null ');
insert into "config_versions" values ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "config_versions" values ('', 1, '', '', '');
insert into "config_versions" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "config_versions" values ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "secrets" values (' null ', ' null ', ' null ');
insert into "secrets" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "secrets" values ('', '', '');
insert into "secrets" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "secrets" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "audit_entries" values (' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "audit_entries" values ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "audit_entries" values ('', 1, '', '', '', '', '', '', '', '');
insert into "audit_entries" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "audit_entries" values ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "audit_heads" values (' null ', 2147483648, ' null ');
insert into "audit_heads" values ('''"\n{}	
, ', 12, '''"\n{}	
, ');
insert into "audit_heads" values ('', 1, '');
insert into "audit_heads" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "audit_heads" values ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
insert into "mail_outbox" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "mail_outbox" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "mail_outbox" values ('', '', '', '', '', '', '', 1, '', '', '', '', '');
insert into "mail_outbox" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "mail_outbox" values ('😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL);
insert into "mail_sends" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "mail_sends" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "mail_sends" values ('', '', '', '', '', '');
insert into "mail_sends" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "mail_sends" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "idempotency_answers" values (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
insert into "idempotency_answers" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "idempotency_answers" values ('', '', '', 1, '', '');
insert into "idempotency_answers" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "idempotency_answers" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é');
insert into "revocations" values (' null ', 2147483648, ' null ', ' null ', ' null ');
insert into "revocations" values ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "revocations" values ('', 1, '', '', '');
insert into "revocations" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "revocations" values ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
insert into "jobs" values (' null ', 2147483648, 2, 2, 2147483648, ' null ');
insert into "jobs" values ('''"\n{}	
, ', 12, 12, 12, 12, '''"\n{}	
, ');
insert into "jobs" values ('', 1, 1, 1, 1, '');
insert into "jobs" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 2147483647, 2147483647, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "jobs" values ('😀 👩‍👩‍👧 é', 9223372036854775807, 3, 3, 9223372036854775807, NULL);
insert into "players" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648);
insert into "players" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "players" values ('', '', '', '', '', '', '', '', '', '', '', 1);
insert into "players" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
insert into "players" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', 9223372036854775807);
insert into "players_identities" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "players_identities" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "players_identities" values ('', '', '', '', '', '');
insert into "players_identities" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "players_identities" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "players_tokens" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "players_tokens" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "players_tokens" values ('', '', '', '', '', '');
insert into "players_tokens" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "players_tokens" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "players_days" values (' null ', ' null ', ' null ');
insert into "players_days" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "players_days" values ('', '', '');
insert into "players_days" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "players_days" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "players_deletions" values (' null ', ' null ', ' null ');
insert into "players_deletions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "players_deletions" values ('', '', '');
insert into "players_deletions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "players_deletions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "players_sign_in_addresses" values (' null ', ' null ', ' null ', ' null ');
insert into "players_sign_in_addresses" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "players_sign_in_addresses" values ('', '', '', '');
insert into "players_sign_in_addresses" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "players_sign_in_addresses" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "players_x_profiles" values (' null ', ' null ', 2);
insert into "players_x_profiles" values ('''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "players_x_profiles" values ('', '', 1);
insert into "players_x_profiles" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
insert into "players_x_profiles" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3);
insert into "sessions" values (' null ', ' null ', ' null ', 2147483648, ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "sessions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sessions" values ('', '', '', 1, '', 1, '', '', '', '', '', '');
insert into "sessions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sessions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
insert into "sessions_signing_keys" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "sessions_signing_keys" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sessions_signing_keys" values ('', '', '', '', '');
insert into "sessions_signing_keys" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sessions_signing_keys" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
insert into "sessions_transfer_codes" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "sessions_transfer_codes" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sessions_transfer_codes" values ('', '', '', '', '');
insert into "sessions_transfer_codes" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sessions_transfer_codes" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "sessions_deleted" values (' null ', ' null ', ' null ');
insert into "sessions_deleted" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sessions_deleted" values ('', '', '');
insert into "sessions_deleted" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sessions_deleted" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "oauth_credentials" values (' null ', ' null ', ' null ', ' null ');
insert into "oauth_credentials" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "oauth_credentials" values ('', '', '', '');
insert into "oauth_credentials" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "oauth_credentials" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "oauth_sign_ins" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2);
insert into "oauth_sign_ins" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "oauth_sign_ins" values ('', '', '', '', '', '', '', '', '', '', '', 1);
insert into "oauth_sign_ins" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
insert into "oauth_sign_ins" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3);
insert into "oauth_exchange_codes" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2);
insert into "oauth_exchange_codes" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "oauth_exchange_codes" values ('', '', '', '', '', '', '', '', '', '', '', 1);
insert into "oauth_exchange_codes" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
insert into "oauth_exchange_codes" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', NULL, 3);
insert into "moderation_bans" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "moderation_bans" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "moderation_bans" values ('', '', '', '', '', '', '', '');
insert into "moderation_bans" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "moderation_bans" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
insert into "moderation_appeals" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "moderation_appeals" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "moderation_appeals" values ('', '', '', '', '', '', '', '', '');
insert into "moderation_appeals" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "moderation_appeals" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL);
insert into "moderation_ages" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "moderation_ages" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "moderation_ages" values ('', '', '', '', '');
insert into "moderation_ages" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "moderation_ages" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é');
insert into "news_subscriptions" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "news_subscriptions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "news_subscriptions" values ('', '', '', '', '', '', '', '', '');
insert into "news_subscriptions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "news_subscriptions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
insert into "news_mails" values (' null ', ' null ', 2147483648, ' null ', ' null ');
insert into "news_mails" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "news_mails" values ('', '', 1, '', '');
insert into "news_mails" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "news_mails" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "saves" values (' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ');
insert into "saves" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "saves" values ('', '', '', 1, 1, '', '');
insert into "saves" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "saves" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL);
insert into "stats" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 9.0e+999, 9.0e+999, 9.0e+999, 9.0e+999, ' null ', 2147483648, 9.0e+999, 2147483648, 2147483648, 9.0e+999, 2147483648, 2147483648, 9.0e+999, 2147483648, 2147483648, 9.0e+999, 2147483648, 2147483648);
insert into "stats" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 4.9406564584124654e-324, 4.9406564584124654e-324, 4.9406564584124654e-324, 4.9406564584124654e-324, '''"\n{}	
, ', 12, 4.9406564584124654e-324, 12, 12, 4.9406564584124654e-324, 12, 12, 4.9406564584124654e-324, 12, 12, 4.9406564584124654e-324, 12, 12);
insert into "stats" values ('', '', '', '', '', '', '', '', 0.0, 0.0, 0.0, 0.0, '', 1, 0.0, 1, 1, 0.0, 1, 1, 0.0, 1, 1, 0.0, 1, 1);
insert into "stats" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, -0.1, -0.1, -0.1, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993);
insert into "stats" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308, '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "stats_signals" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "stats_signals" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "stats_signals" values ('', '', '', '', '', '', '');
insert into "stats_signals" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "stats_signals" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "stats_deliveries" values (' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ', ' null ');
insert into "stats_deliveries" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "stats_deliveries" values ('', '', '', '', '', 1, 1, '', '', '', '');
insert into "stats_deliveries" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "stats_deliveries" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
insert into "leaderboards" values (1, '', '', '', '', '', '', '', '', '', '', '', '', '', 1, '', '', '', '', '', '', '');
insert into "leaderboards" values (2, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "leaderboards" values (3, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
insert into "leaderboards" values (4, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "leaderboards" values (5, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "leaderboards_winners" values (' null ', ' null ', ' null ', 2147483648, ' null ', 9.0e+999, 2147483648);
insert into "leaderboards_winners" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', 4.9406564584124654e-324, 12);
insert into "leaderboards_winners" values ('', '', '', 1, '', 0.0, 1);
insert into "leaderboards_winners" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, 9007199254740993);
insert into "leaderboards_winners" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', 1.7976931348623157e+308, 9223372036854775807);
insert into "rooms_firsts" values (' null ', ' null ');
insert into "rooms_firsts" values ('''"\n{}	
, ', '''"\n{}	
, ');
insert into "rooms_firsts" values ('', '');
insert into "rooms_firsts" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "rooms_firsts" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "channels" values (' null ', ' null ', ' null ', ' null ');
insert into "channels" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "channels" values ('', '', '', '');
insert into "channels" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "channels" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "channels_lists" values (' null ', ' null ', ' null ', ' null ', ' null ');
insert into "channels_lists" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "channels_lists" values ('', '', '', '', '');
insert into "channels_lists" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "channels_lists" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
insert into "voice_projects" values (' null ', ' null ');
insert into "voice_projects" values ('''"\n{}	
, ', '''"\n{}	
, ');
insert into "voice_projects" values ('', '');
insert into "voice_projects" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "voice_projects" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "hosting_deployments" values (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ');
insert into "hosting_deployments" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "hosting_deployments" values ('', '', '', 1, '', '', 1, 1, '', '', '');
insert into "hosting_deployments" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "hosting_deployments" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
insert into "hosting_live" values (' null ', 2147483648, ' null ', 2147483648, 2147483648, ' null ');
insert into "hosting_live" values ('''"\n{}	
, ', 12, '''"\n{}	
, ', 12, 12, '''"\n{}	
, ');
insert into "hosting_live" values ('', 1, '', 1, 1, '');
insert into "hosting_live" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "hosting_live" values ('😀 👩‍👩‍👧 é', 9223372036854775807, NULL, NULL, 9223372036854775807, '😀 👩‍👩‍👧 é');
insert into "hosting_projects" values (' null ', ' null ', ' null ');
insert into "hosting_projects" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "hosting_projects" values ('', '', '');
insert into "hosting_projects" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "hosting_projects" values ('😀 👩‍👩‍👧 é', NULL, NULL);
insert into "hosting_blobs" values (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, 2147483648);
insert into "hosting_blobs" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, 12);
insert into "hosting_blobs" values ('', '', '', 1, '', '', 1, 1);
insert into "hosting_blobs" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
insert into "hosting_blobs" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL);
insert into "hosting_authors" values (' null ', ' null ', ' null ');
insert into "hosting_authors" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "hosting_authors" values ('', '', '');
insert into "hosting_authors" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "hosting_authors" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "hosting_activations" values (' null ', 2147483648, 2147483648, ' null ', ' null ');
insert into "hosting_activations" values ('''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "hosting_activations" values ('', 1, 1, '', '');
insert into "hosting_activations" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "hosting_activations" values ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "functions" values (' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, 2147483648, ' null ', 2147483648, ' null ', ' null ');
insert into "functions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, 12, '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "functions" values ('', '', '', '', '', 1, 1, 1, '', 1, '', '');
insert into "functions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 9223372036854775807, NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "functions_versions" values (' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ');
insert into "functions_versions" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "functions_versions" values ('', '', 1, '', '', 1, '', '', '');
insert into "functions_versions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions_versions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "functions_secrets" values (' null ', ' null ', ' null ');
insert into "functions_secrets" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "functions_secrets" values ('', '', '');
insert into "functions_secrets" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions_secrets" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "functions_resources" values (' null ', ' null ', ' null ', 2147483648, ' null ');
insert into "functions_resources" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ');
insert into "functions_resources" values ('', '', '', 1, '');
insert into "functions_resources" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions_resources" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
insert into "functions_cron_slots" values (' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ');
insert into "functions_cron_slots" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "functions_cron_slots" values ('', '', 1, '', '', '', '');
insert into "functions_cron_slots" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions_cron_slots" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL);
insert into "functions_removals" values (' null ', ' null ', ' null ');
insert into "functions_removals" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "functions_removals" values ('', '', '');
insert into "functions_removals" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "functions_removals" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "functions_minutes" values (' null ', 2147483648, 2147483648, 2147483648, 2147483648);
insert into "functions_minutes" values ('''"\n{}	
, ', 12, 12, 12, 12);
insert into "functions_minutes" values ('', 1, 1, 1, 1);
insert into "functions_minutes" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993);
insert into "functions_minutes" values ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807);
insert into "functions_storage_hours" values (' null ', 2147483648);
insert into "functions_storage_hours" values ('''"\n{}	
, ', 12);
insert into "functions_storage_hours" values ('', 1);
insert into "functions_storage_hours" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
insert into "functions_storage_hours" values ('😀 👩‍👩‍👧 é', 9223372036854775807);
insert into "sharing_links" values (' null ', ' null ', ' null ', ' null ', ' null ', 9.0e+999, ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
insert into "sharing_links" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 4.9406564584124654e-324, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sharing_links" values ('', '', '', '', '', 0.0, '', '', '', '', 1, '', '');
insert into "sharing_links" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sharing_links" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, '😀 👩‍👩‍👧 é');
insert into "sharing_days" values (' null ', ' null ', ' null ', 2, 2, 2);
insert into "sharing_days" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, 12);
insert into "sharing_days" values ('', '', '', 1, 1, 1);
insert into "sharing_days" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647, 2147483647, 2147483647);
insert into "sharing_days" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3, 3, 3);
insert into "sharing_visitors" values (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
insert into "sharing_visitors" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sharing_visitors" values ('', '', '', '', '', '');
insert into "sharing_visitors" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sharing_visitors" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "sharing_cards" values (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
insert into "sharing_cards" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "sharing_cards" values ('', '', '', 1, '', '');
insert into "sharing_cards" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sharing_cards" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "sharing_removals" values (' null ', ' null ');
insert into "sharing_removals" values ('''"\n{}	
, ', '''"\n{}	
, ');
insert into "sharing_removals" values ('', '');
insert into "sharing_removals" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "sharing_removals" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "money_accounts" values (' null ', 2147483648, 2147483648, -2147483648, 2147483648, ' null ', 2147483648, ' null ', -2147483648);
insert into "money_accounts" values ('''"\n{}	
, ', 12, 12, -12, 12, '''"\n{}	
, ', 12, '''"\n{}	
, ', -12);
insert into "money_accounts" values ('', 1, 1, -1, 1, '', 1, '', -1);
insert into "money_accounts" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, -9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', -9007199254740993);
insert into "money_accounts" values ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, -9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', -9223372036854775807);
insert into "money_transactions" values (' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ');
insert into "money_transactions" values ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "money_transactions" values ('', 1, '', '', '', '', 1, 1, '', '');
insert into "money_transactions" values ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_transactions" values ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "money_postings" values (' null ', ' null ', 2147483648);
insert into "money_postings" values ('''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "money_postings" values ('', '', 1);
insert into "money_postings" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
insert into "money_postings" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807);
insert into "money_checkouts" values (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648);
insert into "money_checkouts" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12);
insert into "money_checkouts" values ('', '', '', 1, '', '', '', '', '', '', '', '', '', '', 1, 1);
insert into "money_checkouts" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
insert into "money_checkouts" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, 9223372036854775807, 9223372036854775807);
insert into "money_events" values (' null ', ' null ', ' null ', ' null ');
insert into "money_events" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "money_events" values ('', '', '', '');
insert into "money_events" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_events" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "money_usage" values (' null ', ' null ', ' null ', ' null ', 2147483648, ' null ');
insert into "money_usage" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ');
insert into "money_usage" values ('', '', '', '', 1, '');
insert into "money_usage" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_usage" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
insert into "money_periods" values (' null ', ' null ', 2147483648, ' null ', ' null ');
insert into "money_periods" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
insert into "money_periods" values ('', '', 1, '', '');
insert into "money_periods" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_periods" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, '😀 👩‍👩‍👧 é');
insert into "money_invites" values (' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ');
insert into "money_invites" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "money_invites" values ('', '', 1, 1, '', '', '');
insert into "money_invites" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_invites" values ('😀 👩‍👩‍👧 é', NULL, 9223372036854775807, 9223372036854775807, NULL, NULL, '😀 👩‍👩‍👧 é');
insert into "money_redemptions" values (' null ', ' null ', ' null ', ' null ');
insert into "money_redemptions" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "money_redemptions" values ('', '', '', '');
insert into "money_redemptions" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "money_redemptions" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
insert into "money_usage_days" values (' null ', ' null ', ' null ', 2147483648);
insert into "money_usage_days" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
insert into "money_usage_days" values ('', '', '', 1);
insert into "money_usage_days" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
insert into "money_usage_days" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807);
insert into "money_disputes" values (' null ', ' null ', 2147483648, 2147483648);
insert into "money_disputes" values ('''"\n{}	
, ', '''"\n{}	
, ', 12, 12);
insert into "money_disputes" values ('', '', 1, 1);
insert into "money_disputes" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
insert into "money_disputes" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807);
insert into "playground_players" values (' null ', ' null ', ' null ');
insert into "playground_players" values ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
insert into "playground_players" values ('', '', '');
insert into "playground_players" values ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
insert into "playground_players" values ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
