/** Numbers of players by the day of their creation, so that an overview does not count all of them. */
export const statements = [
  `create table players_counts (
    "environmentId" text not null,
    day text not null,
    players bigint,
    registered bigint,
    "countedAt" text,
    "playersChange" bigint not null default 0,
    "registeredChange" bigint not null default 0,
    primary key ("environmentId", day)
  )`,
] as const
