/** The audit log: a hash chain per project. */
export const statements = [
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
] as const
