import * as contract from '@svc/contract/audit'
import { listOperatorAudit } from '@svc/contract/operator'

import type { Route } from '../../edge/http/routes.ts'
import type { Audit } from './audit.ts'

export function auditRoutes(route: Route, audit: Audit) {
  route(contract.listAudit, ({ project, query }) => audit.list(project, query))
  route(listOperatorAudit, ({ query }) => audit.listOfOperators(query))
}
