SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.audit_entries (
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    env text COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    target text COLLATE pg_catalog."C",
    details text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.audit_heads (
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.channels (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.channels_lists (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    list text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    until text COLLATE pg_catalog."C"
);
CREATE TABLE public.config_versions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    document text NOT NULL COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers (
    id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    "passwordHash" text COLLATE pg_catalog."C",
    "emailVerifiedAt" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "isOperator" bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.developers_device_codes (
    "secretHash" text NOT NULL COLLATE pg_catalog."C",
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    decision text COLLATE pg_catalog."C",
    "developerId" text COLLATE pg_catalog."C",
    "sessionHash" text COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_exchange_codes (
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    "emailVerified" bigint NOT NULL,
    name text COLLATE pg_catalog."C",
    challenge text NOT NULL COLLATE pg_catalog."C",
    intent text NOT NULL COLLATE pg_catalog."C",
    "developerId" text COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "sessionHash" text COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_identities (
    provider text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    "linkedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_invitations (
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_sessions (
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_sign_in_addresses (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    "addressHash" text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_sign_ins (
    "stateHash" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    "redirectUrl" text NOT NULL COLLATE pg_catalog."C",
    challenge text NOT NULL COLLATE pg_catalog."C",
    intent text NOT NULL COLLATE pg_catalog."C",
    "developerId" text COLLATE pg_catalog."C",
    verifier text NOT NULL COLLATE pg_catalog."C",
    nonce text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.developers_tokens (
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.functions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    "enabledAt" text COLLATE pg_catalog."C",
    "suspendedAt" text COLLATE pg_catalog."C",
    "suspendedBy" text COLLATE pg_catalog."C",
    "cpuMs" bigint NOT NULL,
    "subRequests" bigint NOT NULL,
    "lastVersion" bigint NOT NULL,
    "liveVersionId" text COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    "dataId" text NOT NULL COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.functions_cron_slots (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    cron text NOT NULL COLLATE pg_catalog."C",
    slot bigint NOT NULL,
    "nodeId" text NOT NULL COLLATE pg_catalog."C",
    "startedAt" text NOT NULL COLLATE pg_catalog."C",
    "endedAt" text COLLATE pg_catalog."C",
    outcome text COLLATE pg_catalog."C"
);
CREATE TABLE public.functions_minutes (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    minute bigint NOT NULL,
    requests bigint NOT NULL,
    errors bigint NOT NULL,
    "cpuMs" bigint NOT NULL
);
CREATE TABLE public.functions_removals (
    "dataId" text NOT NULL COLLATE pg_catalog."C",
    "blobPrefix" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.functions_resources (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    "createdAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.functions_secrets (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.functions_storage_hours (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    hour bigint NOT NULL
);
CREATE TABLE public.functions_versions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    message text COLLATE pg_catalog."C",
    "blobKey" text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    manifest text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.hosting_activations (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    version bigint NOT NULL,
    at text NOT NULL COLLATE pg_catalog."C",
    "activatedBy" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.hosting_authors (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "deploymentId" text NOT NULL COLLATE pg_catalog."C",
    "createdBy" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.hosting_blobs (
    key text NOT NULL COLLATE pg_catalog."C",
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    sha256 text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    "changedAt" text NOT NULL COLLATE pg_catalog."C",
    "brSize" bigint,
    "gzSize" bigint
);
CREATE TABLE public.hosting_deployments (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    "fileCount" bigint NOT NULL,
    "totalBytes" bigint NOT NULL,
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "activatedAt" text COLLATE pg_catalog."C",
    files text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.hosting_live (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "lastVersion" bigint NOT NULL,
    "deploymentId" text COLLATE pg_catalog."C",
    version bigint,
    activations bigint NOT NULL,
    kept text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.hosting_projects (
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    "sweepAt" text COLLATE pg_catalog."C",
    "suspendedAt" text COLLATE pg_catalog."C"
);
CREATE TABLE public.idempotency_answers (
    scope text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    "requestHash" text NOT NULL COLLATE pg_catalog."C",
    status bigint,
    answer text COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.installation (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.jobs (
    name text NOT NULL COLLATE pg_catalog."C",
    "slotAtMs" bigint NOT NULL,
    attempts integer NOT NULL,
    "isDone" integer NOT NULL,
    "notBeforeMs" bigint NOT NULL,
    "lastError" text COLLATE pg_catalog."C"
);
CREATE TABLE public.leaderboards (
    id bigint NOT NULL,
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    direction text NOT NULL COLLATE pg_catalog."C",
    signature text NOT NULL COLLATE pg_catalog."C",
    "startsAt" text COLLATE pg_catalog."C",
    "endsAt" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "resetAt" text COLLATE pg_catalog."C",
    "replacedAt" text COLLATE pg_catalog."C",
    "closedAt" text COLLATE pg_catalog."C",
    "settledAt" text COLLATE pg_catalog."C",
    count bigint,
    work text COLLATE pg_catalog."C",
    "workAfter" text COLLATE pg_catalog."C",
    "checkpointDueAt" text COLLATE pg_catalog."C",
    "checkpointAt" text COLLATE pg_catalog."C",
    "retiredAt" text COLLATE pg_catalog."C",
    "verifiedFrom" text COLLATE pg_catalog."C",
    checkpoint text COLLATE pg_catalog."C"
);
ALTER TABLE public.leaderboards ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.leaderboards_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.leaderboards_winners (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    rank bigint NOT NULL,
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    value double precision NOT NULL,
    tie bigint NOT NULL
);
CREATE TABLE public.mail_outbox (
    id text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text COLLATE pg_catalog."C",
    recipient text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    "textBody" text NOT NULL COLLATE pg_catalog."C",
    "htmlBody" text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    "nextAttemptAt" text NOT NULL COLLATE pg_catalog."C",
    "lastError" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "sentAt" text COLLATE pg_catalog."C",
    "unsubscribeUrl" text COLLATE pg_catalog."C"
);
CREATE TABLE public.mail_sends (
    id text NOT NULL COLLATE pg_catalog."C",
    "mailboxHash" text NOT NULL COLLATE pg_catalog."C",
    "recipientHash" text NOT NULL COLLATE pg_catalog."C",
    sender text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    "sentAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.migrations (
    name text NOT NULL COLLATE pg_catalog."C",
    checksum text NOT NULL COLLATE pg_catalog."C",
    "appliedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.moderation_ages (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    declared text COLLATE pg_catalog."C",
    signalled text COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.moderation_appeals (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "banId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    response text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "resolvedAt" text COLLATE pg_catalog."C"
);
CREATE TABLE public.moderation_bans (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text COLLATE pg_catalog."C",
    "endedAt" text COLLATE pg_catalog."C",
    "bannedBy" text COLLATE pg_catalog."C"
);
CREATE TABLE public.money_accounts (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    prepaid bigint NOT NULL,
    invite bigint NOT NULL,
    owed bigint NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    "lastTopup" bigint NOT NULL,
    "updatedAt" text NOT NULL COLLATE pg_catalog."C",
    "owedOther" bigint DEFAULT 0 NOT NULL,
    CONSTRAINT money_accounts_invite_check CHECK ((invite >= 0)),
    CONSTRAINT "money_accounts_owedOther_check" CHECK (("owedOther" <= 0)),
    CONSTRAINT money_accounts_owed_check CHECK ((owed <= 0)),
    CONSTRAINT money_accounts_prepaid_check CHECK ((prepaid >= 0))
);
CREATE TABLE public.money_checkouts (
    id text NOT NULL COLLATE pg_catalog."C",
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    "idempotencyKey" text COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    "successUrl" text NOT NULL COLLATE pg_catalog."C",
    "cancelUrl" text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    "providerId" text COLLATE pg_catalog."C",
    url text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "askedAt" text COLLATE pg_catalog."C",
    "paidAt" text COLLATE pg_catalog."C",
    "paymentId" text COLLATE pg_catalog."C",
    refunded bigint DEFAULT 0 NOT NULL,
    disputed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT money_checkouts_amount_check CHECK ((amount > 0))
);
CREATE TABLE public.money_disputes (
    id text NOT NULL COLLATE pg_catalog."C",
    "checkoutId" text NOT NULL COLLATE pg_catalog."C",
    withdrawn bigint NOT NULL,
    reinstated bigint NOT NULL,
    CONSTRAINT money_disputes_reinstated_check CHECK ((reinstated >= 0)),
    CONSTRAINT money_disputes_withdrawn_check CHECK ((withdrawn >= 0))
);
CREATE TABLE public.money_events (
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.money_invites (
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    label text COLLATE pg_catalog."C",
    "usesMax" bigint NOT NULL,
    uses bigint NOT NULL,
    "expiresAt" text COLLATE pg_catalog."C",
    "revokedAt" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT money_invites_check CHECK ((uses <= "usesMax"))
);
CREATE TABLE public.money_periods (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    "chargedCents" bigint NOT NULL,
    "closedAt" text COLLATE pg_catalog."C",
    prices text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT "money_periods_chargedCents_check" CHECK (("chargedCents" >= 0))
);
CREATE TABLE public.money_postings (
    "transactionId" text NOT NULL COLLATE pg_catalog."C",
    account text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL
);
CREATE TABLE public.money_redemptions (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.money_transactions (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    reference text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    "balanceAfter" bigint NOT NULL,
    description text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT "money_transactions_balanceAfter_check" CHECK (("balanceAfter" >= 0))
);
CREATE TABLE public.money_usage (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    component text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    "updatedAt" text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT money_usage_quantity_check CHECK ((quantity >= 0))
);
CREATE TABLE public.money_usage_days (
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    date text NOT NULL COLLATE pg_catalog."C",
    component text NOT NULL COLLATE pg_catalog."C",
    quantity bigint NOT NULL,
    CONSTRAINT money_usage_days_quantity_check CHECK ((quantity >= 0))
);
CREATE TABLE public.news_mails (
    "addressHash" text NOT NULL COLLATE pg_catalog."C",
    month text NOT NULL COLLATE pg_catalog."C",
    place bigint NOT NULL,
    issue text NOT NULL COLLATE pg_catalog."C",
    "sentAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.news_subscriptions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    "addressHash" text NOT NULL COLLATE pg_catalog."C",
    language text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "confirmedAt" text COLLATE pg_catalog."C"
);
CREATE TABLE public.oauth_credentials (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.oauth_exchange_codes (
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    profile text NOT NULL COLLATE pg_catalog."C",
    refusal text COLLATE pg_catalog."C",
    challenge text NOT NULL COLLATE pg_catalog."C",
    "playerId" text COLLATE pg_catalog."C",
    "linkSessionId" text COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "sessionId" text COLLATE pg_catalog."C",
    "orSignIn" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.oauth_sign_ins (
    "stateHash" text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    "redirectUrl" text NOT NULL COLLATE pg_catalog."C",
    challenge text NOT NULL COLLATE pg_catalog."C",
    mode text NOT NULL COLLATE pg_catalog."C",
    "playerId" text COLLATE pg_catalog."C",
    "linkSessionId" text COLLATE pg_catalog."C",
    verifier text NOT NULL COLLATE pg_catalog."C",
    nonce text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "orSignIn" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.players (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "displayName" text NOT NULL COLLATE pg_catalog."C",
    "searchName" text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    "emailLinkedAt" text COLLATE pg_catalog."C",
    "emailVerifiedAt" text COLLATE pg_catalog."C",
    "passwordHash" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "bannedUntil" text COLLATE pg_catalog."C",
    "lastSeenAt" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    "leaderboardsHidden" bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.players_days (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.players_deletions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    "deletedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.players_identities (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    "linkedAt" text NOT NULL COLLATE pg_catalog."C",
    profile text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.players_sign_in_addresses (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    "addressHash" text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.players_tokens (
    "tokenHash" text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.players_x_profiles (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    visible integer NOT NULL
);
CREATE TABLE public.playground_players (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.projects (
    id text NOT NULL COLLATE pg_catalog."C",
    "developerId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "deletedAt" text COLLATE pg_catalog."C"
);
CREATE TABLE public.projects_environments (
    id text NOT NULL COLLATE pg_catalog."C",
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.projects_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    label text COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    last4 text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "lastUsedAt" text COLLATE pg_catalog."C",
    "revokedAt" text COLLATE pg_catalog."C",
    "createdBy" text COLLATE pg_catalog."C",
    plaintext text COLLATE pg_catalog."C"
);
CREATE TABLE public.projects_renames (
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    "renamedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.revocations (
    id text NOT NULL COLLATE pg_catalog."C",
    "atMs" bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rooms_firsts (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.saves (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    size bigint NOT NULL,
    "updatedAt" text NOT NULL COLLATE pg_catalog."C",
    data text COLLATE pg_catalog."C"
);
CREATE TABLE public.secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    sealed text NOT NULL COLLATE pg_catalog."C",
    "updatedAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    "rotatedAt" text COLLATE pg_catalog."C",
    "rotatedAtUs" bigint,
    "nonceHash" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "revokedAt" text COLLATE pg_catalog."C",
    "revokedReason" text COLLATE pg_catalog."C",
    "sanctionId" text COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions_deleted (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "idHash" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions_signing_keys (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    kid text NOT NULL COLLATE pg_catalog."C",
    "publicJwk" text NOT NULL COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "retiredAt" text COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions_transfer_codes (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    "codeHash" text NOT NULL COLLATE pg_catalog."C",
    "expiresAt" text NOT NULL COLLATE pg_catalog."C",
    "sessionId" text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sharing_cards (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "inputHash" text NOT NULL COLLATE pg_catalog."C",
    "blobKey" text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C",
    "usedOn" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sharing_days (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "shareId" text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    visits integer NOT NULL,
    "newPlayers" integer NOT NULL,
    plays integer NOT NULL
);
CREATE TABLE public.sharing_links (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    "playerId" text COLLATE pg_catalog."C",
    label text COLLATE pg_catalog."C",
    score double precision,
    "displayName" text COLLATE pg_catalog."C",
    "createdAt" text NOT NULL COLLATE pg_catalog."C",
    "lastVisitOn" text NOT NULL COLLATE pg_catalog."C",
    "cardKey" text COLLATE pg_catalog."C",
    "cardBytes" bigint,
    "cardSha256" text COLLATE pg_catalog."C",
    look text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sharing_removals (
    "blobKey" text NOT NULL COLLATE pg_catalog."C",
    "removeAfter" text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.sharing_visitors (
    day text NOT NULL COLLATE pg_catalog."C",
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "shareId" text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    "addressHash" text NOT NULL COLLATE pg_catalog."C",
    visitor text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.stats (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    aggregation text NOT NULL COLLATE pg_catalog."C",
    zone text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    week text NOT NULL COLLATE pg_catalog."C",
    month text NOT NULL COLLATE pg_catalog."C",
    "allTime" double precision NOT NULL,
    daily double precision NOT NULL,
    weekly double precision NOT NULL,
    monthly double precision NOT NULL,
    "updatedAt" text NOT NULL COLLATE pg_catalog."C",
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
    hidden bigint
);
CREATE TABLE public.stats_deliveries (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    status bigint,
    "durationMs" bigint NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    error text COLLATE pg_catalog."C",
    answer text COLLATE pg_catalog."C",
    request text COLLATE pg_catalog."C"
);
CREATE TABLE public.stats_signals (
    "environmentId" text NOT NULL COLLATE pg_catalog."C",
    "playerId" text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.voice_projects (
    "projectId" text NOT NULL COLLATE pg_catalog."C",
    "suspendedAt" text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO public.audit_entries VALUES ('', 1, '', '', '', '', '', '', '', '');
INSERT INTO public.audit_entries VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.audit_entries VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.audit_entries VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.audit_entries VALUES (' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.audit_heads VALUES ('', 1, '');
INSERT INTO public.audit_heads VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.audit_heads VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
INSERT INTO public.audit_heads VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ');
INSERT INTO public.audit_heads VALUES (' null ', 2147483648, ' null ');
INSERT INTO public.channels VALUES ('', '', '', '');
INSERT INTO public.channels VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.channels VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.channels VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.channels VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.channels_lists VALUES ('', '', '', '', '');
INSERT INTO public.channels_lists VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.channels_lists VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.channels_lists VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.channels_lists VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.config_versions VALUES ('', 1, '', '', '');
INSERT INTO public.config_versions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.config_versions VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.config_versions VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.config_versions VALUES (' null ', 2147483648, ' null ', ' null ', ' null ');
INSERT INTO public.developers VALUES ('', '', '', '', '', '', 1);
INSERT INTO public.developers VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
INSERT INTO public.developers VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, '😀 👩‍👩‍👧 é', 9223372036854775807);
INSERT INTO public.developers VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
INSERT INTO public.developers VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648);
INSERT INTO public.developers_device_codes VALUES ('', '', '', '', '', '', '', '');
INSERT INTO public.developers_device_codes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_device_codes VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
INSERT INTO public.developers_device_codes VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_device_codes VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_exchange_codes VALUES ('', '', '', '', 1, '', '', '', '', '', '');
INSERT INTO public.developers_exchange_codes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_exchange_codes VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.developers_exchange_codes VALUES ('''"\n{}	
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
INSERT INTO public.developers_exchange_codes VALUES (' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_identities VALUES ('', '', '', '', '');
INSERT INTO public.developers_identities VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_identities VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_identities VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_identities VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_invitations VALUES ('', '', '', '', '');
INSERT INTO public.developers_invitations VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_invitations VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_invitations VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_invitations VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_sessions VALUES ('', '', '', '');
INSERT INTO public.developers_sessions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_sessions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_sessions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_sessions VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_sign_in_addresses VALUES ('', '', '');
INSERT INTO public.developers_sign_in_addresses VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_sign_in_addresses VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_sign_in_addresses VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_sign_in_addresses VALUES (' null ', ' null ', ' null ');
INSERT INTO public.developers_sign_ins VALUES ('', '', '', '', '', '', '', '', '');
INSERT INTO public.developers_sign_ins VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_sign_ins VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_sign_ins VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_sign_ins VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.developers_tokens VALUES ('', '', '', '', '');
INSERT INTO public.developers_tokens VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.developers_tokens VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.developers_tokens VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.developers_tokens VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.functions VALUES ('', '', '', '', '', 1, 1, 1, '', 1, '', '');
INSERT INTO public.functions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, 9223372036854775807, 9223372036854775807, 9223372036854775807, NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.functions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, 12, '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.functions VALUES (' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, 2147483648, ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.functions_cron_slots VALUES ('', '', 1, '', '', '', '');
INSERT INTO public.functions_cron_slots VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions_cron_slots VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL);
INSERT INTO public.functions_cron_slots VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.functions_cron_slots VALUES (' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.functions_minutes VALUES ('', 1, 1, 1, 1);
INSERT INTO public.functions_minutes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993);
INSERT INTO public.functions_minutes VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807);
INSERT INTO public.functions_minutes VALUES ('''"\n{}	
, ', 12, 12, 12, 12);
INSERT INTO public.functions_minutes VALUES (' null ', 2147483648, 2147483648, 2147483648, 2147483648);
INSERT INTO public.functions_removals VALUES ('', '', '');
INSERT INTO public.functions_removals VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions_removals VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.functions_removals VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.functions_removals VALUES (' null ', ' null ', ' null ');
INSERT INTO public.functions_resources VALUES ('', '', '', 1, '');
INSERT INTO public.functions_resources VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions_resources VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
INSERT INTO public.functions_resources VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ');
INSERT INTO public.functions_resources VALUES (' null ', ' null ', ' null ', 2147483648, ' null ');
INSERT INTO public.functions_secrets VALUES ('', '', '');
INSERT INTO public.functions_secrets VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions_secrets VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.functions_secrets VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.functions_secrets VALUES (' null ', ' null ', ' null ');
INSERT INTO public.functions_storage_hours VALUES ('', 1);
INSERT INTO public.functions_storage_hours VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
INSERT INTO public.functions_storage_hours VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807);
INSERT INTO public.functions_storage_hours VALUES ('''"\n{}	
, ', 12);
INSERT INTO public.functions_storage_hours VALUES (' null ', 2147483648);
INSERT INTO public.functions_versions VALUES ('', '', 1, '', '', 1, '', '', '');
INSERT INTO public.functions_versions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.functions_versions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.functions_versions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.functions_versions VALUES (' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ');
INSERT INTO public.hosting_activations VALUES ('', 1, 1, '', '');
INSERT INTO public.hosting_activations VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.hosting_activations VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.hosting_activations VALUES ('''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.hosting_activations VALUES (' null ', 2147483648, 2147483648, ' null ', ' null ');
INSERT INTO public.hosting_authors VALUES ('', '', '');
INSERT INTO public.hosting_authors VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.hosting_authors VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.hosting_authors VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.hosting_authors VALUES (' null ', ' null ', ' null ');
INSERT INTO public.hosting_blobs VALUES ('', '', '', 1, '', '', 1, 1);
INSERT INTO public.hosting_blobs VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
INSERT INTO public.hosting_blobs VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL);
INSERT INTO public.hosting_blobs VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, 12);
INSERT INTO public.hosting_blobs VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, 2147483648);
INSERT INTO public.hosting_deployments VALUES ('', '', '', 1, '', '', 1, 1, '', '', '');
INSERT INTO public.hosting_deployments VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.hosting_deployments VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.hosting_deployments VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.hosting_deployments VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ');
INSERT INTO public.hosting_live VALUES ('', 1, '', 1, 1, '');
INSERT INTO public.hosting_live VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.hosting_live VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, NULL, NULL, 9223372036854775807, '😀 👩‍👩‍👧 é');
INSERT INTO public.hosting_live VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ', 12, 12, '''"\n{}	
, ');
INSERT INTO public.hosting_live VALUES (' null ', 2147483648, ' null ', 2147483648, 2147483648, ' null ');
INSERT INTO public.hosting_projects VALUES ('', '', '');
INSERT INTO public.hosting_projects VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.hosting_projects VALUES ('😀 👩‍👩‍👧 é', NULL, NULL);
INSERT INTO public.hosting_projects VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.hosting_projects VALUES (' null ', ' null ', ' null ');
INSERT INTO public.idempotency_answers VALUES ('', '', '', 1, '', '');
INSERT INTO public.idempotency_answers VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.idempotency_answers VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.idempotency_answers VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.idempotency_answers VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.installation VALUES ('', '');
INSERT INTO public.installation VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.installation VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.installation VALUES ('''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.installation VALUES (' null ', ' null ');
INSERT INTO public.installation VALUES ('id', 'XXpqM2dwjUFH');
INSERT INTO public.jobs VALUES ('', 1, 1, 1, 1, '');
INSERT INTO public.jobs VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 2147483647, 2147483647, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.jobs VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, 3, 3, 9223372036854775807, NULL);
INSERT INTO public.jobs VALUES ('''"\n{}	
, ', 12, 12, 12, 12, '''"\n{}	
, ');
INSERT INTO public.jobs VALUES (' null ', 2147483648, 2, 2, 2147483648, ' null ');
INSERT INTO public.leaderboards OVERRIDING SYSTEM VALUE VALUES (1, '', '', '', '', '', '', '', '', '', '', '', '', '', 1, '', '', '', '', '', '', '');
INSERT INTO public.leaderboards OVERRIDING SYSTEM VALUE VALUES (2, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.leaderboards OVERRIDING SYSTEM VALUE VALUES (3, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leaderboards OVERRIDING SYSTEM VALUE VALUES (4, '''"\n{}	
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
INSERT INTO public.leaderboards OVERRIDING SYSTEM VALUE VALUES (5, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.leaderboards_winners VALUES ('', '', '', 1, '', 0, 1);
INSERT INTO public.leaderboards_winners VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, 9007199254740993);
INSERT INTO public.leaderboards_winners VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', 1.7976931348623157e+308, 9223372036854775807);
INSERT INTO public.leaderboards_winners VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', 5e-324, 12);
INSERT INTO public.leaderboards_winners VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', 'Infinity', 2147483648);
INSERT INTO public.mail_outbox VALUES ('', '', '', '', '', '', '', 1, '', '', '', '', '');
INSERT INTO public.mail_outbox VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.mail_outbox VALUES ('😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL);
INSERT INTO public.mail_outbox VALUES ('''"\n{}	
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
INSERT INTO public.mail_outbox VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.mail_sends VALUES ('', '', '', '', '', '');
INSERT INTO public.mail_sends VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.mail_sends VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.mail_sends VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.mail_sends VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.migrations VALUES ('0001-installation', '4a781f14e6716dd21b089f6c98d461c68f72d1e3bb04e8bf9dd5bbfb732b67ed', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0002-developers', '3b7d49ecac4ec60964745d90e04fec7e804f69d382878cf852b5bac4ef98351c', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0003-projects', 'a071799162958e93cf4d41a585eab0a098e283605d968de1809ed49dbbda30ca', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0004-config', 'e5df803561d077b174f6f07f32fcebb1d59b36e6f24f3424b0537646ae120283', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0005-secrets', '7bb8831711ac9a8d0c9adffc0270acf426e1462ea9cf5df6553a196544b26cb1', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0006-audit', '522009dc024beeac15b8091feac0bf37dc7f4466ef46d453bd84d6abcb5415c2', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0007-mail', '376e5c84ad201ef6c1161bf13fcd56d2e4e3050d8e87e3a312a2373bd32ea742', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0008-idempotency', 'e149698c735e5d3ff9b006c73b5361396ff0cc63b2614a99df8c4f15be9ba279', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0009-revocations', '6afe1763487f83022c961839350c13198838d70567875268f38ce693cacaad7f', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0010-jobs', '35525976c651a2c7d8c31f0f84f3045dab16da6aedc2c7a9fec2fb724dbf401f', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0011-players', '4bc1f030f80d812f44b663a42bac20ba1dafcc3ee500b45d9c5478a3dd3a84f8', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0012-sessions', '52051e8367c6790eb807cdc29f3db3af215a7f752aac7315f08ea3506b050d1b', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0013-oauth', '87062e1dd890884bf3bca9532d4190b72aa8f6fb85a0406285423ca746b98daf', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0014-moderation', 'ecc6d648551c8301c69e4e3cf2a88372b3899670767f781ca5bdbc809f8b0d01', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0015-news', '81b711a50bb124eb1011a9a426177bc9b26f21e35bdcce609b124f853f86010f', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0016-saves', 'e73d0253d7dc5a916722b758d242b8ce8f557aa090fb8cb321ac79d2725ce5f5', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0017-stats', '080709152518a6e46da2486d544927d0708ea706b372124d0304526cfa08bb98', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0018-leaderboards', '0c6b7262260d019f276dd4cf3c56b8225abdf31051d3bfe5227e1ee6615e7189', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0019-rooms', 'ae9441715b234f49ee8372a21b0c3db5f8ecbf9ee07ab9eef2d4d65587f1437a', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0020-channels', '54bea004eeeed6eaf3f325c6207074b832015cbfbb2de58426afc218dda2bc9a', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0021-voice', '4808e7f6517bf74a6e66eb550b4bfb251203f8df922d8c2b741ac7d1ae315be8', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0022-hosting', 'ee9aa9abdf18df1d0b6e4ceff23468d1641b4093a140b009f66b184f65303bc8', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0023-functions', 'fbbe0f1d6b36f0b8325aea9f40aac14f3b92f67842f4686aa475b39b67eb9647', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0024-sharing', '000637c37f721d1195c22b4ffb6653506e5a80829168febde30e2733218e596a', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0025-money', '2c4c72bc7c3541b86e9c7213c175139535b52a2fddfa88a7c7b6155f98279384', '2026-01-01T00:00:00.000Z');
INSERT INTO public.migrations VALUES ('0026-playground', '6fd091dd538eb85a716f01c3ccce77feeaed8e3894a32a9683134e298908a77f', '2026-01-01T00:00:00.000Z');
INSERT INTO public.moderation_ages VALUES ('', '', '', '', '');
INSERT INTO public.moderation_ages VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.moderation_ages VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.moderation_ages VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.moderation_ages VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.moderation_appeals VALUES ('', '', '', '', '', '', '', '', '');
INSERT INTO public.moderation_appeals VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.moderation_appeals VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.moderation_appeals VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.moderation_appeals VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.moderation_bans VALUES ('', '', '', '', '', '', '', '');
INSERT INTO public.moderation_bans VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.moderation_bans VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
INSERT INTO public.moderation_bans VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.moderation_bans VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.money_accounts VALUES ('', 1, 1, -1, 1, '', 1, '', -1);
INSERT INTO public.money_accounts VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, -9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', -9007199254740993);
INSERT INTO public.money_accounts VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, -9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', -9223372036854775807);
INSERT INTO public.money_accounts VALUES ('''"\n{}	
, ', 12, 12, -12, 12, '''"\n{}	
, ', 12, '''"\n{}	
, ', -12);
INSERT INTO public.money_accounts VALUES (' null ', 2147483648, 2147483648, -2147483648, 2147483648, ' null ', 2147483648, ' null ', -2147483648);
INSERT INTO public.money_checkouts VALUES ('', '', '', 1, '', '', '', '', '', '', '', '', '', '', 1, 1);
INSERT INTO public.money_checkouts VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
INSERT INTO public.money_checkouts VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, 9223372036854775807, 9223372036854775807);
INSERT INTO public.money_checkouts VALUES ('''"\n{}	
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
INSERT INTO public.money_checkouts VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648);
INSERT INTO public.money_disputes VALUES ('', '', 1, 1);
INSERT INTO public.money_disputes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993);
INSERT INTO public.money_disputes VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807);
INSERT INTO public.money_disputes VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, 12);
INSERT INTO public.money_disputes VALUES (' null ', ' null ', 2147483648, 2147483648);
INSERT INTO public.money_events VALUES ('', '', '', '');
INSERT INTO public.money_events VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_events VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.money_events VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.money_events VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.money_invites VALUES ('', '', 1, 1, '', '', '');
INSERT INTO public.money_invites VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_invites VALUES ('😀 👩‍👩‍👧 é', NULL, 9223372036854775807, 9223372036854775807, NULL, NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.money_invites VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.money_invites VALUES (' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ');
INSERT INTO public.money_periods VALUES ('', '', 1, '', '');
INSERT INTO public.money_periods VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_periods VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.money_periods VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.money_periods VALUES (' null ', ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.money_postings VALUES ('', '', 1);
INSERT INTO public.money_postings VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
INSERT INTO public.money_postings VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807);
INSERT INTO public.money_postings VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12);
INSERT INTO public.money_postings VALUES (' null ', ' null ', 2147483648);
INSERT INTO public.money_redemptions VALUES ('', '', '', '');
INSERT INTO public.money_redemptions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_redemptions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.money_redemptions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.money_redemptions VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.money_transactions VALUES ('', 1, '', '', '', '', 1, 1, '', '');
INSERT INTO public.money_transactions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_transactions VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.money_transactions VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.money_transactions VALUES (' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ');
INSERT INTO public.money_usage VALUES ('', '', '', '', 1, '');
INSERT INTO public.money_usage VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.money_usage VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é');
INSERT INTO public.money_usage VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ');
INSERT INTO public.money_usage VALUES (' null ', ' null ', ' null ', ' null ', 2147483648, ' null ');
INSERT INTO public.money_usage_days VALUES ('', '', '', 1);
INSERT INTO public.money_usage_days VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
INSERT INTO public.money_usage_days VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807);
INSERT INTO public.money_usage_days VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12);
INSERT INTO public.money_usage_days VALUES (' null ', ' null ', ' null ', 2147483648);
INSERT INTO public.news_mails VALUES ('', '', 1, '', '');
INSERT INTO public.news_mails VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.news_mails VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.news_mails VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.news_mails VALUES (' null ', ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.news_subscriptions VALUES ('', '', '', '', '', '', '', '', '');
INSERT INTO public.news_subscriptions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.news_subscriptions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.news_subscriptions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.news_subscriptions VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.oauth_credentials VALUES ('', '', '', '');
INSERT INTO public.oauth_credentials VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.oauth_credentials VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.oauth_credentials VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.oauth_credentials VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.oauth_exchange_codes VALUES ('', '', '', '', '', '', '', '', '', '', '', 1);
INSERT INTO public.oauth_exchange_codes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
INSERT INTO public.oauth_exchange_codes VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', NULL, 3);
INSERT INTO public.oauth_exchange_codes VALUES ('''"\n{}	
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
INSERT INTO public.oauth_exchange_codes VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2);
INSERT INTO public.oauth_sign_ins VALUES ('', '', '', '', '', '', '', '', '', '', '', 1);
INSERT INTO public.oauth_sign_ins VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
INSERT INTO public.oauth_sign_ins VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3);
INSERT INTO public.oauth_sign_ins VALUES ('''"\n{}	
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
INSERT INTO public.oauth_sign_ins VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2);
INSERT INTO public.players VALUES ('', '', '', '', '', '', '', '', '', '', '', 1);
INSERT INTO public.players VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993);
INSERT INTO public.players VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', 9223372036854775807);
INSERT INTO public.players VALUES ('''"\n{}	
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
INSERT INTO public.players VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 2147483648);
INSERT INTO public.players_days VALUES ('', '', '');
INSERT INTO public.players_days VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.players_days VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.players_days VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.players_days VALUES (' null ', ' null ', ' null ');
INSERT INTO public.players_deletions VALUES ('', '', '');
INSERT INTO public.players_deletions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.players_deletions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.players_deletions VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.players_deletions VALUES (' null ', ' null ', ' null ');
INSERT INTO public.players_identities VALUES ('', '', '', '', '', '');
INSERT INTO public.players_identities VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.players_identities VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.players_identities VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.players_identities VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.players_sign_in_addresses VALUES ('', '', '', '');
INSERT INTO public.players_sign_in_addresses VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.players_sign_in_addresses VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.players_sign_in_addresses VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.players_sign_in_addresses VALUES (' null ', ' null ', ' null ', ' null ');
INSERT INTO public.players_tokens VALUES ('', '', '', '', '', '');
INSERT INTO public.players_tokens VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.players_tokens VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.players_tokens VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.players_tokens VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.players_x_profiles VALUES ('', '', 1);
INSERT INTO public.players_x_profiles VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647);
INSERT INTO public.players_x_profiles VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3);
INSERT INTO public.players_x_profiles VALUES ('''"\n{}	
, ', '''"\n{}	
, ', 12);
INSERT INTO public.players_x_profiles VALUES (' null ', ' null ', 2);
INSERT INTO public.playground_players VALUES ('', '', '');
INSERT INTO public.playground_players VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.playground_players VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.playground_players VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.playground_players VALUES (' null ', ' null ', ' null ');
INSERT INTO public.projects VALUES ('', '', '', '', '', '');
INSERT INTO public.projects VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.projects VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.projects VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.projects VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.projects_environments VALUES ('', '', '');
INSERT INTO public.projects_environments VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.projects_environments VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.projects_environments VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.projects_environments VALUES (' null ', ' null ', ' null ');
INSERT INTO public.projects_keys VALUES ('', '', '', '', '', '', '', '', '', '', '', '');
INSERT INTO public.projects_keys VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.projects_keys VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL);
INSERT INTO public.projects_keys VALUES ('''"\n{}	
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
INSERT INTO public.projects_keys VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.projects_renames VALUES ('', '');
INSERT INTO public.projects_renames VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.projects_renames VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.projects_renames VALUES ('''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.projects_renames VALUES (' null ', ' null ');
INSERT INTO public.revocations VALUES ('', 1, '', '', '');
INSERT INTO public.revocations VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.revocations VALUES ('😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.revocations VALUES ('''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.revocations VALUES (' null ', 2147483648, ' null ', ' null ', ' null ');
INSERT INTO public.rooms_firsts VALUES ('', '');
INSERT INTO public.rooms_firsts VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.rooms_firsts VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.rooms_firsts VALUES ('''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.rooms_firsts VALUES (' null ', ' null ');
INSERT INTO public.saves VALUES ('', '', '', 1, 1, '', '');
INSERT INTO public.saves VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.saves VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.saves VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.saves VALUES (' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ');
INSERT INTO public.secrets VALUES ('', '', '');
INSERT INTO public.secrets VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.secrets VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.secrets VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.secrets VALUES (' null ', ' null ', ' null ');
INSERT INTO public.sessions VALUES ('', '', '', 1, '', 1, '', '', '', '', '', '');
INSERT INTO public.sessions VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sessions VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
INSERT INTO public.sessions VALUES ('''"\n{}	
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
INSERT INTO public.sessions VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', 2147483648, ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.sessions_deleted VALUES ('', '', '');
INSERT INTO public.sessions_deleted VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sessions_deleted VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.sessions_deleted VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sessions_deleted VALUES (' null ', ' null ', ' null ');
INSERT INTO public.sessions_signing_keys VALUES ('', '', '', '', '');
INSERT INTO public.sessions_signing_keys VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sessions_signing_keys VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL);
INSERT INTO public.sessions_signing_keys VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sessions_signing_keys VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.sessions_transfer_codes VALUES ('', '', '', '', '');
INSERT INTO public.sessions_transfer_codes VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sessions_transfer_codes VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.sessions_transfer_codes VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sessions_transfer_codes VALUES (' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.sharing_cards VALUES ('', '', '', 1, '', '');
INSERT INTO public.sharing_cards VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sharing_cards VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 9223372036854775807, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.sharing_cards VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sharing_cards VALUES (' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.sharing_days VALUES ('', '', '', 1, 1, 1);
INSERT INTO public.sharing_days VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 2147483647, 2147483647, 2147483647);
INSERT INTO public.sharing_days VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 3, 3, 3);
INSERT INTO public.sharing_days VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, 12);
INSERT INTO public.sharing_days VALUES (' null ', ' null ', ' null ', 2, 2, 2);
INSERT INTO public.sharing_links VALUES ('', '', '', '', '', 0, '', '', '', '', 1, '', '');
INSERT INTO public.sharing_links VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sharing_links VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, NULL, NULL, '😀 👩‍👩‍👧 é');
INSERT INTO public.sharing_links VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 5e-324, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sharing_links VALUES (' null ', ' null ', ' null ', ' null ', ' null ', 'Infinity', ' null ', ' null ', ' null ', ' null ', 2147483648, ' null ', ' null ');
INSERT INTO public.sharing_removals VALUES ('', '');
INSERT INTO public.sharing_removals VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sharing_removals VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.sharing_removals VALUES ('''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sharing_removals VALUES (' null ', ' null ');
INSERT INTO public.sharing_visitors VALUES ('', '', '', '', '', '');
INSERT INTO public.sharing_visitors VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.sharing_visitors VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.sharing_visitors VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.sharing_visitors VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.stats VALUES ('', '', '', '', '', '', '', '', 0, 0, 0, 0, '', 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1);
INSERT INTO public.stats VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', -0.1, -0.1, -0.1, -0.1, 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993, -0.1, 9007199254740993, 9007199254740993);
INSERT INTO public.stats VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', 1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308, '😀 👩‍👩‍👧 é', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.stats VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 5e-324, 5e-324, 5e-324, 5e-324, '''"\n{}	
, ', 12, 5e-324, 12, 12, 5e-324, 12, 12, 5e-324, 12, 12, 5e-324, 12, 12);
INSERT INTO public.stats VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ', 'Infinity', 'Infinity', 'Infinity', 'Infinity', ' null ', 2147483648, 'Infinity', 2147483648, 2147483648, 'Infinity', 2147483648, 2147483648, 'Infinity', 2147483648, 2147483648, 'Infinity', 2147483648, 2147483648);
INSERT INTO public.stats_deliveries VALUES ('', '', '', '', '', 1, 1, '', '', '', '');
INSERT INTO public.stats_deliveries VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 9007199254740993, 9007199254740993, 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.stats_deliveries VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', NULL, 9223372036854775807, '😀 👩‍👩‍👧 é', NULL, NULL, NULL);
INSERT INTO public.stats_deliveries VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', 12, 12, '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.stats_deliveries VALUES (' null ', ' null ', ' null ', ' null ', ' null ', 2147483648, 2147483648, ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.stats_signals VALUES ('', '', '', '', '', '', '');
INSERT INTO public.stats_signals VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.stats_signals VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.stats_signals VALUES ('''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.stats_signals VALUES (' null ', ' null ', ' null ', ' null ', ' null ', ' null ', ' null ');
INSERT INTO public.voice_projects VALUES ('', '');
INSERT INTO public.voice_projects VALUES ('U+FFFF ￿, U+10FFFF 􏿿', 'U+FFFF ￿, U+10FFFF 􏿿');
INSERT INTO public.voice_projects VALUES ('😀 👩‍👩‍👧 é', '😀 👩‍👩‍👧 é');
INSERT INTO public.voice_projects VALUES ('''"\n{}	
, ', '''"\n{}	
, ');
INSERT INTO public.voice_projects VALUES (' null ', ' null ');
SELECT pg_catalog.setval('public.leaderboards_id_seq', 5, true);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY ("projectId", sequence);
ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY ("projectId");
ALTER TABLE ONLY public.channels_lists
    ADD CONSTRAINT channels_lists_pkey PRIMARY KEY ("environmentId", name, list, "playerId");
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY ("environmentId", name);
ALTER TABLE ONLY public.config_versions
    ADD CONSTRAINT config_versions_pkey PRIMARY KEY ("environmentId", version);
ALTER TABLE ONLY public.developers_device_codes
    ADD CONSTRAINT "developers_device_codes_codeHash_key" UNIQUE ("codeHash");
ALTER TABLE ONLY public.developers_device_codes
    ADD CONSTRAINT developers_device_codes_pkey PRIMARY KEY ("secretHash");
ALTER TABLE ONLY public.developers
    ADD CONSTRAINT developers_email_key UNIQUE (email);
ALTER TABLE ONLY public.developers_exchange_codes
    ADD CONSTRAINT developers_exchange_codes_pkey PRIMARY KEY ("codeHash");
ALTER TABLE ONLY public.developers_identities
    ADD CONSTRAINT developers_identities_pkey PRIMARY KEY (provider, subject);
ALTER TABLE ONLY public.developers_invitations
    ADD CONSTRAINT developers_invitations_pkey PRIMARY KEY ("tokenHash");
ALTER TABLE ONLY public.developers
    ADD CONSTRAINT developers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.developers_sessions
    ADD CONSTRAINT developers_sessions_pkey PRIMARY KEY ("tokenHash");
ALTER TABLE ONLY public.developers_sign_in_addresses
    ADD CONSTRAINT developers_sign_in_addresses_pkey PRIMARY KEY ("developerId", "addressHash");
ALTER TABLE ONLY public.developers_sign_ins
    ADD CONSTRAINT developers_sign_ins_pkey PRIMARY KEY ("stateHash");
ALTER TABLE ONLY public.developers_tokens
    ADD CONSTRAINT developers_tokens_pkey PRIMARY KEY ("tokenHash");
ALTER TABLE ONLY public.functions_cron_slots
    ADD CONSTRAINT functions_cron_slots_pkey PRIMARY KEY ("environmentId", cron, slot);
ALTER TABLE ONLY public.functions_minutes
    ADD CONSTRAINT functions_minutes_pkey PRIMARY KEY ("environmentId", minute);
ALTER TABLE ONLY public.functions
    ADD CONSTRAINT functions_pkey PRIMARY KEY ("environmentId");
ALTER TABLE ONLY public.functions_removals
    ADD CONSTRAINT functions_removals_pkey PRIMARY KEY ("dataId", "blobPrefix");
ALTER TABLE ONLY public.functions_resources
    ADD CONSTRAINT functions_resources_pkey PRIMARY KEY ("environmentId", type, id);
ALTER TABLE ONLY public.functions_secrets
    ADD CONSTRAINT functions_secrets_pkey PRIMARY KEY ("environmentId", name);
ALTER TABLE ONLY public.functions_storage_hours
    ADD CONSTRAINT functions_storage_hours_pkey PRIMARY KEY ("environmentId", hour);
ALTER TABLE ONLY public.functions_versions
    ADD CONSTRAINT functions_versions_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.hosting_activations
    ADD CONSTRAINT hosting_activations_pkey PRIMARY KEY ("environmentId", number);
ALTER TABLE ONLY public.hosting_authors
    ADD CONSTRAINT hosting_authors_pkey PRIMARY KEY ("environmentId", "deploymentId");
ALTER TABLE ONLY public.hosting_blobs
    ADD CONSTRAINT hosting_blobs_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.hosting_deployments
    ADD CONSTRAINT hosting_deployments_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.hosting_live
    ADD CONSTRAINT hosting_live_pkey PRIMARY KEY ("environmentId");
ALTER TABLE ONLY public.hosting_projects
    ADD CONSTRAINT hosting_projects_pkey PRIMARY KEY ("projectId");
ALTER TABLE ONLY public.idempotency_answers
    ADD CONSTRAINT idempotency_answers_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.leaderboards
    ADD CONSTRAINT leaderboards_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.leaderboards_winners
    ADD CONSTRAINT leaderboards_winners_pkey PRIMARY KEY ("environmentId", key, label, rank);
ALTER TABLE ONLY public.mail_outbox
    ADD CONSTRAINT mail_outbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_sends
    ADD CONSTRAINT mail_sends_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.moderation_ages
    ADD CONSTRAINT moderation_ages_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.moderation_appeals
    ADD CONSTRAINT moderation_appeals_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.moderation_bans
    ADD CONSTRAINT moderation_bans_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.money_accounts
    ADD CONSTRAINT money_accounts_pkey PRIMARY KEY ("developerId");
ALTER TABLE ONLY public.money_checkouts
    ADD CONSTRAINT "money_checkouts_developerId_idempotencyKey_key" UNIQUE ("developerId", "idempotencyKey");
ALTER TABLE ONLY public.money_checkouts
    ADD CONSTRAINT "money_checkouts_paymentId_key" UNIQUE ("paymentId");
ALTER TABLE ONLY public.money_checkouts
    ADD CONSTRAINT money_checkouts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.money_disputes
    ADD CONSTRAINT money_disputes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.money_events
    ADD CONSTRAINT money_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.money_invites
    ADD CONSTRAINT money_invites_pkey PRIMARY KEY ("codeHash");
ALTER TABLE ONLY public.money_periods
    ADD CONSTRAINT money_periods_pkey PRIMARY KEY ("developerId", period);
ALTER TABLE ONLY public.money_postings
    ADD CONSTRAINT money_postings_pkey PRIMARY KEY ("transactionId", account);
ALTER TABLE ONLY public.money_redemptions
    ADD CONSTRAINT money_redemptions_pkey PRIMARY KEY ("developerId");
ALTER TABLE ONLY public.money_transactions
    ADD CONSTRAINT money_transactions_id_key UNIQUE (id);
ALTER TABLE ONLY public.money_transactions
    ADD CONSTRAINT money_transactions_pkey PRIMARY KEY ("developerId", sequence);
ALTER TABLE ONLY public.money_transactions
    ADD CONSTRAINT money_transactions_reference_key UNIQUE (reference);
ALTER TABLE ONLY public.money_usage_days
    ADD CONSTRAINT money_usage_days_pkey PRIMARY KEY ("developerId", date, component);
ALTER TABLE ONLY public.money_usage
    ADD CONSTRAINT money_usage_pkey PRIMARY KEY ("developerId", period, environment, component);
ALTER TABLE ONLY public.news_mails
    ADD CONSTRAINT news_mails_pkey PRIMARY KEY ("addressHash", month, place);
ALTER TABLE ONLY public.news_subscriptions
    ADD CONSTRAINT news_subscriptions_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.oauth_credentials
    ADD CONSTRAINT oauth_credentials_pkey PRIMARY KEY ("environmentId", provider);
ALTER TABLE ONLY public.oauth_exchange_codes
    ADD CONSTRAINT oauth_exchange_codes_pkey PRIMARY KEY ("codeHash");
ALTER TABLE ONLY public.oauth_sign_ins
    ADD CONSTRAINT oauth_sign_ins_pkey PRIMARY KEY ("stateHash");
ALTER TABLE ONLY public.players_days
    ADD CONSTRAINT players_days_pkey PRIMARY KEY ("environmentId", day, "playerId");
ALTER TABLE ONLY public.players_deletions
    ADD CONSTRAINT players_deletions_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.players_identities
    ADD CONSTRAINT players_identities_pkey PRIMARY KEY ("environmentId", provider, subject);
ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.players_sign_in_addresses
    ADD CONSTRAINT players_sign_in_addresses_pkey PRIMARY KEY ("environmentId", "playerId", "addressHash");
ALTER TABLE ONLY public.players_tokens
    ADD CONSTRAINT players_tokens_pkey PRIMARY KEY ("tokenHash");
ALTER TABLE ONLY public.players_x_profiles
    ADD CONSTRAINT players_x_profiles_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.playground_players
    ADD CONSTRAINT playground_players_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.projects_environments
    ADD CONSTRAINT projects_environments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projects_keys
    ADD CONSTRAINT projects_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.projects_keys
    ADD CONSTRAINT projects_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rooms_firsts
    ADD CONSTRAINT rooms_firsts_pkey PRIMARY KEY ("environmentId");
ALTER TABLE ONLY public.saves
    ADD CONSTRAINT saves_pkey PRIMARY KEY ("environmentId", "playerId", key);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions_deleted
    ADD CONSTRAINT sessions_deleted_pkey PRIMARY KEY ("environmentId", "idHash");
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.sessions_signing_keys
    ADD CONSTRAINT sessions_signing_keys_pkey PRIMARY KEY ("environmentId", kid);
ALTER TABLE ONLY public.sessions_transfer_codes
    ADD CONSTRAINT sessions_transfer_codes_pkey PRIMARY KEY ("environmentId", "playerId");
ALTER TABLE ONLY public.sharing_cards
    ADD CONSTRAINT sharing_cards_pkey PRIMARY KEY ("environmentId", "inputHash");
ALTER TABLE ONLY public.sharing_days
    ADD CONSTRAINT sharing_days_pkey PRIMARY KEY ("environmentId", "shareId", day);
ALTER TABLE ONLY public.sharing_links
    ADD CONSTRAINT sharing_links_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.sharing_removals
    ADD CONSTRAINT sharing_removals_pkey PRIMARY KEY ("blobKey");
ALTER TABLE ONLY public.sharing_visitors
    ADD CONSTRAINT sharing_visitors_pkey PRIMARY KEY (day, "environmentId", "shareId", kind, "addressHash", visitor);
ALTER TABLE ONLY public.stats_deliveries
    ADD CONSTRAINT stats_deliveries_pkey PRIMARY KEY ("environmentId", id);
ALTER TABLE ONLY public.stats
    ADD CONSTRAINT stats_pkey PRIMARY KEY ("environmentId", "playerId", key);
ALTER TABLE ONLY public.stats_signals
    ADD CONSTRAINT stats_signals_pkey PRIMARY KEY ("environmentId", "playerId", id);
ALTER TABLE ONLY public.voice_projects
    ADD CONSTRAINT voice_projects_pkey PRIMARY KEY ("projectId");
CREATE UNIQUE INDEX audit_entries_id ON public.audit_entries USING btree (id);
CREATE INDEX channels_lists_player ON public.channels_lists USING btree ("environmentId", "playerId");
CREATE INDEX developers_device_codes_expiry ON public.developers_device_codes USING btree ("expiresAt");
CREATE UNIQUE INDEX developers_identities_of ON public.developers_identities USING btree ("developerId", provider);
CREATE INDEX developers_sessions_of ON public.developers_sessions USING btree ("developerId");
CREATE INDEX developers_sign_in_addresses_day ON public.developers_sign_in_addresses USING btree (day);
CREATE INDEX developers_tokens_of ON public.developers_tokens USING btree ("developerId");
CREATE INDEX functions_of ON public.functions USING btree ("projectId");
CREATE UNIQUE INDEX functions_versions_version ON public.functions_versions USING btree ("environmentId", version);
CREATE INDEX hosting_blobs_of ON public.hosting_blobs USING btree ("projectId", sha256);
CREATE INDEX hosting_blobs_state ON public.hosting_blobs USING btree (state, "changedAt");
CREATE INDEX hosting_deployments_of ON public.hosting_deployments USING btree ("projectId");
CREATE UNIQUE INDEX hosting_deployments_version ON public.hosting_deployments USING btree ("environmentId", version);
CREATE INDEX hosting_projects_due ON public.hosting_projects USING btree ("sweepAt");
CREATE INDEX idempotency_answers_expiry ON public.idempotency_answers USING btree ("expiresAt");
CREATE INDEX leaderboards_of ON public.leaderboards USING btree ("environmentId", key, period, label);
CREATE INDEX leaderboards_winners_of ON public.leaderboards_winners USING btree ("environmentId", "playerId");
CREATE INDEX mail_outbox_due ON public.mail_outbox USING btree (status, "nextAttemptAt");
CREATE INDEX mail_outbox_failed ON public.mail_outbox USING btree ("environmentId", id) WHERE (status = 'failed'::text);
CREATE INDEX mail_outbox_of ON public.mail_outbox USING btree ("environmentId", id);
CREATE INDEX mail_outbox_recipient ON public.mail_outbox USING btree ("environmentId", recipient);
CREATE INDEX mail_sends_at ON public.mail_sends USING btree ("sentAt");
CREATE INDEX mail_sends_of ON public.mail_sends USING btree (sender, "sentAt");
CREATE INDEX mail_sends_to ON public.mail_sends USING btree ("mailboxHash", "sentAt");
CREATE UNIQUE INDEX moderation_appeals_of ON public.moderation_appeals USING btree ("environmentId", "banId");
CREATE INDEX moderation_appeals_player ON public.moderation_appeals USING btree ("environmentId", "playerId");
CREATE INDEX moderation_appeals_status ON public.moderation_appeals USING btree ("environmentId", status, id);
CREATE INDEX moderation_bans_of ON public.moderation_bans USING btree ("environmentId", "playerId", id);
CREATE UNIQUE INDEX moderation_bans_one ON public.moderation_bans USING btree ("environmentId", "playerId") WHERE ("endedAt" IS NULL);
CREATE INDEX money_accounts_overdue ON public.money_accounts USING btree ("developerId") WHERE ((owed < 0) OR ("owedOther" < 0));
CREATE INDEX money_checkouts_open ON public.money_checkouts USING btree ("createdAt") WHERE (status = 'open'::text);
CREATE INDEX money_disputes_checkout ON public.money_disputes USING btree ("checkoutId");
CREATE INDEX money_events_at ON public.money_events USING btree (at);
CREATE INDEX money_usage_period ON public.money_usage USING btree (period, "developerId");
CREATE UNIQUE INDEX news_mails_issue ON public.news_mails USING btree (issue, "addressHash");
CREATE INDEX news_mails_month ON public.news_mails USING btree (month);
CREATE INDEX news_subscriptions_address ON public.news_subscriptions USING btree ("addressHash", status);
CREATE UNIQUE INDEX news_subscriptions_token ON public.news_subscriptions USING btree ("tokenHash");
CREATE INDEX oauth_exchange_codes_expiry ON public.oauth_exchange_codes USING btree ("expiresAt");
CREATE INDEX oauth_exchange_codes_of ON public.oauth_exchange_codes USING btree ("environmentId", "playerId");
CREATE INDEX oauth_sign_ins_expiry ON public.oauth_sign_ins USING btree ("expiresAt");
CREATE INDEX oauth_sign_ins_of ON public.oauth_sign_ins USING btree ("environmentId", "playerId");
CREATE INDEX players_banned ON public.players USING btree ("environmentId", "bannedUntil") WHERE ("bannedUntil" IS NOT NULL);
CREATE INDEX players_banned_ids ON public.players USING btree ("environmentId", id) WHERE ("bannedUntil" IS NOT NULL);
CREATE INDEX players_days_of ON public.players_days USING btree ("environmentId", "playerId");
CREATE INDEX players_deletions_at ON public.players_deletions USING btree ("deletedAt");
CREATE UNIQUE INDEX players_email ON public.players USING btree ("environmentId", email);
CREATE UNIQUE INDEX players_identities_of ON public.players_identities USING btree ("environmentId", "playerId", provider);
CREATE INDEX players_last_seen ON public.players USING btree ("environmentId", "lastSeenAt", id);
CREATE INDEX players_name ON public.players USING btree ("environmentId", "searchName", id);
CREATE INDEX players_sign_in_addresses_day ON public.players_sign_in_addresses USING btree (day);
CREATE INDEX players_tokens_expiry ON public.players_tokens USING btree ("expiresAt");
CREATE INDEX players_tokens_of ON public.players_tokens USING btree ("environmentId", "playerId");
CREATE INDEX players_with_email ON public.players USING btree ("environmentId", id) WHERE (email IS NOT NULL);
CREATE INDEX playground_players_expiry ON public.playground_players USING btree ("expiresAt");
CREATE UNIQUE INDEX projects_environments_of ON public.projects_environments USING btree ("projectId", name);
CREATE INDEX projects_keys_of ON public.projects_keys USING btree ("environmentId", id);
CREATE INDEX projects_of ON public.projects USING btree ("developerId", id);
CREATE INDEX projects_renames_of ON public.projects_renames USING btree ("projectId", "renamedAt");
CREATE INDEX revocations_at ON public.revocations USING btree ("atMs");
CREATE INDEX sessions_deleted_expires ON public.sessions_deleted USING btree ("expiresAt");
CREATE INDEX sessions_expiry ON public.sessions USING btree ("expiresAt");
CREATE INDEX sessions_of ON public.sessions USING btree ("environmentId", "playerId");
CREATE UNIQUE INDEX sessions_signing_keys_kid ON public.sessions_signing_keys USING btree (kid);
CREATE UNIQUE INDEX sessions_transfer_codes_hash ON public.sessions_transfer_codes USING btree ("codeHash");
CREATE INDEX sharing_cards_by_use ON public.sharing_cards USING btree ("usedOn");
CREATE INDEX sharing_days_by_day ON public.sharing_days USING btree ("environmentId", day);
CREATE INDEX sharing_links_by_last_visit ON public.sharing_links USING btree ("lastVisitOn");
CREATE INDEX sharing_links_by_player ON public.sharing_links USING btree ("environmentId", "playerId") WHERE ("playerId" IS NOT NULL);
CREATE INDEX sharing_links_tracked ON public.sharing_links USING btree ("environmentId", "createdAt") WHERE (kind = 'tracked'::text);
CREATE INDEX sharing_removals_by_time ON public.sharing_removals USING btree ("removeAfter");
CREATE INDEX stats_alltime ON public.stats USING btree ("allTimeBoard", "allTimeRanked", "allTimeTie", "playerId") WHERE ("allTimeBoard" IS NOT NULL);
CREATE INDEX stats_daily ON public.stats USING btree ("dailyBoard", "dailyRanked", "dailyTie", "playerId") WHERE ("dailyBoard" IS NOT NULL);
CREATE INDEX stats_hidden ON public.stats USING btree ("environmentId", key) WHERE (hidden IS NOT NULL);
CREATE INDEX stats_monthly ON public.stats USING btree ("monthlyBoard", "monthlyRanked", "monthlyTie", "playerId") WHERE ("monthlyBoard" IS NOT NULL);
CREATE INDEX stats_signals_by_reason ON public.stats_signals USING btree ("environmentId", reason, id);
CREATE INDEX stats_signals_newest ON public.stats_signals USING btree ("environmentId", id);
CREATE INDEX stats_weekly ON public.stats USING btree ("weeklyBoard", "weeklyRanked", "weeklyTie", "playerId") WHERE ("weeklyBoard" IS NOT NULL);
