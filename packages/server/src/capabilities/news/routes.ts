import * as contract from '@svc/contract/news'

import type { Route } from '../../edge/http/routes.ts'
import type { OptIn } from './opt-in.ts'

export function newsRoutes(route: Route, news: OptIn) {
  route(contract.readNewsBox, ({ environment, query }) => news.box(environment, query))
  route(contract.confirmNews, ({ body }) => news.confirm(body))
  route(contract.unsubscribeFromNews, ({ body }) => news.unsubscribe(body))
}
