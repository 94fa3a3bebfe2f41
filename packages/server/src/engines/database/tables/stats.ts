/** Values of stats, rejected values, deliveries of the verification webhook. */
export type StatsTables = {
  /** Current values of reported stats. */
  stats: {
    environmentId: string
    playerId: string
    key: string
    /** How the last report was combined with the stored value. */
    aggregation: string
    /** The day, ISO week and month of the other values, in this time zone: 2026-11-15, 2026-W46, 2026-11. */
    zone: string
    day: string
    week: string
    month: string
    allTime: number
    daily: number
    weekly: number
    monthly: number
    /** Empty while the row only keeps `hidden`, without values. */
    updatedAt: string
    /** Id of the board that the value is on; null: none. */
    allTimeBoard: number | null
    dailyBoard: number | null
    weeklyBoard: number | null
    monthlyBoard: number | null
    /** The value on its board. */
    allTimeRanked: number | null
    dailyRanked: number | null
    weeklyRanked: number | null
    monthlyRanked: number | null
    /** When the value was reached, in 1/1024 ms since 1970; negative where the highest value is first. */
    allTimeTie: number | null
    dailyTie: number | null
    weeklyTie: number | null
    monthlyTie: number | null
    /** Why the player is on no board: 1 hidden by a developer, 2 banned, 3 left by choice, 4 shown again by a developer (until the next report). */
    hidden: number | null
    /** Ids of the last reports that may be sent again, the newest first. */
    reports: string | null
  }
  /** Rejected values. */
  stats_signals: {
    environmentId: string
    playerId: string
    id: string
    at: string
    key: string
    value: string
    reason: string
  }
  /** Deliveries of the stats verification webhook. */
  stats_deliveries: {
    environmentId: string
    id: string
    at: string
    kind: string
    url: string
    status: number | null
    durationMs: number
    outcome: string
    error: string | null
    answer: string | null
    /** The body as it was sent; null if it is not known. */
    request: string | null
  }
}
