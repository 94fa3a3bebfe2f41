import { readPlayerSave } from '@svc/contract/players'
import * as contract from '@svc/contract/saves'

import type { Route } from '../../edge/http/routes.ts'
import type { Saves } from './saves.ts'

export function savesRoutes(route: Route, saves: Saves) {
  route(contract.listSaves, ({ player }) => saves.list(player))
  route(readPlayerSave, ({ environment, params }) =>
    saves.read({ environmentId: environment.id, id: params.playerId, sessionId: '' }, params.key),
  )
  route(contract.readSave, ({ player, params }) => saves.read(player, params.key))
  route(
    contract.writeSave,
    ({ player, params, body, raw }) => saves.write(player, params.key, raw, body),
    saves.bodyLimit,
  )
  route(contract.deleteSave, ({ player, params, query }) => saves.remove(player, params.key, query))
}
