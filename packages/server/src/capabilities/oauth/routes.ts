import * as contract from '@svc/contract/developers/provider-credentials'

import type { Route } from '../../edge/http/routes.ts'
import type { Credentials } from './credentials.ts'
import type { ProviderTest } from './provider-test.ts'

export function credentialsRoutes(route: Route, credentials: Credentials, test: ProviderTest) {
  route(contract.listProviderCredentials, ({ environment }) => credentials.list(environment))
  route(contract.readProviderCredentials, ({ environment, params }) =>
    credentials.read(environment, params.provider),
  )
  route(contract.writeProviderCredentials, ({ environment, actor, params, body }) =>
    credentials.write(environment, params.provider, actor, body),
  )
  route(contract.testProviderCredentials, ({ environment, params }) => test(environment, params.provider))
  route(contract.deleteProviderCredentials, ({ environment, actor, params }) =>
    credentials.remove(environment, params.provider, actor),
  )
}
