import * as contract from '@svc/contract/moderation'

import type { Route } from '../../edge/http/routes.ts'
import type { Ages } from './ages.ts'
import type { Appeals } from './appeals.ts'
import type { Bans } from './bans.ts'

export type Moderation = { bans: Bans; appeals: Appeals; ages: Ages }

export function moderationRoutes(route: Route, { bans, appeals, ages }: Moderation) {
  route(contract.banPlayer, ({ environment, actor, params, body }) =>
    bans.ban(environment, actor, params.playerId, body),
  )
  route(contract.banPlayerForTime, ({ environment, actor, params, body }) =>
    bans.banForTime(environment, actor, params.playerId, body),
  )
  route(contract.unbanPlayer, ({ environment, actor, params }) =>
    bans.unban(environment, actor, params.playerId),
  )

  route(contract.listOwnSanctions, ({ player }) => appeals.sanctionsOf(player))
  route(contract.appealSanction, ({ player, params, body }) =>
    appeals.appeal(player, params.sanctionId, body),
  )
  route(contract.appealWithToken, ({ environment, body }) => appeals.appealWithToken(environment, body))
  route(contract.listAppeals, ({ environment, query }) => appeals.list(environment, query))
  route(contract.resolveAppeal, ({ environment, actor, params, body }) =>
    appeals.resolve(environment, actor, params.appealId, body),
  )

  route(contract.readAgeProfile, ({ player }) => ages.profile(player))
  route(contract.declareAge, ({ player, body }) => ages.declare(player, body))
  route(contract.reportAgeSignal, ({ player, body }) => ages.signal(player, body))
  route(contract.correctAge, ({ environment, actor, params, body }) =>
    ages.correct(environment, actor, params.playerId, body),
  )
}
