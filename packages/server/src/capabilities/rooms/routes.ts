import * as codeContract from '@svc/contract/realtime/code-rooms'
import * as contract from '@svc/contract/realtime/rooms'

import type { Route } from '../../edge/http/routes.ts'
import type { MyRooms } from './code/my-rooms.ts'
import type { ServerRooms } from './code/server-rooms.ts'
import type { RoomViews } from './live-view.ts'

export function roomRoutes(
  route: Route,
  { views, serverRooms, myRooms }: { views: RoomViews; serverRooms: ServerRooms; myRooms: MyRooms },
) {
  route(contract.listRooms, ({ environment, query }) => views.list(environment.id, query.mode))
  route(codeContract.listMyRooms, ({ player }) => myRooms(player.environmentId, player.id))
  route(codeContract.openRoom, ({ environment, body }) => serverRooms.open(environment, body))
  route(codeContract.messageRoom, ({ environment, params, body }) =>
    serverRooms.message(environment, params.roomId, body),
  )
  route(codeContract.closeRoom, ({ environment, actor, params }) =>
    serverRooms.close(environment, actor, params.roomId),
  )
  route(codeContract.readRoomState, ({ environment, actor, params, query }) =>
    serverRooms.state(environment, actor, params.roomId, query.reason),
  )
  route(codeContract.readRoomTurns, ({ environment, params }) =>
    serverRooms.turns(environment, params.roomId),
  )
}
