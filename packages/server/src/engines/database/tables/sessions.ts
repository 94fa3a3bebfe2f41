/** Sessions of players, keys of access tokens, transfer codes. */
export type SessionsTables = {
  /** Sessions of players; each is a chain of refresh tokens. */
  sessions: {
    environmentId: string
    id: string
    playerId: string
    /** Generation of the one valid refresh token; each rotation adds 1. */
    generation: number
    rotatedAt: string | null
    /** The same time by the clock that all nodes share, in microseconds. */
    rotatedAtUs: number | null
    nonceHash: string | null
    createdAt: string
    expiresAt: string
    revokedAt: string | null
    revokedReason: string | null
    /** The ban that revoked it. */
    sanctionId: string | null
  }
  /** Public keys of access tokens. */
  sessions_signing_keys: {
    environmentId: string
    kid: string
    publicJwk: string
    createdAt: string
    retiredAt: string | null
  }
  /** Codes to continue as the same player in another browser. */
  sessions_transfer_codes: {
    environmentId: string
    playerId: string
    codeHash: string
    expiresAt: string
    /** The session that created the code; the code ends with it. */
    sessionId: string
  }
  /** Sessions of deleted players, so that their refresh tokens get the right error. Rows contain no reference to the player. */
  sessions_deleted: { environmentId: string; idHash: string; expiresAt: string }
}
