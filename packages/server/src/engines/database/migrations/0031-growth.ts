/** Reads of the dashboard whose cost grew with the rows: sums of days that are over, and indexes of lists with a filter. */
export const statements = [
  `create table players_sums (
    "environmentId" text not null,
    kind text not null,
    day text not null,
    players bigint not null,
    primary key ("environmentId", kind, day)
  )`,

  `create table sharing_sums (
    "environmentId" text not null,
    day text not null,
    links bigint not null,
    visits bigint not null,
    "newPlayers" bigint not null,
    plays bigint not null,
    primary key ("environmentId", day)
  )`,

  `create index money_transactions_charges on money_transactions ("developerId", description, sequence) where type = 'usage'`,
  `create index audit_entries_of on audit_entries ("projectId", env, sequence)`,
  `create index mail_outbox_by_status on mail_outbox ("environmentId", status, id)`,
] as const
