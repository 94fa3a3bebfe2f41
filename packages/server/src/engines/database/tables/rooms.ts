/** When an environment had its first room, and the rooms that are kept; all others are in memory only. */
export type RoomsTables = {
  /** When the first room of an environment was created. */
  rooms_firsts: { environmentId: string; at: string }
  /**
   * Rooms of modes with `keepDays`, from their creation to their end. While a room is open, its row is what was last saved. `saves` counts
   * these writes: a row with more of them than a snapshot in the cluster is newer. `wakeAt` is when the room is opened.
   */
  rooms_kept: {
    environmentId: string
    id: string
    mode: string
    code: string
    wakeAt: string | null
    expiresAt: string
    createdAt: string
    versionId: string
    saves: number
    metadata: string
    snapshot: string
  }
  /** Who has a seat in them. */
  rooms_kept_seats: { environmentId: string; playerId: string; roomId: string }
}
