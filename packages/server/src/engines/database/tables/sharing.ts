/** Share links, their visits and cards. */
export type SharingTables = {
  sharing_links: {
    environmentId: string
    id: string
    /** `plain`, `score`, `challenge`, or `tracked`. */
    kind: string
    /** Null for tracked links, which developers create. */
    playerId: string | null
    label: string | null
    score: number | null
    displayName: string | null
    createdAt: string
    /** UTC day on which the link was last opened, by anybody; at first that of the creation. */
    lastVisitOn: string
    /** The picture in the blob store; null until it was drawn. */
    cardKey: string | null
    cardBytes: number | null
    cardSha256: string | null
    /** All other inputs of the picture, as they were at the creation. */
    look: string
  }
  /** Sums per link and UTC day, without the visitors that are still in `sharing_visitors`; they contain no visitor. */
  sharing_days: {
    environmentId: string
    shareId: string
    day: string
    visits: number
    newPlayers: number
    plays: number
  }
  /** Sums of all links, for days that are over; `links` is how many were visited. For `keptAt` see `players_sums`. */
  sharing_sums: {
    environmentId: string
    day: string
    links: number
    visits: number
    newPlayers: number
    plays: number
    keptAt: string | null
  }
  /**
   * The visitors of days that are not over, as hashes with a salt of the day. When the day is over they are added to `sharing_days` and
   * removed; those of kind `new` and the salt a day later.
   */
  sharing_visitors: {
    day: string
    environmentId: string
    /** Empty for kind `new`: a player counts as new once over all links. */
    shareId: string
    /** `visit`, `play` or `new`. */
    kind: string
    /** Empty for players. */
    addressHash: string
    visitor: string
    /** 1 if the player counts as new by this visit, otherwise 0. Null if it counts for nothing: `new`, or added to `sharing_days` already. */
    newPlayers: number | null
    /** For kind `new`: `visitor` of the visit by which the player counts as new. */
    newBy: string | null
  }
  /** Cards of apps, by the hash of all inputs. */
  sharing_cards: {
    environmentId: string
    inputHash: string
    blobKey: string
    bytes: number
    sha256: string
    usedOn: string
  }
  /**
   * Blobs that are removed after this time unless a link or card uses them then. Rows are kept after their environment is deleted,
   * so they contain no environment.
   */
  sharing_removals: { blobKey: string; removeAfter: string }
}
