/** Share links, their visits and cards. */
export const statements = [
  `create table sharing_links (
    "environmentId" text not null,
    id text not null,
    kind text not null,
    "playerId" text,
    label text,
    score double precision,
    "displayName" text,
    "createdAt" text not null,
    "lastVisitOn" text not null,
    "cardKey" text,
    "cardBytes" bigint,
    "cardSha256" text,
    look text not null,
    primary key ("environmentId", id)
  )`,
  `create index sharing_links_by_player on sharing_links ("environmentId", "playerId") where "playerId" is not null`,
  `create index sharing_links_tracked on sharing_links ("environmentId", "createdAt") where kind = 'tracked'`,
  `create index sharing_links_by_last_visit on sharing_links ("lastVisitOn")`,

  `create table sharing_days (
    "environmentId" text not null,
    "shareId" text not null,
    day text not null,
    visits integer not null,
    "newPlayers" integer not null,
    plays integer not null,
    primary key ("environmentId", "shareId", day)
  )`,
  `create index sharing_days_by_day on sharing_days ("environmentId", day)`,

  `create table sharing_visitors (
    day text not null,
    "environmentId" text not null,
    "shareId" text not null,
    kind text not null,
    "addressHash" text not null,
    visitor text not null,
    primary key (day, "environmentId", "shareId", kind, "addressHash", visitor)
  )`,

  `create table sharing_cards (
    "environmentId" text not null,
    "inputHash" text not null,
    "blobKey" text not null,
    bytes bigint not null,
    sha256 text not null,
    "usedOn" text not null,
    primary key ("environmentId", "inputHash")
  )`,
  `create index sharing_cards_by_use on sharing_cards ("usedOn")`,

  `create table sharing_removals (
    "blobKey" text primary key,
    "removeAfter" text not null
  )`,
  `create index sharing_removals_by_time on sharing_removals ("removeAfter")`,
] as const
