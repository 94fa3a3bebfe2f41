/** Entries that have left a board for the next one before the winners of the board were counted; an index of the boards that will end. */
export const statements = [
  `create table leaderboards_left (
    board bigint not null,
    "playerId" text not null,
    "environmentId" text not null,
    value double precision not null,
    tie bigint not null,
    primary key (board, "playerId")
  )`,
  `create index leaderboards_left_of on leaderboards_left ("environmentId", "playerId")`,
  `create index leaderboards_ending on leaderboards ("endsAt") where "closedAt" is null and "replacedAt" is null`,
] as const
