import { readPlayerStats } from '@svc/contract/players'
import * as contract from '@svc/contract/stats'

import type { Route } from '../../edge/http/routes.ts'
import type { Deliveries } from './deliveries.ts'
import type { ServerStats } from './server-stats.ts'
import type { Signals } from './signals.ts'
import type { Stats } from './stats.ts'
import type { VerificationWebhook } from './verification-webhook.ts'

type Parts = {
  signals: Signals
  stats: Stats
  serverStats: ServerStats
  webhook: VerificationWebhook
  deliveries: Deliveries
}

export function statsRoutes(route: Route, { signals, stats, serverStats, webhook, deliveries }: Parts) {
  route(contract.readStats, ({ player }) => stats.read(player))
  route(readPlayerStats, ({ environment, params }) => stats.byPeriod(environment.id, params.playerId))
  route(contract.submitStats, ({ environment, player, body, status, client }) =>
    stats.submit(environment, player, { ...body, status, idempotencyKey: client.idempotencyKey }),
  )
  route(contract.submitPlayerStats, ({ environment, actor, params, body }) =>
    serverStats.submit(environment, actor, params.playerId, body),
  )
  route(contract.readWebhookSecret, ({ environment }) => webhook.secret(environment))
  route(contract.listWebhookDeliveries, ({ environment, query }) => deliveries.list(environment, query))
  route(contract.replayWebhookDelivery, ({ environment, params }) => webhook.replay(environment, params.id))
  route(contract.listSignals, ({ environment, query }) => signals.list(environment, query))
  route(contract.testWebhook, ({ environment }) => webhook.test(environment))
}
