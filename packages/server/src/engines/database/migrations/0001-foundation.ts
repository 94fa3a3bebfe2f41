/** Developers, projects, keys, config, audit, secrets, mail: what every later part stands on. */
export const statements = [
  `create table developers (
    id text primary key,
    email text not null unique,
    name text,
    "passwordHash" text,
    "emailVerifiedAt" text,
    "createdAt" text not null
  )`,
  `create table developers_sessions (
    "tokenHash" text primary key,
    "developerId" text not null,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,
  `create index developers_sessions_of on developers_sessions ("developerId")`,
  `create table developers_tokens (
    "tokenHash" text primary key,
    "developerId" text not null,
    kind text not null,
    email text not null,
    "expiresAt" text not null
  )`,
  `create index developers_tokens_of on developers_tokens ("developerId")`,
  `create table developers_identities (
    provider text not null,
    subject text not null,
    "developerId" text not null,
    email text,
    "linkedAt" text not null,
    primary key (provider, subject)
  )`,
  `create unique index developers_identities_of on developers_identities ("developerId", provider)`,
  `create table developers_sign_ins (
    "stateHash" text primary key,
    provider text not null,
    "redirectUrl" text not null,
    challenge text not null,
    intent text not null,
    "developerId" text,
    verifier text not null,
    nonce text not null,
    "expiresAt" text not null
  )`,
  `create table developers_exchange_codes (
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
  )`,

  `create table projects (
    id text primary key,
    "developerId" text not null,
    name text not null,
    slug text not null unique,
    "createdAt" text not null,
    "deletedAt" text
  )`,
  `create index projects_of on projects ("developerId", id)`,
  `create table projects_environments (
    id text primary key,
    "projectId" text not null,
    name text not null
  )`,
  `create unique index projects_environments_of on projects_environments ("projectId", name)`,
  `create table projects_keys (
    id text primary key,
    "projectId" text not null,
    "environmentId" text not null,
    type text not null,
    label text,
    hash text not null unique,
    last4 text not null,
    "createdAt" text not null,
    "lastUsedAt" text,
    "revokedAt" text
  )`,
  `create index projects_keys_of on projects_keys ("environmentId", id)`,
  `create table projects_renames (
    "projectId" text not null,
    "renamedAt" text not null
  )`,
  `create index projects_renames_of on projects_renames ("projectId", "renamedAt")`,

  `create table config_versions (
    "environmentId" text not null,
    version bigint not null,
    document text not null,
    "updatedAt" text not null,
    actor text not null,
    primary key ("environmentId", version)
  )`,

  `create table oauth_credentials (
    "environmentId" text not null,
    provider text not null,
    settings text not null,
    "updatedAt" text not null,
    primary key ("environmentId", provider)
  )`,

  `create table audit_entries (
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
  )`,
  `create unique index audit_entries_id on audit_entries (id)`,
  `create table audit_heads (
    "projectId" text primary key,
    sequence bigint not null,
    hash text not null
  )`,

  `create table secrets (
    id text primary key,
    sealed text not null,
    "updatedAt" text not null
  )`,

  `create table mail_outbox (
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
    "sentAt" text
  )`,
  `create index mail_outbox_due on mail_outbox (status, "nextAttemptAt")`,
  `create index mail_outbox_of on mail_outbox ("environmentId", id)`,

  `create table idempotency_answers (
    scope text not null,
    key text not null,
    "requestHash" text not null,
    status bigint,
    answer text,
    "expiresAt" text not null,
    primary key (scope, key)
  )`,
  `create index idempotency_answers_expiry on idempotency_answers ("expiresAt")`,
] as const
