import * as contract from '@svc/contract/events'

import type { Route } from '../../edge/http/routes.ts'
import type { Events } from './events.ts'

export function eventsRoutes(route: Route, events: Events) {
  route(contract.followEvents, ({ bearer, project, environment }) =>
    events.follow(bearer, environment, project.role),
  )
}
