/** The order of players by their last activity; the text of publishable keys, which pages show anyway. */
export const statements = [
  `create index players_last_seen on players ("environmentId", "lastSeenAt", id)`,
  `alter table projects_keys add column plaintext text`,
] as const
