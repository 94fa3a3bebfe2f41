import * as contract from '@svc/contract/realtime/rooms'

import type { Route } from '../../edge/http/routes.ts'
import type { RoomViews } from './live-view.ts'

export function roomRoutes(route: Route, views: RoomViews) {
  route(contract.listRooms, ({ environment, query }) => views.list(environment.id, query.mode))
}
