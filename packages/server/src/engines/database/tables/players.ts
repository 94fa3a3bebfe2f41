/** Players: accounts, external sign-in methods, one-time tokens, active days, deletions. */
export type PlayersTables = {
  /** Players of an environment. */
  players: {
    environmentId: string
    id: string
    displayName: string
    /** The name in lower case, for searches by the beginning of a name. */
    searchName: string
    email: string | null
    emailLinkedAt: string | null
    emailVerifiedAt: string | null
    passwordHash: string | null
    createdAt: string
    /** Written at most every five minutes. */
    lastSeenAt: string
    /** Copied from the ban in the same transaction, because every write checks it. FOREVER if the ban has no end. */
    bannedUntil: string | null
    /** 1 if the player has left the leaderboards. */
    leaderboardsHidden: number
  }
  /** External sign-in methods of players. */
  players_identities: {
    environmentId: string
    provider: string
    subject: string
    playerId: string
    linkedAt: string
    /** Profile from the provider: name, handle, picture. */
    profile: string
  }
  /** One-time tokens of mailed links (verify, reset). */
  players_tokens: {
    tokenHash: string
    environmentId: string
    playerId: string
    kind: string
    email: string
    expiresAt: string
  }
  /** HMAC of client addresses with successful sign-ins; `day` is that of the last one. */
  players_sign_in_addresses: { environmentId: string; playerId: string; addressHash: string; day: string }
  /** Players seen on a day, for the number of daily active players. */
  players_days: { environmentId: string; day: string; playerId: string }
  /**
   * The number of players of a day that is over, by kind: `active` on it or `new` on it. A player who is deleted later stays counted.
   * `keptAt` is null if a node of an earlier version has kept it.
   */
  players_sums: { environmentId: string; kind: string; day: string; players: number; keptAt: string | null }
  /**
   * Players by the UTC day of their creation. `players` and `registered` (those that are not guests) were counted once, null until then;
   * `…Change` is what has changed since the beginning of the row, so that the sum of both is the number now.
   */
  players_counts: {
    environmentId: string
    day: string
    players: number | null
    registered: number | null
    countedAt: string | null
    playersChange: number
    registeredChange: number
  }
  /** Whether the player shows the X profile to others: 1, or 0 once hidden again. */
  players_x_profiles: { environmentId: string; playerId: string; visible: number }
  /** Deleted players whose access tokens have not expired yet. */
  players_deletions: { environmentId: string; playerId: string; deletedAt: string }
}
