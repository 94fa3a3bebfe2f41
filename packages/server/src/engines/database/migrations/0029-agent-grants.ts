/** Clients of agents that developers have let in (OAuth): grants, codes, and the clients that operators have added. */
export const statements = [
  `alter table agents_tokens add column "accessExpiresAt" text`,

  `create table agents_grants (
    id text primary key,
    "agentId" text not null,
    "developerId" text not null,
    "environmentId" text not null,
    "clientId" text not null,
    "refreshHash" text unique,
    "currentHash" text,
    generation bigint not null,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,
  `create index agents_grants_of on agents_grants ("environmentId")`,
  `create index agents_grants_expiry on agents_grants ("expiresAt")`,

  `create table agents_codes (
    "codeHash" text primary key,
    "grantId" text not null,
    "environmentId" text not null,
    challenge text not null,
    "redirectUri" text not null,
    "expiresAt" text not null,
    "usedAt" text
  )`,
  `create index agents_codes_of on agents_codes ("environmentId")`,
  `create index agents_codes_expiry on agents_codes ("expiresAt")`,

  `create table agents_clients (
    id text primary key,
    name text not null,
    "redirectUris" text not null,
    "createdAt" text not null
  )`,
] as const
