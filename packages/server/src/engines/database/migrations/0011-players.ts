/** Players: accounts, external sign-in methods, one-time tokens, active days, deletions. */
export const statements = [
  `create table players (
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
  )`,
  `create unique index players_email on players ("environmentId", email)`,
  `create index players_name on players ("environmentId", "searchName", id)`,
  `create index players_banned on players ("environmentId", "bannedUntil") where "bannedUntil" is not null`,
  `create index players_banned_ids on players ("environmentId", id) where "bannedUntil" is not null`,
  `create index players_with_email on players ("environmentId", id) where email is not null`,
  `create index players_last_seen on players ("environmentId", "lastSeenAt", id)`,

  `create table players_identities (
    "environmentId" text not null,
    provider text not null,
    subject text not null,
    "playerId" text not null,
    "linkedAt" text not null,
    profile text not null,
    primary key ("environmentId", provider, subject)
  )`,
  `create unique index players_identities_of on players_identities ("environmentId", "playerId", provider)`,

  `create table players_tokens (
    "tokenHash" text not null,
    "environmentId" text not null,
    "playerId" text not null,
    kind text not null,
    email text not null,
    "expiresAt" text not null,
    primary key ("tokenHash")
  )`,
  `create index players_tokens_of on players_tokens ("environmentId", "playerId")`,
  `create index players_tokens_expiry on players_tokens ("expiresAt")`,

  `create table players_days (
    "environmentId" text not null,
    day text not null,
    "playerId" text not null,
    primary key ("environmentId", day, "playerId")
  )`,
  `create index players_days_of on players_days ("environmentId", "playerId")`,

  `create table players_deletions (
    "environmentId" text not null,
    "playerId" text not null,
    "deletedAt" text not null,
    primary key ("environmentId", "playerId")
  )`,
  `create index players_deletions_at on players_deletions ("deletedAt")`,

  `create table players_sign_in_addresses (
    "environmentId" text not null,
    "playerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("environmentId", "playerId", "addressHash")
  )`,
  `create index players_sign_in_addresses_day on players_sign_in_addresses (day)`,

  `create table players_x_profiles (
    "environmentId" text not null,
    "playerId" text not null,
    visible integer not null,
    primary key ("environmentId", "playerId")
  )`,
] as const
