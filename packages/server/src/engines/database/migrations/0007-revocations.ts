/** What every node must learn within two seconds, and what is kept of the sessions of deleted players. */
export const statements = [
  `create table revocations (
    id text primary key,
    "atMs" bigint not null,
    kind text not null,
    "environmentId" text,
    subject text not null
  )`,
  `create index revocations_at on revocations ("atMs")`,

  `create table sessions_deleted (
    "environmentId" text not null,
    "idHash" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "idHash")
  )`,
  `create index sessions_deleted_expires on sessions_deleted ("expiresAt")`,

  // A code lasts ten minutes; one that does not say which session made it is not worth keeping.
  `delete from sessions_transfer_codes`,
  `alter table sessions_transfer_codes add column "sessionId" text not null default ''`,
] as const
