import * as contract from '@svc/contract/developers/developers'

import type { Route } from '../../edge/http/routes.ts'
import type { AccountDeletion } from './account-deletion.ts'
import type { Accounts } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { SignUp } from './sign-up.ts'

type DeveloperParts = {
  signUp: Pick<SignUp, 'findLink'>
  accounts: Accounts
  sessions: DeveloperSessions
  deleteAccount: AccountDeletion
}

export function developersRoutes(
  route: Route,
  { signUp, accounts, sessions, deleteAccount }: DeveloperParts,
) {
  route(contract.findSignUpLink, ({ body }) => signUp.findLink(body))
  route(contract.signUp, ({ body, client }) => accounts.signUp(body, client.address))
  route(contract.logIn, ({ body, client }) => accounts.logIn(body, client.address))
  route(contract.logOut, ({ bearer }) => sessions.end(bearer))
  route(contract.readMe, ({ developer }) => accounts.me(developer))
  route(contract.renameMe, ({ developer, body }) => accounts.rename(developer, body))
  route(contract.deleteMe, ({ developer, body, client }) => deleteAccount(developer, body, client.address))
  route(contract.listOwnSessions, ({ developer, bearer }) => sessions.list(developer.id, bearer))
  route(contract.endOtherSessions, ({ developer, bearer }) => sessions.endAllBut(developer.id, bearer))
  route(contract.endOwnSession, ({ developer, params }) => sessions.endOne(developer.id, params.sessionId))
  route(contract.changePassword, ({ developer, bearer, body, client }) =>
    accounts.changePassword(developer, bearer, body, client.address),
  )

  route(contract.verifyEmail, ({ body }) => accounts.verifyEmail(body))
  route(contract.resendVerification, ({ developer }) => accounts.resendVerification(developer))
  route(contract.forgotPassword, ({ body }) => accounts.forgotPassword(body))
  route(contract.resetPassword, ({ body, client }) => accounts.resetPassword(body, client.address))
}
