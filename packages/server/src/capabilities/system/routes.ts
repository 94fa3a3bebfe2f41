import * as contract from '@svc/contract/operator'

import type { Route } from '../../edge/http/routes.ts'
import type { Backups } from './backups.ts'
import type { System } from './system.ts'

export function systemRoutes(route: Route, system: System, backups: Backups) {
  route(contract.readSystem, ({ query }) => system.read(query))
  route(contract.readSystemSeries, ({ query }) => system.series(query))
  route(contract.checkEngine, ({ params }) => system.check(params.engine))
  route(contract.listBackups, () => backups.list())
  route(contract.createBackup, ({ actor }) => backups.create(actor))
}
