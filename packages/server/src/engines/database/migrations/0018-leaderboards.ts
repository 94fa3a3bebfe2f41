/** Boards, and the winners of closed ones. The entries of boards are columns of `stats`. */
export const statements = [
  `create table leaderboards (
    id bigint generated always as identity primary key,
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
    "retiredAt" text,
    "verifiedFrom" text,
    checkpoint text
  )`,
  `create index leaderboards_of on leaderboards ("environmentId", key, period, label)`,

  `create table leaderboards_winners (
    "environmentId" text not null,
    key text not null,
    label text not null,
    rank bigint not null,
    "playerId" text not null,
    value double precision not null,
    tie bigint not null,
    primary key ("environmentId", key, label, rank)
  )`,
  `create index leaderboards_winners_of on leaderboards_winners ("environmentId", "playerId")`,
] as const
