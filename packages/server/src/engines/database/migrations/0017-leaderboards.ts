/**
 * Leaderboards: the index is in the table of the values. `…Board` is the id of the board that a value is on, null if it is on none and
 * then not in the index; `…Ranked` is the value there, `…Tie` orders equal ones. `…Ranked` is a column of its own, so that PostgreSQL
 * updates a value that is on no board without its indexes (HOT).
 */
const PERIODS = ['allTime', 'daily', 'weekly', 'monthly']

export const statements = [
  ...PERIODS.flatMap((period) => [
    `alter table stats add column "${period}Board" bigint`,
    `alter table stats add column "${period}Ranked" double precision`,
    `alter table stats add column "${period}Tie" bigint`,
  ]),
  `alter table stats add column hidden bigint`,
  ...PERIODS.map(
    (period) =>
      `create index stats_${period.toLowerCase()} on stats ("${period}Board", "${period}Ranked", "${period}Tie") where "${period}Board" is not null`,
  ),
  `create index stats_hidden on stats ("environmentId", key) where hidden is not null`,
  `create table stats_boards (
    id bigint primary key,
    "environmentId" text not null,
    key text not null,
    period text not null,
    label text not null,
    direction text not null,
    signature text not null,
    "startsAt" text,
    "endsAt" text,
    "createdAt" text not null,
    "resetAt" text,
    "replacedAt" text,
    "closedAt" text,
    "settledAt" text,
    count bigint,
    work text,
    "workAfter" text,
    "checkpointDueAt" text,
    "checkpointAt" text,
    checkpoint text
  )`,
  `create index stats_boards_of on stats_boards ("environmentId", key, period, label)`,
  `create table stats_winners (
    "environmentId" text not null,
    key text not null,
    label text not null,
    rank bigint not null,
    "playerId" text not null,
    value double precision not null,
    tie bigint not null,
    primary key ("environmentId", key, label, rank)
  )`,
  `create index stats_winners_of on stats_winners ("environmentId", "playerId")`,
  `alter table players add column "leaderboardsHidden" bigint not null default 0`,
] as const
