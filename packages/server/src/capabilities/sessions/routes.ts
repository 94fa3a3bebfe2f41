import { signOutPlayer } from '@svc/contract/players'
import * as contract from '@svc/contract/sessions'

import type { Page } from '../../edge/http/pages.ts'
import type { Route } from '../../edge/http/routes.ts'
import type { RefreshChains } from './refresh-chains.ts'
import type { SignOut } from './sign-out.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { TokenCheck } from './token-check.ts'
import type { TransferCodes } from './transfer-codes.ts'

export type Sessions = {
  chains: RefreshChains
  transfers: TransferCodes
  tokenCheck: TokenCheck
  signingKeys: SigningKeys
  signOut: SignOut
}

export function sessionsRoutes(
  route: Route,
  page: Page,
  { chains, transfers, tokenCheck, signingKeys, signOut }: Sessions,
) {
  route(contract.refreshSession, ({ environment, body, client }) => chains.refresh(environment, body, client))
  route(contract.logOutPlayer, ({ environment, body }) => chains.logOut(environment, body.refreshToken))
  route(contract.createTransferCode, ({ player }) => transfers.create(player))
  route(contract.redeemTransferCode, ({ environment, body }) => transfers.redeem(environment, body))
  route(signOutPlayer, ({ environment, actor, params }) =>
    signOut.signOut(environment, actor, params.playerId),
  )
  route(contract.verifyToken, ({ environment, body }) => tokenCheck(environment, body))

  page('/.well-known/jwks.json', async ({ query }) => ({
    type: 'application/json; charset=utf-8',
    headers: { 'Cache-Control': 'public, max-age=60', 'Access-Control-Allow-Origin': '*' },
    body: JSON.stringify(await signingKeys.published(query['env'])),
  }))
}
