/** Players that the playground created. */
export type PlaygroundTables = {
  /** Players that the playground created; they are deleted after `expiresAt`. */
  playground_players: { environmentId: string; playerId: string; expiresAt: string }
}
