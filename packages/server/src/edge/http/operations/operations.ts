import * as contract from '@svc/contract/platform'

import { ApiError } from '../../../platform/api-error.ts'
import { isSecret } from '../../../platform/crypto.ts'
import type { Page, PageRequest } from '../pages.ts'
import type { Route } from '../routes.ts'
import type { Metrics } from './metrics.ts'
import type { Checks } from './readiness.ts'

type OperationsDeps = {
  checks: Checks
  /** The names of the engines that cannot do their work. */
  findDown(): Promise<string[]>
  /** The state of every part, for the operator. */
  partStates(): Promise<Record<string, contract.Part>>
  /** How well functions are isolated. */
  functionsLevel(): Promise<{ level: 'bubblewrap' | 'uid' | 'plain' | 'none'; account?: 'own' | 'service' }>
  /** How the newest backup went. */
  backups(): 'off' | 'waiting' | 'verified' | 'failed'
  /** Whether commits wait for a standby of the database. */
  databaseStandby(): 'synchronous' | 'none' | 'unknown'
  isStopping(): boolean
  /** Whether the service answers on a host name. */
  answersOn(host: string, address: string): Promise<boolean>
  metrics: Metrics
  /** Who may read the metrics and the state of the parts. */
  operator: { token: string } | 'this machine' | 'nobody'
}

/** Endpoints for the operator's programs: liveness, readiness, host names, metrics. */
export function operationsRoutes(route: Route, page: Page, deps: OperationsDeps) {
  const { checks, findDown, partStates, functionsLevel, isStopping, answersOn } = deps
  const { metrics, operator } = deps

  route(contract.readHealth, async () => ({ status: 'ok' as const }))

  const isOperator = (isFromThisMachine: boolean, bearer: string | undefined) =>
    typeof operator === 'object'
      ? isSecret(bearer, operator.token)
      : operator === 'this machine' && isFromThisMachine

  route(contract.readReadiness, async ({ query, client, bearer }) => {
    const down = await findDown()
    const parts =
      query.parts && isOperator(client.isFromThisMachine, bearer) ? { parts: await partStates() } : {}
    if (isStopping() || down.length > 0)
      throw new ApiError('service_unavailable', { stopping: isStopping(), down, ...parts })
    const { level, account } = await functionsLevel()
    return {
      status: 'ok' as const,
      checks: Object.fromEntries(Object.keys(checks).map((name) => [name, 'ok' as const])),
      functionsSandbox: level,
      functionsAccount: account ?? ('none' as const),
      backups: deps.backups(),
      databaseStandby: deps.databaseStandby(),
      ...parts,
    }
  })

  route(contract.readDomain, async ({ query, client }) => {
    // A proxy asks it before it requests a certificate for a name that a client sent.
    const domain = query.domain.toLowerCase()
    if (!(await answersOn(domain, client.address))) throw new ApiError('not_found')
    return { domain }
  })

  const answerMetrics = async ({ isFromThisMachine, bearer }: PageRequest) => {
    if (!isOperator(isFromThisMachine, bearer)) throw new ApiError('not_found')
    return { type: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics.text() }
  }
  page('/metrics', answerMetrics, { ownPages: true })
}
