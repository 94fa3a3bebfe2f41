import * as contract from '@svc/contract/players'

import type { Route } from '../../edge/http/routes.ts'
import type { DataRequests } from './data-requests.ts'

export function personalDataRoutes(route: Route, data: DataRequests) {
  route(contract.exportOwnData, ({ player }) => data.exportOwn(player))
  route(contract.deleteOwnAccount, ({ environment, player, body, client }) =>
    data.removeOwn(environment, player, body, client.address),
  )
  for (const endpoint of [contract.exportPlayer, contract.exportPlayerByPost]) {
    route(endpoint, ({ environment, actor, params }) => data.exportFor(environment, actor, params.playerId))
  }
  for (const endpoint of [contract.deletePlayer, contract.deletePlayerByDelete]) {
    route(endpoint, ({ environment, actor, params }) => data.removeFor(environment, actor, params.playerId))
  }
}
