import * as contract from '@svc/contract/requests'

import type { Route } from '../../edge/http/routes.ts'
import type { Requests } from './requests.ts'

export function requestsRoutes(route: Route, requests: Requests) {
  route(contract.listRequests, ({ environment, query }) => requests.list(environment, query))
  route(contract.readRequestSeries, ({ environment, query }) => requests.series(environment, query))
  route(contract.readRequest, ({ environment, params }) => requests.read(environment, params.requestId))
}
