import * as contract from '@svc/contract/mail'

import type { Route } from '../../edge/http/routes.ts'
import type { Outbox } from './outbox.ts'

export function mailRoutes(route: Route, outbox: Outbox) {
  route(contract.listMails, ({ environment, developer, query }) => outbox.list(environment, developer, query))
  route(contract.deleteMails, ({ environment, actor }) => outbox.removeFinished(environment, actor))
  route(contract.readOutbox, ({ environment, query }) => outbox.read(environment, query.limit))
}
