/** Who runs the service, and links that admit a new developer. */
export const statements = [
  `alter table developers add column "isOperator" bigint not null default 0`,
  `create table developers_invitations (
    "tokenHash" text primary key,
    kind text not null,
    email text,
    "createdAt" text not null,
    "expiresAt" text not null
  )`,
] as const
