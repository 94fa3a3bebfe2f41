import * as contract from '@svc/contract/functions'

import type { Route } from '../../edge/http/routes.ts'
import type { Crons } from './crons.ts'
import type { Databases } from './databases.ts'
import type { Deployments } from './deployments/deployments.ts'
import type { Functions } from './functions.ts'
import type { Logs } from './logs.ts'
import type { FunctionSecrets } from './secrets.ts'
import type { FunctionSeries } from './series.ts'

type FunctionParts = {
  functions: Functions
  deployments: Deployments
  secrets: FunctionSecrets
  databases: Databases
  crons: Crons
  logs: Logs
  series: FunctionSeries
}

export function functionsRoutes(route: Route, parts: FunctionParts) {
  const { functions, deployments, secrets, databases, crons, logs, series } = parts

  route(contract.readFunctions, ({ environment }) => functions.status(environment))
  route(contract.enableFunctions, ({ environment, actor, body }) =>
    functions.enable(environment, actor, body),
  )
  route(contract.disableFunctions, ({ environment, actor }) => functions.disable(environment, actor))
  route(contract.limitFunctions, ({ environment, actor, body }) =>
    functions.setLimits(environment, actor, body),
  )
  route(contract.removeFunctions, ({ environment, actor, query }) =>
    functions.remove(environment, actor, query.purge === true),
  )

  route(contract.deployFunctions, ({ environment, actor, body }) =>
    deployments.deploy(environment, actor, body),
  )
  route(contract.listFunctionDeployments, ({ environment, query }) =>
    deployments.list(environment, query.limit ?? 20),
  )

  route(contract.readFunctionSourceMap, ({ environment, params }) =>
    deployments.sourceMap(environment, params.version),
  )

  route(contract.listFunctionSecrets, ({ environment }) => secrets.list(environment))
  route(contract.readFunctionSecret, ({ environment, params }) => secrets.read(environment, params.name))
  route(contract.writeFunctionSecret, ({ environment, actor, params, body }) =>
    secrets.write(environment, actor, params.name, body.value),
  )
  route(contract.deleteFunctionSecret, ({ environment, actor, params }) =>
    secrets.remove(environment, actor, params.name),
  )

  route(contract.queryFunctionDatabase, ({ environment, actor, params, body }) =>
    databases.query(environment, actor, params.binding, body),
  )
  route(contract.migrateFunctionDatabase, ({ environment, actor, params, body }) =>
    databases.migrate(environment, actor, params.binding, body),
  )
  route(contract.runFunctionCron, ({ environment, body }) => crons.runNow(environment, body.cron))
  route(contract.readFunctionSeries, ({ environment, query }) => series.read(environment, query.minutes))
  route(contract.readFunctionLogs, ({ environment, query }) => logs(environment, query))
}
