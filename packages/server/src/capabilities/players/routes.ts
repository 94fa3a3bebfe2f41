import * as leaderboards from '@svc/contract/leaderboards'
import * as signIn from '@svc/contract/player-sign-in'
import * as contract from '@svc/contract/players'
import * as sharing from '@svc/contract/sharing'

import type { Route } from '../../edge/http/routes.ts'
import type { Accounts } from './accounts.ts'
import type { EmailAccounts } from './email/accounts.ts'
import type { Identities } from './identities/identities.ts'
import type { XProfiles } from './identities/x-profiles.ts'
import type { LeaderboardVisibility } from './leaderboard-visibility.ts'
import type { Search } from './search/search.ts'

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

export function identityRoutes(route: Route, identities: Identities) {
  route(signIn.listPlayerIdentities, ({ player }) => identities.list(player))
  route(signIn.unlinkPlayerIdentity, ({ player, params, body }) =>
    identities.unlink(player, params.provider, body.refreshToken),
  )
}

export function xProfileRoutes(route: Route, profiles: XProfiles) {
  route(sharing.readXProfile, ({ player }) => profiles.read(player))
  route(sharing.changeXProfile, ({ player, body }) => profiles.change(player, body))
  route(sharing.listXProfiles, ({ environment, query }) => profiles.list(environment, query))
}

export function leaderboardVisibilityRoutes(route: Route, visibility: LeaderboardVisibility) {
  route(leaderboards.readLeaderboardVisibility, ({ player }) => visibility.read(player))
  route(leaderboards.changeLeaderboardVisibility, ({ player, body }) => visibility.change(player, body))
}

export function searchRoutes(route: Route, search: Search) {
  route(contract.searchPlayers, ({ environment, query }) => search.find(environment, query))
  route(contract.readPlayerDetail, ({ environment, params }) => search.detail(environment, params.playerId))
}
