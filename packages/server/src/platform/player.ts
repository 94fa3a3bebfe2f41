/** Who an access token speaks for: proven by signature, so that reading costs no lookup. */
export type Player = { id: string; environmentId: string; sessionId: string }

/** One player in the database: player ids are unique within an environment. */
export type PlayerKey = { environmentId: string; playerId: string }
