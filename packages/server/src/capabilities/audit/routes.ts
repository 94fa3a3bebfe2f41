import * as contract from '@svc/contract/audit'

import type { Route } from '../../edge/http/routes.ts'
import type { Audit } from './audit.ts'

export function auditRoutes(route: Route, audit: Audit) {
  route(contract.listAudit, ({ project, query }) => audit.list(project, query))
}
