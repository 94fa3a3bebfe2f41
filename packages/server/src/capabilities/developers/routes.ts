import * as contract from '@svc/contract/developers'

import type { Route } from '../../edge/http/routes.ts'
import type { Accounts } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'

export function developersRoutes(route: Route, accounts: Accounts, sessions: DeveloperSessions) {
  route(contract.signUp, ({ body, client }) => accounts.signUp(body, client.address))
  route(contract.logIn, ({ body, client }) => accounts.logIn(body, client.address))
  route(contract.logOut, ({ bearer }) => sessions.end(bearer))
  route(contract.readMe, ({ developer }) => accounts.me(developer))
  route(contract.changePassword, ({ developer, bearer, body, client }) =>
    accounts.changePassword(developer, bearer, body, client.address),
  )

  route(contract.verifyEmail, ({ body }) => accounts.verifyEmail(body))
  route(contract.resendVerification, ({ developer }) => accounts.resendVerification(developer))
  route(contract.forgotPassword, ({ body }) => accounts.forgotPassword(body))
  route(contract.resetPassword, ({ body, client }) => accounts.resetPassword(body, client.address))
}
