import * as browserCodes from '@svc/contract/developers/browser-codes'
import * as contract from '@svc/contract/developers/device-codes'

import type { Route } from '../../edge/http/routes.ts'
import type { BrowserCodes } from './browser-codes.ts'
import type { DeviceCodes } from './device-codes.ts'

/** A browser signs a command line in, and the reverse. */
export function deviceCodeRoutes(route: Route, codes: DeviceCodes, browsers: BrowserCodes) {
  route(contract.createDeviceCode, ({ client }) => codes.create(client.address))
  route(contract.collectDeviceSession, ({ body, client }) => codes.collect(body, client.address))
  route(contract.findDeviceCode, ({ developer, body, client }) => codes.find(developer, body, client.address))
  route(contract.decideDeviceCode, ({ developer, bearer, body, client }) =>
    codes.decide(developer, bearer, body, client.address),
  )
  route(browserCodes.createBrowserCode, ({ developer }) => browsers.create(developer))
  route(browserCodes.openBrowserSession, ({ body, client }) => browsers.open(body, client.address))
}
