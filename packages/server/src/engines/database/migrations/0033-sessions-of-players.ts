/**
 * The index of the sessions of a player begins with the player. With the environment first, PostgreSQL used it to find a session by its id, and
 * read all sessions of the environment, as long as it had not analyzed the table: in the first minute of a new database.
 */
export const statements = [
  `create index sessions_of_player on sessions ("playerId", "environmentId")`,
  `drop index sessions_of`,
] as const
