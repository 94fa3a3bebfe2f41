/** The player of an access token, proven by its signature without a lookup. */
export type Player = { id: string; environmentId: string; sessionId: string }

/** One player in the database: player ids are unique within an environment. */
export type PlayerKey = { environmentId: string; playerId: string }
