import * as contract from '@svc/contract/platform'

import { ApiError } from '../../platform/api-error.ts'
import type { Metrics } from './metrics.ts'
import type { Page } from './pages.ts'
import type { Route } from './routes.ts'

export type OperationsNeeds = {
  /** One question to each engine, by its name. */
  checks: Record<string, () => Promise<void>>
  isStopping(): boolean
  metrics: Metrics
  metricsToken: string | null
}

/** What an operator's machines ask: liveness, readiness, metrics. */
export function operationsRoutes(
  route: Route,
  page: Page,
  { checks, isStopping, metrics, metricsToken }: OperationsNeeds,
) {
  route(contract.readHealth, async () => ({ status: 'ok' as const }))

  route(contract.readReadiness, async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, ask]) => [name, await ask().then(...OK_OR_DOWN)] as const),
    )
    const down = results.filter(([, result]) => result === 'down').map(([name]) => name)
    if (isStopping() || down.length > 0)
      throw new ApiError('service_unavailable', { stopping: isStopping(), down })
    return { status: 'ok' as const, checks: Object.fromEntries(results) as Record<string, 'ok'> }
  })

  page('/metrics', async ({ address, bearer }) => {
    // Figures of the whole service are the operator's: from this machine, or with the token of SVC_METRICS_TOKEN.
    const allowed = metricsToken === null ? isLoopback(address) : bearer === metricsToken
    if (!allowed) throw new ApiError('not_found')
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body: metrics.text() }
  })
}

const OK_OR_DOWN = [() => 'ok' as const, () => 'down' as const] as const

const isLoopback = (address: string) => address === '::1' || /^(::ffff:)?127\./.test(address)
