import * as contract from '@svc/contract/sharing'

import type { Route } from '../../edge/http/routes.ts'
import type { XProfiles } from './x-profiles.ts'

export function xProfileRoutes(route: Route, profiles: XProfiles) {
  route(contract.readXProfile, ({ player }) => profiles.read(player))
  route(contract.changeXProfile, ({ player, body }) => profiles.change(player, body))
  route(contract.listXProfiles, ({ environment, query }) => profiles.list(environment, query))
}
