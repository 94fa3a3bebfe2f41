/** The periods that a leaderboard can have. */
export const LEADERBOARD_PERIODS = ['allTime', 'daily', 'weekly', 'monthly'] as const
/** One of the periods of a leaderboard. */
export type LeaderboardPeriod = (typeof LEADERBOARD_PERIODS)[number]
