/** Players that the playground created. */
export const statements = [
  `create table playground_players (
    "environmentId" text not null,
    "playerId" text not null,
    "expiresAt" text not null,
    primary key ("environmentId", "playerId")
  )`,
  `create index playground_players_expiry on playground_players ("expiresAt")`,
] as const
