/** Accounts of developers: sessions, one-time tokens and links, external sign-in, sign-in of command lines. */
export const statements = [
  `create table developers (
    id text primary key,
    email text not null unique,
    name text,
    "passwordHash" text,
    "emailVerifiedAt" text,
    "createdAt" text not null,
    "isOperator" bigint not null default 0
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

  `create table developers_sign_in_addresses (
    "developerId" text not null,
    "addressHash" text not null,
    day text not null,
    primary key ("developerId", "addressHash")
  )`,
  `create index developers_sign_in_addresses_day on developers_sign_in_addresses (day)`,

  `create table developers_invitations (
    "tokenHash" text primary key,
    kind text not null,
    email text,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,

  `create table developers_device_codes (
    "secretHash" text primary key,
    "codeHash" text not null unique,
    address text not null,
    "createdAt" text not null,
    "expiresAt" text not null,
    decision text,
    "developerId" text,
    "sessionHash" text
  )`,
  `create index developers_device_codes_expiry on developers_device_codes ("expiresAt")`,
] as const
