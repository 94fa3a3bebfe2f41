/** A player, from an access token or a request of a developer. */
export type PlayerRef = { id: string; environmentId: string }

/** The player of an access token, proven by its signature without a lookup. */
export type Player = PlayerRef & { sessionId: string }

/** One player in the database: player ids are unique within an environment. */
export type PlayerKey = { environmentId: string; playerId: string }

/** The fields of the player that every write looks up. */
export type PlayerStatus = {
  bannedUntil: string | null
  /** 1 if the player has left the leaderboards. */
  leaderboardsHidden: number
}
