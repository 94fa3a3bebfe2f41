/** Cloud saves. */
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
] as const
