import * as contract from '@svc/contract/leaderboards'

import type { Route } from '../../edge/http/routes.ts'
import type { LeaderboardVisibility } from './leaderboard-visibility.ts'

export function leaderboardVisibilityRoutes(route: Route, visibility: LeaderboardVisibility) {
  route(contract.readLeaderboardVisibility, ({ player }) => visibility.read(player))
  route(contract.changeLeaderboardVisibility, ({ player, body }) => visibility.change(player, body))
}
