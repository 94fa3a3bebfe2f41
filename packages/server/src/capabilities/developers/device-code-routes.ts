import * as contract from '@svc/contract/developers/device-codes'

import type { Route } from '../../edge/http/routes.ts'
import type { DeviceCodes } from './device-codes.ts'

export function deviceCodeRoutes(route: Route, codes: DeviceCodes) {
  route(contract.createDeviceCode, ({ client }) => codes.create(client.address))
  route(contract.collectDeviceSession, ({ body, client }) => codes.collect(body, client.address))
  route(contract.findDeviceCode, ({ developer, body, client }) => codes.find(developer, body, client.address))
  route(contract.decideDeviceCode, ({ developer, bearer, body, client }) =>
    codes.decide(developer, bearer, body, client.address),
  )
}
