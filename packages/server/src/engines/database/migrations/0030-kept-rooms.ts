/** Rooms of turn-based games, which are kept while nobody is connected. `snapshot` is last, because it is large. */
export const statements = [
  `create table rooms_kept (
    "environmentId" text not null,
    id text not null,
    mode text not null,
    code text not null,
    "wakeAt" text,
    "expiresAt" text not null,
    "createdAt" text not null,
    "versionId" text not null,
    saves bigint not null,
    metadata text not null,
    snapshot text not null,
    primary key ("environmentId", id)
  )`,
  `create unique index rooms_kept_code on rooms_kept ("environmentId", code)`,
  `create index rooms_kept_due on rooms_kept ("wakeAt")`,
  `create index rooms_kept_expiry on rooms_kept ("expiresAt")`,

  `create table rooms_kept_seats (
    "environmentId" text not null,
    "playerId" text not null,
    "roomId" text not null,
    primary key ("environmentId", "playerId", "roomId")
  )`,
  `create index rooms_kept_seats_of on rooms_kept_seats ("environmentId", "roomId")`,
] as const
