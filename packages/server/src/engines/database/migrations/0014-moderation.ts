/** Bans, appeals and ages of players. */
export const statements = [
  `create table moderation_bans (
    "environmentId" text not null,
    id text not null,
    "playerId" text not null,
    reason text,
    "createdAt" text not null,
    "expiresAt" text,
    "endedAt" text,
    "bannedBy" text,
    primary key ("environmentId", id)
  )`,
  `create index moderation_bans_of on moderation_bans ("environmentId", "playerId", id)`,
  `create unique index moderation_bans_one on moderation_bans ("environmentId", "playerId") where "endedAt" is null`,

  `create table moderation_appeals (
    "environmentId" text not null,
    id text not null,
    "banId" text not null,
    "playerId" text not null,
    status text not null,
    message text not null,
    response text,
    "createdAt" text not null,
    "resolvedAt" text,
    primary key ("environmentId", id)
  )`,
  `create unique index moderation_appeals_of on moderation_appeals ("environmentId", "banId")`,
  `create index moderation_appeals_status on moderation_appeals ("environmentId", status, id)`,
  `create index moderation_appeals_player on moderation_appeals ("environmentId", "playerId")`,

  `create table moderation_ages (
    "environmentId" text not null,
    "playerId" text not null,
    declared text,
    signalled text,
    "updatedAt" text not null,
    primary key ("environmentId", "playerId")
  )`,
] as const
