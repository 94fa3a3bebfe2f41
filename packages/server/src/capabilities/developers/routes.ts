import * as contract from '@svc/contract/developers'

import type { Route } from '../../edge/http/routes.ts'
import type { Accounts } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'

export function developersRoutes(route: Route, accounts: Accounts, sessions: DeveloperSessions) {
  route(contract.signUp, ({ body }) => accounts.signUp(body))
  route(contract.logIn, ({ body }) => accounts.logIn(body))
  route(contract.logOut, ({ bearer }) => sessions.end(bearer))
  route(contract.readMe, ({ developer }) => accounts.me(developer))
  route(contract.changePassword, ({ developer, bearer, body }) =>
    accounts.changePassword(developer, bearer, body),
  )

  route(contract.verifyEmail, ({ body }) => accounts.verifyEmail(body))
  route(contract.resendVerification, ({ developer }) => accounts.resendVerification(developer))
  route(contract.forgotPassword, ({ body }) => accounts.forgotPassword(body))
  route(contract.resetPassword, ({ body }) => accounts.resetPassword(body))
}
