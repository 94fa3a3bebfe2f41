import * as contract from '@svc/contract/hosting'

import type { Route } from '../../edge/http/routes.ts'
import type { Deployments } from './deployments.ts'
import type { Uploads } from './uploads.ts'

export function hostingRoutes(route: Route, deployments: Deployments, uploads: Uploads) {
  route(contract.createDeployment, ({ environment, actor, body }) =>
    deployments.create(environment, actor, body),
  )
  route(
    contract.uploadBlob,
    ({ environment, params, bytes }) => uploads.put(environment.projectId, params.sha256, bytes),
    uploads.bodyLimit,
  )
  route(contract.finalizeDeployment, ({ environment, actor, params, body }) =>
    deployments.finalize(environment, actor, params.ref, body),
  )
  route(contract.activateDeployment, ({ environment, actor, params }) =>
    deployments.activate(environment, actor, params.ref),
  )
  route(contract.listDeployments, ({ environment, query }) => deployments.list(environment, query))
  route(contract.readDeployment, ({ environment, params }) => deployments.read(environment, params.ref))
  route(contract.listActivations, ({ environment, query }) => deployments.activations(environment, query))
  route(contract.readHosting, ({ environment }) => deployments.hosting(environment))
}
