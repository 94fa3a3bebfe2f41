/** Sessions of players, keys of access tokens, transfer codes. */
export const statements = [
  `create table sessions (
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
  )`,
  `create index sessions_of on sessions ("environmentId", "playerId")`,
  `create index sessions_expiry on sessions ("expiresAt")`,

  `create table sessions_signing_keys (
    "environmentId" text not null,
    kid text not null,
    "publicJwk" text not null,
    "createdAt" text not null,
    "retiredAt" text,
    primary key ("environmentId", kid)
  )`,
  `create unique index sessions_signing_keys_kid on sessions_signing_keys (kid)`,

  `create table sessions_transfer_codes (
    "environmentId" text not null,
    "playerId" text not null,
    "codeHash" text not null,
    "expiresAt" text not null,
    "sessionId" text not null default '',
    primary key ("environmentId", "playerId")
  )`,
  `create unique index sessions_transfer_codes_hash on sessions_transfer_codes ("codeHash")`,

  `create table sessions_deleted (
    "environmentId" text not null,
    "idHash" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "idHash")
  )`,
  `create index sessions_deleted_expires on sessions_deleted ("expiresAt")`,
] as const
