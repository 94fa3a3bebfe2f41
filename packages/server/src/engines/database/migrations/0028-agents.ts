/** Agents: their tokens, the approvals that they have asked for, their last calls. */
export const statements = [
  `create table agents_tokens (
    id text primary key,
    hash text not null unique,
    "developerId" text not null,
    "projectId" text not null,
    "environmentId" text not null,
    label text not null,
    tools text not null,
    unattended bigint not null,
    "grantId" text,
    client text,
    "createdAt" text not null,
    "expiresAt" text not null,
    "lastUsedAt" text,
    "revokedAt" text
  )`,
  `create index agents_tokens_of on agents_tokens ("environmentId", "expiresAt")`,
  `create index agents_tokens_of_developer on agents_tokens ("developerId")`,
  `create index agents_tokens_expiry on agents_tokens ("expiresAt")`,

  `create table agents_approvals (
    id text primary key,
    "tokenId" text not null,
    "environmentId" text not null,
    tool text not null,
    "argumentsHash" text not null,
    arguments text not null,
    summary text not null,
    status text not null,
    "createdAt" text not null,
    "expiresAt" text not null,
    "decidedBy" text
  )`,
  `create index agents_approvals_of on agents_approvals ("tokenId", "expiresAt")`,
  `create index agents_approvals_of_environment on agents_approvals ("environmentId")`,
  `create index agents_approvals_expiry on agents_approvals ("expiresAt")`,

  `create table agents_calls (
    "tokenId" text not null,
    sequence bigint not null,
    "environmentId" text not null,
    at text not null,
    tool text not null,
    outcome text not null,
    primary key ("tokenId", sequence)
  )`,
  `create index agents_calls_of_environment on agents_calls ("environmentId")`,
] as const
