/** Changes that every node must know within two seconds. */
export const statements = [
  `create table revocations (
    id text primary key,
    "atMs" bigint not null,
    kind text not null,
    "environmentId" text,
    subject text not null
  )`,
  `create index revocations_at on revocations ("atMs")`,
] as const
