/**
 * Channels that a server created, with their lists of players. `../tables/channels.ts` explains the columns. Messages are not
 * stored, and all other channels are in memory only.
 */
export const statements = [
  `create table channels (
    "environmentId" text not null,
    name text not null,
    settings text not null,
    "createdAt" text not null,
    primary key ("environmentId", name)
  )`,

  `create table channels_lists (
    "environmentId" text not null,
    name text not null,
    list text not null,
    "playerId" text not null,
    until text,
    primary key ("environmentId", name, list, "playerId")
  )`,
  `create index channels_lists_player on channels_lists ("environmentId", "playerId")`,
] as const
