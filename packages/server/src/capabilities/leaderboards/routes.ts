import * as contract from '@svc/contract/leaderboards'

import type { Route } from '../../edge/http/routes.ts'
import type { LeaderboardAdmin } from './admin.ts'
import type { Leaderboards } from './leaderboards.ts'

type Parts = { leaderboards: Leaderboards; admin: LeaderboardAdmin }

export function leaderboardRoutes(route: Route, { leaderboards, admin }: Parts) {
  route(contract.readLeaderboard, ({ environment, params, query }) =>
    leaderboards.list(environment, params.key, query),
  )
  route(contract.readOwnLeaderboardEntry, ({ player, params, query }) =>
    leaderboards.own(player, params.key, query),
  )
  route(contract.readLeaderboardOfPlayers, ({ player, params, query }) =>
    leaderboards.players(player, params.key, query),
  )
  route(contract.listLeaderboardPeriods, ({ environment, params }) =>
    leaderboards.periods(environment, params.key),
  )
  route(contract.listLeaderboards, ({ environment }) => admin.summaries(environment))
  route(contract.readLeaderboardAsAdmin, ({ environment, params, query }) =>
    admin.list(environment, params.key, query),
  )
  route(contract.listLeaderboardPeriodsAsAdmin, ({ environment, params }) =>
    leaderboards.periods(environment, params.key),
  )
  route(contract.hideLeaderboardEntry, ({ environment, actor, params, body }) =>
    admin.hide(environment, actor, params, body),
  )
  route(contract.removeLeaderboardEntry, ({ environment, actor, params }) =>
    admin.remove(environment, actor, params),
  )
  route(contract.resetLeaderboard, ({ environment, actor, params }) =>
    admin.reset(environment, actor, params.key),
  )
}
