import type * as contract from '@svc/contract/leaderboards'

import type { Call, QueryOf } from '../http/http.ts'

/** One entry of a leaderboard. */
export type LeaderboardEntry = {
  /** 1 is the best. Ranks are never shared. */
  rank: number
  /** Null for a child. */
  playerId: string | null
  /** The current name; null for a child. */
  displayName: string | null
  value: number
  /** When the player reached the value. */
  reachedAt: string
}
/** A page of a leaderboard. */
export type Leaderboard = {
  key: string
  period: LeaderboardPeriod
  /** Such as `2026-W46`; null for `allTime`. */
  label: string | null
  /** `desc`: the highest value is best. */
  order: 'asc' | 'desc'
  /** When the period starts; null for `allTime`. */
  startsAt: string | null
  /** When the period ends; null for `allTime`. */
  endsAt: string | null
  /** How many players the leaderboard has. */
  count: number
  /** Best first. */
  entries: LeaderboardEntry[]
  /** For the next page; null on the last one. */
  nextCursor: string | null
}
/** The player's own entry. */
export type OwnEntry = {
  rank: number
  /** Always true for the top 5,000. Below that, the rank may lag a little. */
  exact: boolean
  value: number
  /** When the player reached the value. */
  reachedAt: string
}
/** The player's own entry, and the entries around it. */
export type Nearby = {
  /** Null if the player has no value yet. */
  me: OwnEntry | null
  /** Best first, including the player. */
  entries: LeaderboardEntry[]
}
/** One of the players of `svc.leaderboards.ranks`. */
export type RankEntry = {
  /** Among these players: 1 is the best. */
  rank: number
  playerId: string
  displayName: string
  value: number
  /** When the player reached the value. */
  reachedAt: string
  /** @deprecated Use `rank`. */
  place: number
}
/** A day, week or month that has ended. */
export type ClosedPeriod = {
  period: LeaderboardPeriod
  /** Such as `2026-W46`, for `top(key, { at: label })`. */
  label: string
  startsAt: string
  endsAt: string
  /** How many players the leaderboard had. */
  count: number
}
/** A period of a leaderboard. */
export type LeaderboardPeriod = contract.Period

/** Player rankings by stat. `key` is a stat that has a `leaderboard` in the config. The code is loaded on first use. */
export type Leaderboards = {
  /**
   * Reads the best players. The list may be up to a second old; `nearby` has the player's last report at once.
   *
   * @param options `period` defaults to the first one in the config. `at` names a closed period, see `periods`. `limit` is 1 to 100,
   * 25 by default; `cursor` is `nextCursor` from the previous page.
   * @throws `leaderboard_not_found` This stat has no leaderboard in the config.
   * @throws `invalid_request` `at` is not a closed period of this leaderboard.
   *
   * @example
   * const { entries } = await svc.leaderboards.top('points', { period: 'daily', limit: 10 })
   * for (const { rank, displayName, value } of entries) {
   *   console.log(rank, displayName ?? 'A player', value)
   * }
   */
  top(
    key: string,
    options?: { period?: LeaderboardPeriod; at?: string; limit?: number; cursor?: string },
  ): Promise<Leaderboard>

  /**
   * Reads the player's own rank, and up to `count` entries above and below it.
   *
   * @param options `count` is 0 to 25, 5 by default; with 0 you get only `me`. `period` defaults to the first one in the config.
   * @throws `leaderboard_not_found` This stat has no leaderboard in the config.
   * @example
   * const { me, entries } = await svc.leaderboards.nearby('points', { count: 3 })
   * console.log(me ? `You are number ${me.rank}` : 'You have no rank yet', entries.length)
   */
  nearby(key: string, options?: { count?: number; period?: LeaderboardPeriod }): Promise<Nearby>

  /** @deprecated Use `nearby`. */
  around(
    key: string,
    options?: { period?: LeaderboardPeriod; around?: number },
  ): Promise<{ entry: OwnEntry | null; count: number; around: LeaderboardEntry[] }>

  /**
   * Ranks up to 100 players among themselves, such as friends or the players in a room. Children are left out.
   *
   * @throws `leaderboard_not_found` This stat has no leaderboard in the config.
   *
   * @example
   * const friends = await svc.leaderboards.ranks('points', friendIds)
   * for (const { rank, displayName, value } of friends) {
   *   console.log(rank, displayName, value)
   * }
   */
  ranks(key: string, playerIds: string[], options?: { period?: LeaderboardPeriod }): Promise<RankEntry[]>

  /**
   * Lists closed days, weeks and months together, newest first. A period in which nobody reported or read is left out. Read their winners with `top(key, { at: label })`.
   *
   * @throws `leaderboard_not_found` This stat has no leaderboard in the config.
   *
   * @example
   * const [newest] = await svc.leaderboards.periods('points')
   * if (newest) {
   *   const { entries } = await svc.leaderboards.top('points', { at: newest.label })
   *   console.log(entries[0]?.displayName)
   * }
   */
  periods(key: string): Promise<ClosedPeriod[]>

  /**
   * Returns whether the player is shown on leaderboards.
   *
   * @example
   * visibleBox.checked = await svc.leaderboards.isVisible()
   */
  isVisible(): Promise<boolean>

  /**
   * Removes the player from all leaderboards, or brings them back with the next report for each stat, even if it is not a better value.
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

  async nearby(key, { count = 5, ...rest } = {}) {
    const { entry, around } = await readOwn(asPlayer, key, { around: count, ...rest })
    return { me: entry, entries: around }
  },

  around: (key, { around = 5, ...rest } = {}) => readOwn(asPlayer, key, { around, ...rest }),

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

const readOwn = (asPlayer: Call, key: string, query: QueryOf<typeof contract.readOwnLeaderboardEntry>) =>
  asPlayer<typeof contract.readOwnLeaderboardEntry>('GET /v1/x/leaderboards/:key/me', {
    params: { key },
    query,
  })
