import * as contract from '@svc/contract/config/config'
import { readDefinitions } from '@svc/contract/game-data'

import type { Route } from '../../edge/http/routes.ts'
import type { Configs } from './config.ts'
import type { ReadDefinitions } from './definitions.ts'

export function configRoutes(route: Route, config: Configs, definitions: ReadDefinitions) {
  route(contract.readConfig, ({ environment }) => config.read(environment))
  route(contract.pushConfig, ({ environment, actor, query, body }) =>
    query.dryRun ? config.dryRun(environment, body) : config.push(environment, actor, body),
  )
  route(contract.listConfigVersions, ({ environment, query }) => config.history(environment, query))
  route(contract.readConfigVersion, ({ environment, params }) => config.version(environment, params.version))
  route(contract.restoreConfigVersion, ({ environment, actor, params }) =>
    config.restore(environment, actor, params.version),
  )
  route(contract.listFeatures, ({ environment }) => config.features(environment))
  route(readDefinitions, ({ environment }) => definitions(environment))
}
