import type * as contract from '@svc/contract/leaderboards'

import type { Call } from '../http/http.ts'

/** One player of a leaderboard; id and name of a child are null. */
export type LeaderboardEntry = contract.LeaderboardEntry
/** A page of a leaderboard, best first. */
export type Leaderboard = contract.Leaderboard
/** The place of the player: `exact` is true up to place 5,000. */
export type OwnEntry = contract.OwnEntry
/** One of the players of `ranks`. `rank` counts these players only; `place` is the same number. */
export type RankEntry = contract.ChosenEntry & { rank: number }
/** A day, week or month that has ended. */
export type ClosedPeriod = contract.ClosedPeriod
/** A period of a leaderboard. */
export type LeaderboardPeriod = contract.Period

/** `svc.leaderboards`. The first argument of every function is the key of a stat that has a `leaderboard` in the config. */
export type Leaderboards = {
  /**
   * Reads the best players. `period` is the first one of the config by default; `at` names a closed period.
   *
   * @example
   * const { entries } = await svc.leaderboards.top('points', { period: 'daily', limit: 10 })
   * for (const { rank, displayName, value } of entries) console.log(rank, displayName ?? 'A player', value)
   */
  top(
    key: string,
    options?: { period?: LeaderboardPeriod; at?: string; limit?: number; cursor?: string },
  ): Promise<Leaderboard>

  /**
   * Reads the place of the player and the `around` (0 to 25, default 5) places above and below; `entry` is null without one.
   *
   * @example
   * const { entry } = await svc.leaderboards.around('points', { around: 3 })
   * console.log(entry ? `You are number ${entry.rank}` : 'You have no rank yet')
   */
  around(
    key: string,
    options?: { period?: LeaderboardPeriod; around?: number },
  ): Promise<{ entry: OwnEntry | null; count: number; around: LeaderboardEntry[] }>

  /**
   * Compares up to 100 players, such as friends or the players of a room. Children are left out.
   *
   * @example
   * const friends = await svc.leaderboards.ranks('points', friendIds)
   * for (const { rank, displayName, value } of friends) console.log(rank, displayName, value)
   */
  ranks(key: string, playerIds: string[], options?: { period?: LeaderboardPeriod }): Promise<RankEntry[]>

  /**
   * Lists closed periods, newest first; read their winners with `top(key, { at: label })`.
   *
   * @example
   * const [yesterday] = await svc.leaderboards.periods('points')
   * if (yesterday) console.log(await svc.leaderboards.top('points', { at: yesterday.label, limit: 3 }))
   */
  periods(key: string): Promise<ClosedPeriod[]>

  /**
   * Whether the player is shown on leaderboards.
   *
   * @example
   * visibleBox.checked = await svc.leaderboards.isVisible()
   */
  isVisible(): Promise<boolean>

  /**
   * False: leaves all leaderboards immediately. True: the player appears again with the next report.
   *
   * @example
   * visibleBox.onchange = () => svc.leaderboards.setVisible(visibleBox.checked)
   */
  setVisible(visible: boolean): Promise<boolean>
}

/** The functions of `svc.leaderboards`. */
export const createLeaderboardTools = (call: Call, asPlayer: Call): Leaderboards => ({
  top: (key, query = {}) =>
    call<typeof contract.readLeaderboard>('GET /v1/x/leaderboards/:key', { params: { key }, query }),

  around: (key, { around = 5, ...rest } = {}) =>
    asPlayer<typeof contract.readOwnLeaderboardEntry>('GET /v1/x/leaderboards/:key/me', {
      params: { key },
      query: { around, ...rest },
    }),

  async ranks(key, playerIds, options = {}) {
    const request = { params: { key }, query: { ids: playerIds.join(), ...options } }
    const route = 'GET /v1/x/leaderboards/:key/players'
    const { entries } = await asPlayer<typeof contract.readLeaderboardOfPlayers>(route, request)
    return entries.map((entry) => ({ ...entry, rank: entry.place }))
  },

  periods: async (key) =>
    (
      await call<typeof contract.listLeaderboardPeriods>('GET /v1/x/leaderboards/:key/periods', {
        params: { key },
      })
    ).periods,

  isVisible: async () =>
    (await asPlayer<typeof contract.readLeaderboardVisibility>('GET /v1/x/players/me/leaderboards', {}))
      .visible,

  async setVisible(visible) {
    const route = 'PUT /v1/x/players/me/leaderboards'
    return (await asPlayer<typeof contract.changeLeaderboardVisibility>(route, { body: { visible } })).visible
  },
})
