/** Cloud saves and stats. */
export const statements = [
  `create table saves (
    "environmentId" text not null,
    "playerId" text not null,
    key text not null,
    version bigint not null,
    size bigint not null,
    "updatedAt" text not null,
    data text,
    primary key ("environmentId", "playerId", key)
  )`,

  `create table stats (
    "environmentId" text not null,
    "playerId" text not null,
    key text not null,
    aggregation text not null,
    zone text not null,
    day text not null,
    week text not null,
    month text not null,
    "allTime" double precision not null,
    daily double precision not null,
    weekly double precision not null,
    monthly double precision not null,
    "updatedAt" text not null,
    primary key ("environmentId", "playerId", key)
  )`,
  `create table stats_signals (
    "environmentId" text not null,
    "playerId" text not null,
    id text not null,
    at text not null,
    key text not null,
    value text not null,
    reason text not null,
    primary key ("environmentId", "playerId", id)
  )`,
  `create table stats_deliveries (
    "environmentId" text not null,
    id text not null,
    at text not null,
    kind text not null,
    url text not null,
    status bigint,
    "durationMs" bigint not null,
    outcome text not null,
    error text,
    answer text,
    primary key ("environmentId", id)
  )`,
] as const
