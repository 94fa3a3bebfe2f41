import * as contract from '@svc/contract/players'

import type { Route } from '../../edge/http/routes.ts'
import type { Accounts } from './accounts.ts'
import type { EmailAccounts } from './email-accounts.ts'
import type { Search } from './search.ts'

export function playersRoutes(route: Route, accounts: Accounts) {
  route(contract.signInAsGuest, ({ environment, body }) => accounts.signInAsGuest(environment, body))
  route(contract.readPlayer, ({ player }) => accounts.me(player))
  route(contract.changePlayer, ({ player, body }) => accounts.rename(player, body))
}

export function emailRoutes(route: Route, emails: EmailAccounts) {
  route(contract.signUpWithEmail, ({ environment, body, client }) =>
    emails.signUp(environment, body, client.address),
  )
  route(contract.logInWithEmail, ({ environment, body, client }) =>
    emails.logIn(environment, body, client.address),
  )
  route(contract.linkEmail, ({ environment, player, body, client }) =>
    emails.link(environment, player, body, client.address),
  )
  route(contract.verifyPlayerEmail, ({ environment, body }) => emails.verify(environment, body))
  route(contract.resendPlayerVerification, ({ environment, player, body }) =>
    emails.resend(environment, player, body),
  )
  route(contract.forgotPlayerPassword, ({ environment, body }) => emails.forgot(environment, body))
  route(contract.resetPlayerPassword, ({ environment, body, client }) =>
    emails.reset(environment, body, client.address),
  )
}

export function searchRoutes(route: Route, search: Search) {
  route(contract.searchPlayers, ({ environment, query }) => search.find(environment, query))
  route(contract.readPlayerDetail, ({ environment, params }) => search.detail(environment, params.playerId))
}
