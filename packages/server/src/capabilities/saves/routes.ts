import { deletePlayerSave, readPlayerSave, writePlayerSave } from '@svc/contract/players'
import * as contract from '@svc/contract/saves'

import type { Route } from '../../edge/http/routes.ts'
import type { AdminSaves } from './admin-saves.ts'
import type { Saves } from './saves.ts'

export function savesRoutes(route: Route, saves: Saves, admin: AdminSaves) {
  route(contract.listSaves, ({ player }) => saves.list(player))
  route(contract.readSave, ({ player, params }) => saves.read(player, params.key))
  route(
    contract.writeSave,
    ({ player, params, body, raw }) => saves.write(player, params.key, raw, body),
    saves.bodyLimit,
  )
  route(contract.deleteSave, ({ player, params, query }) => saves.remove(player, params.key, query))

  route(readPlayerSave, ({ environment, params }) => admin.read(environment, params.playerId, params.key))
  route(
    writePlayerSave,
    ({ environment, actor, params, body, raw }) => admin.write(environment, actor, params, raw, body),
    saves.bodyLimit,
  )
  route(deletePlayerSave, ({ environment, actor, params, query }) =>
    admin.remove(environment, actor, params, query),
  )
}
