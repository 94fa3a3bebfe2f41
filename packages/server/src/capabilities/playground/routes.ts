import { createPlaygroundPlayers, simulateNetwork } from '@svc/contract/playground'

import type { Route } from '../../edge/http/routes.ts'
import type { Playground } from './playground.ts'

export function playgroundRoutes(route: Route, playground: Playground) {
  route(createPlaygroundPlayers, ({ environment, body }) => playground.create(environment, body))
  route(simulateNetwork, ({ environment, body }) => playground.simulateNetwork(environment, body))
}
