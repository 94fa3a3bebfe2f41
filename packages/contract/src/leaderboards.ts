import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { BY_PLAYER, Deleted, Empty, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'
import { LEADERBOARD_PERIODS } from './leaderboard-periods.ts'

/** Leaderboards: ranks of the players by one stat, of all time and per day, week and month of the config's time zone. */

const Key = Type.String({ minLength: 1, maxLength: 64, description: 'key of a stat with a leaderboard' })
const OneBoard = Type.Object({ key: Key })
const OneEntry = Type.Object({ key: Key, playerId: IdParam })
const ErrorsOfBoard = ['leaderboard_not_found'] as const

/** A period of a leaderboard. */
export type Period = Static<typeof Period>
const Period = Type.Enum([...LEADERBOARD_PERIODS])
const PeriodParam = Type.Optional(
  Type.Enum([...LEADERBOARD_PERIODS], { description: 'the first period in the config by default' }),
)
const Label = Type.String({
  maxLength: 10,
  pattern: '^[0-9]{4}-(W[0-9]{2}|[0-9]{2}|[0-9]{2}-[0-9]{2})$',
  patternErrorMessage: 'must be a period like 2026-11-15, 2026-W46 or 2026-11',
  description: 'a closed period, like 2026-11-15, 2026-W46 or 2026-11',
})
const PageCursor = Type.String({
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  patternErrorMessage: 'must be the value that the previous page returned',
})
const Rank = Type.Integer({ minimum: 1, description: '1, 2, 3, …; never shared' })
const Count = Type.Integer({
  minimum: 0,
  description: `number of entries; above ${LIMITS.leaderboardExactRankMax} it may lag a little`,
})
const ListQuery = (limit: ReturnType<typeof Limit>) =>
  Type.Object({
    period: PeriodParam,
    at: Type.Optional(Label),
    cursor: Type.Optional(PageCursor),
    limit,
  })

/** One player of a leaderboard. */
export type LeaderboardEntry = Static<typeof LeaderboardEntry>
/** A row of a leaderboard. Children have no id and no name (LDB-09). */
export const LeaderboardEntry = Type.Object({
  rank: Rank,
  playerId: Nullable(Type.String({ description: 'null for a child' })),
  displayName: Nullable(Type.String({ ...BY_PLAYER, description: 'the current name; null for a child' })),
  value: Type.Number(),
  reachedAt: Timestamp,
})

const ofPage = {
  key: Type.String(),
  period: Period,
  label: Nullable(Type.String({ description: 'like 2026-W46; null for allTime' })),
  order: Type.Enum(['desc', 'asc']),
  startsAt: Nullable(Timestamp),
  endsAt: Nullable(Timestamp),
  count: Count,
}

/** A page of a leaderboard. */
export type Leaderboard = Static<typeof Leaderboard>
/** `label`, `startsAt` and `endsAt` are null for `allTime`. `nextCursor` is null on the last page. */
export const Leaderboard = Type.Object({
  ...ofPage,
  entries: Type.Array(LeaderboardEntry),
  nextCursor: Nullable(Type.String()),
})

/** Read a leaderboard. */
export const readLeaderboard = endpoint('GET /v1/x/leaderboards/:key', {
  summary: 'Read a leaderboard, best first; supports ETag',
  caller: 'public',
  feature: 'stats',
  etag: true,
  params: OneBoard,
  query: ListQuery(Limit(25, 100)),
  response: Leaderboard,
  errors: ErrorsOfBoard,
})

/** The caller's own place. */
export type OwnEntry = Static<typeof OwnEntry>
/** If `exact` is false, `rank` is as of the last checkpoint (LDB-04). */
export const OwnEntry = Type.Object({
  rank: Rank,
  exact: Type.Boolean({
    description: `always true for the top ${LIMITS.leaderboardExactRankMax}; below that, ranks may lag a little`,
  }),
  value: Type.Number(),
  reachedAt: Timestamp,
})

/** Read your own place. */
export const readOwnLeaderboardEntry = endpoint('GET /v1/x/leaderboards/:key/me', {
  summary: 'Get your rank; with the entries above and below yours',
  caller: 'player',
  feature: 'stats',
  params: OneBoard,
  query: Type.Object({
    period: PeriodParam,
    around: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.leaderboardAroundMax,
        default: 0,
        description: 'entries to return above and below yours',
      }),
    ),
  }),
  response: Type.Object({ entry: Nullable(OwnEntry), count: Count, around: Type.Array(LeaderboardEntry) }),
  errors: ErrorsOfBoard,
})

/** One of the requested players. */
export type ChosenEntry = Static<typeof ChosenEntry>
/** `place` counts the requested players only; it is not the rank on the leaderboard. Children are left out (LDB-06). */
export const ChosenEntry = Type.Object({
  place: Type.Integer({ minimum: 1, description: 'rank among these players' }),
  playerId: Type.String(),
  displayName: Type.String(BY_PLAYER),
  value: Type.Number(),
  reachedAt: Timestamp,
})

/** Compare players. */
export const readLeaderboardOfPlayers = endpoint('GET /v1/x/leaderboards/:key/players', {
  summary: `Compare up to ${LIMITS.leaderboardPlayersMax} players; such as friends. Children are not included`,
  caller: 'player',
  feature: 'stats',
  params: OneBoard,
  query: Type.Object({
    ids: Type.Optional(Type.String({ description: 'player ids, separated by commas; required' })),
    period: PeriodParam,
  }),
  response: Type.Object({ entries: Type.Array(ChosenEntry) }),
  errors: ErrorsOfBoard,
})

/** A period that has ended. */
export type ClosedPeriod = Static<typeof ClosedPeriod>
/** Send its `label` as `at` to read its winners (LDB-08). */
export const ClosedPeriod = Type.Object({
  period: Period,
  label: Type.String(),
  startsAt: Timestamp,
  endsAt: Timestamp,
  count: Count,
})

const ClosedPeriods = Type.Object({ periods: Type.Array(ClosedPeriod) })

/** List closed periods. */
export const listLeaderboardPeriods = endpoint('GET /v1/x/leaderboards/:key/periods', {
  summary: `List the last ${LIMITS.leaderboardPeriodsListed} closed periods, newest first`,
  caller: 'public',
  feature: 'stats',
  params: OneBoard,
  response: ClosedPeriods,
  errors: ErrorsOfBoard,
})

/** Whether the player is shown. */
export type LeaderboardVisibility = Static<typeof LeaderboardVisibility>
/** Applies to all leaderboards. A player who returns appears with the next accepted report (LDB-10). */
export const LeaderboardVisibility = Type.Object({ visible: Type.Boolean() })

/** Get whether you are shown on leaderboards. */
export const readLeaderboardVisibility = endpoint('GET /v1/x/players/me/leaderboards', {
  summary: 'Get whether you are shown on leaderboards',
  caller: 'player',
  response: LeaderboardVisibility,
})

/** Leave all leaderboards, or appear again. */
export const changeLeaderboardVisibility = endpoint('PUT /v1/x/players/me/leaderboards', {
  summary: 'Leave all leaderboards; or appear again with your next report',
  caller: 'player',
  body: LeaderboardVisibility,
  response: LeaderboardVisibility,
})

/** A stat with a leaderboard. */
export type LeaderboardSummary = Static<typeof LeaderboardSummary>
/** With `verifiedOnly`, only values that the verification webhook approved count (LDB-13). */
export const LeaderboardSummary = Type.Object({
  key: Type.String(),
  order: Type.Enum(['desc', 'asc']),
  verifiedOnly: Type.Boolean(),
  periods: Type.Array(Type.Object({ period: Period, label: Nullable(Type.String()), count: Count })),
})

/** List the leaderboards of the config. */
export const listLeaderboards = endpoint('GET /v1/admin/x/leaderboards', {
  summary: 'List the leaderboards; with the number of entries',
  caller: 'admin',
  role: 'viewer',
  agent: 'read',
  response: Type.Object({ leaderboards: Type.Array(LeaderboardSummary) }),
})

/** An entry as developers see it. */
export type AdminEntry = Static<typeof AdminEntry>
/** Also has the ids and names of children, which players do not see. */
export const AdminEntry = Type.Object({
  rank: Nullable(Type.Integer({ description: 'null if players cannot see the entry' })),
  playerId: Type.String(),
  displayName: Nullable(Type.String({ ...BY_PLAYER, description: 'null if the player was deleted' })),
  value: Type.Number(),
  reachedAt: Timestamp,
  hidden: Type.Boolean({ description: 'hidden by a developer' }),
  banned: Type.Boolean(),
  optedOut: Type.Boolean({ description: 'the player opted out of leaderboards' }),
})

/** A page of a leaderboard as developers see it. */
export type AdminLeaderboard = Static<typeof AdminLeaderboard>
/** `notShown` is empty on later pages and in closed periods. */
export const AdminLeaderboard = Type.Object({
  ...ofPage,
  entries: Type.Array(AdminEntry),
  notShown: Type.Array(AdminEntry, {
    description:
      'hidden, banned and opted-out players, and those who have not reported since, best value first; on the first page of the current period',
  }),
  nextCursor: Nullable(Type.String()),
})

/** Read a leaderboard as a developer. */
export const readLeaderboardAsAdmin = endpoint('GET /v1/admin/x/leaderboards/:key', {
  summary: 'Read a leaderboard as a developer; with all ids and names, and the players who are not shown',
  caller: 'admin',
  role: ['developer', 'moderator'],
  params: OneBoard,
  query: ListQuery(Limit(100, 1_000)),
  agent: 'read',
  response: AdminLeaderboard,
  errors: ErrorsOfBoard,
})

/** List closed periods as a developer. */
export const listLeaderboardPeriodsAsAdmin = endpoint('GET /v1/admin/x/leaderboards/:key/periods', {
  summary: `List the last ${LIMITS.leaderboardPeriodsListed} closed periods, newest first`,
  caller: 'admin',
  role: 'viewer',
  params: OneBoard,
  agent: 'read',
  response: ClosedPeriods,
  errors: ErrorsOfBoard,
})

/** Hide a player on a leaderboard, or show the player again. */
export const hideLeaderboardEntry = endpoint('PUT /v1/admin/x/leaderboards/:key/entries/:playerId', {
  summary: 'Hide a player on a leaderboard; or show the player again. Takes effect immediately',
  caller: 'admin',
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  params: OneEntry,
  body: Type.Object({ hidden: Type.Boolean() }),
  agent: 'write',
  response: Type.Object({ playerId: Type.String(), hidden: Type.Boolean() }),
  errors: [...ErrorsOfBoard, 'player_not_found'],
})

/** Remove a player's values. */
export const removeLeaderboardEntry = endpoint('DELETE /v1/admin/x/leaderboards/:key/entries/:playerId', {
  summary:
    'Remove a player from a leaderboard; also from its closed periods, and deletes the values of the stat',
  caller: 'admin',
  role: { development: ['developer', 'moderator'], production: 'moderator' },
  params: OneEntry,
  agent: 'destructive',
  response: Deleted,
  errors: [...ErrorsOfBoard, 'player_not_found'],
})

/** Empty a leaderboard. */
export const resetLeaderboard = endpoint('POST /v1/admin/x/leaderboards/:key/reset', {
  summary: 'Reset a leaderboard; deletes the values of its stat for all players. Closed periods stay',
  caller: 'admin',
  role: { development: 'developer', production: 'admin' },
  params: OneBoard,
  agent: 'destructive',
  response: Empty,
  errors: ErrorsOfBoard,
})
