import * as contract from '@svc/contract/money'

import type { Route } from '../../edge/http/routes.ts'
import type { Balance } from './balance.ts'
import type { Checkouts } from './checkouts.ts'
import type { Invites } from './invites.ts'
import type { Ledger } from './ledger.ts'
import type { UsageCharges } from './usage.ts'

type MoneyParts = {
  balance: Balance
  ledger: Pick<Ledger, 'list'>
  checkouts: Checkouts
  usage: UsageCharges
  invites: Pick<Invites, 'redeem'>
}

export function moneyRoutes(route: Route, { balance, ledger, checkouts, usage, invites }: MoneyParts) {
  route(contract.readPrepaid, ({ developer }) => balance.read(developer.id))
  route(contract.listLedger, ({ developer, query }) => ledger.list(developer.id, query))
  route(contract.createCheckout, ({ developer, body, client }) =>
    checkouts.create(developer.id, client.header('idempotency-key') ?? '', body),
  )
  route(contract.readCheckout, ({ developer, params }) => checkouts.read(developer.id, params.id))
  route(contract.readUsage, ({ developer, query }) => usage.read(developer.id, query))
  route(contract.redeemInviteCode, ({ developer, body, client }) =>
    invites.redeem(developer.id, body.code, client.address),
  )
  route(contract.receiveStripeEvent, ({ rawBody, client }) =>
    checkouts.receive(rawBody, client.header('stripe-signature')),
  )
}
