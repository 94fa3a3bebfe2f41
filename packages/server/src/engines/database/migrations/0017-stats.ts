/**
 * Values of stats, rejected values, deliveries of the verification webhook.
 *
 * The indexes of leaderboards are in the table of the values (decision 0034). `…Board` is the id of the board that a value is on, null if
 * it is on none and then not in the index; `…Ranked` is the value there, `…Tie` orders equal ones, and the player's id those with equal
 * ties. `…Ranked` is a column of its own, so that PostgreSQL updates a value that is on no board without its indexes (HOT).
 */
export const statements = [
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
    "allTimeBoard" bigint,
    "allTimeRanked" double precision,
    "allTimeTie" bigint,
    "dailyBoard" bigint,
    "dailyRanked" double precision,
    "dailyTie" bigint,
    "weeklyBoard" bigint,
    "weeklyRanked" double precision,
    "weeklyTie" bigint,
    "monthlyBoard" bigint,
    "monthlyRanked" double precision,
    "monthlyTie" bigint,
    hidden bigint,
    primary key ("environmentId", "playerId", key)
  )`,
  `create index stats_hidden on stats ("environmentId", key) where hidden is not null`,
  `create index stats_alltime on stats ("allTimeBoard", "allTimeRanked", "allTimeTie", "playerId") where "allTimeBoard" is not null`,
  `create index stats_daily on stats ("dailyBoard", "dailyRanked", "dailyTie", "playerId") where "dailyBoard" is not null`,
  `create index stats_weekly on stats ("weeklyBoard", "weeklyRanked", "weeklyTie", "playerId") where "weeklyBoard" is not null`,
  `create index stats_monthly on stats ("monthlyBoard", "monthlyRanked", "monthlyTie", "playerId") where "monthlyBoard" is not null`,

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
  `create index stats_signals_newest on stats_signals ("environmentId", id)`,
  `create index stats_signals_by_reason on stats_signals ("environmentId", reason, id)`,

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
    request text,
    primary key ("environmentId", id)
  )`,
] as const
