/** Bans, appeals and ages of players. */
export type ModerationTables = {
  /** Bans of players. */
  moderation_bans: {
    environmentId: string
    id: string
    playerId: string
    reason: string | null
    createdAt: string
    expiresAt: string | null
    /** When the ban was lifted, or replaced after it expired. At most one ban per player has `endedAt = null`. */
    endedAt: string | null
    /** The actor as JSON; null if it is not known. */
    bannedBy: string | null
  }
  /** Appeals of banned players. */
  moderation_appeals: {
    environmentId: string
    id: string
    banId: string
    playerId: string
    status: string
    message: string
    response: string | null
    createdAt: string
    resolvedAt: string | null
  }
  /** Age bands of players. */
  moderation_ages: {
    environmentId: string
    playerId: string
    /** Declared by the player, or set by a correction. */
    declared: string | null
    /** The strictest band that the operating system has reported. */
    signalled: string | null
    updatedAt: string
  }
}
