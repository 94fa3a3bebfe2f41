/** What the dashboard shows beside the data of players: who did something, and when something happened first. */
export const statements = [
  `alter table projects_keys add column "createdBy" text`,
  `alter table moderation_bans add column "bannedBy" text`,
  `create index players_banned_ids on players ("environmentId", id) where "bannedUntil" is not null`,
  `create index players_with_email on players ("environmentId", id) where email is not null`,
  `alter table stats_deliveries add column request text`,
  `create index stats_signals_newest on stats_signals ("environmentId", id)`,
  `create index stats_signals_by_reason on stats_signals ("environmentId", reason, id)`,
  `create index mail_outbox_failed on mail_outbox ("environmentId", id) where status = 'failed'`,

  // Not a column of hosting_deployments: SQLite would read through the file list to reach it.
  `create table hosting_authors (
    "environmentId" text not null,
    "deploymentId" text not null,
    "createdBy" text not null,
    primary key ("environmentId", "deploymentId")
  )`,
  `create table hosting_activations (
    "environmentId" text not null,
    number bigint not null,
    version bigint not null,
    at text not null,
    "activatedBy" text not null,
    primary key ("environmentId", number)
  )`,

  `create table rooms_firsts (
    "environmentId" text primary key,
    at text not null
  )`,

  `create table playground_players (
    "environmentId" text not null,
    "playerId" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "playerId")
  )`,
  `create index playground_players_expiry on playground_players ("expiresAt")`,
] as const
