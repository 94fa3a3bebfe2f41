import * as contract from '@svc/contract/player-sign-in'

import type { Route } from '../../edge/http/routes.ts'
import type { Identities } from './identities.ts'

export function identityRoutes(route: Route, identities: Identities) {
  route(contract.listPlayerIdentities, ({ player }) => identities.list(player))
  route(contract.unlinkPlayerIdentity, ({ player, params, body }) =>
    identities.unlink(player, params.provider, body.refreshToken),
  )
}
