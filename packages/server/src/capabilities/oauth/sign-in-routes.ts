import { isForPlayers } from '@svc/contract/common/endpoint'
import * as contract from '@svc/contract/player-sign-in'

import type { Page } from '../../edge/http/pages.ts'
import type { Route } from '../../edge/http/routes.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Exchange } from './exchange.ts'
import type { Native } from './native.ts'
import { failurePage } from './sign-in-pages.ts'
import type { SignIn } from './sign-in.ts'
import { parseStartQuery } from './start-query.ts'

export type PlayerSignIn = { signIn: SignIn; exchange: Exchange; native: Native }
/** The environment whose publishable key is in a link. */
type EnvironmentOfLink = (key: string | undefined, clientAddress: string) => Promise<Environment>

export function playerSignInRoutes(
  route: Route,
  page: Page,
  environmentOf: EnvironmentOfLink,
  { signIn, exchange, native }: PlayerSignIn,
) {
  route(contract.startPlayerSignIn, ({ environment, params, body, player }) =>
    signIn.start(environment, params.provider, body, player),
  )
  route(contract.exchangePlayerCode, ({ environment, body }) => exchange(environment, body))
  route(contract.signInNatively, ({ environment, player, params, body }) =>
    native(environment, player, params.provider, body),
  )

  // A link has no headers, so its key is in the query.
  const answer: Parameters<Page>[1] = async ({ params, query, address, acceptsHtml }) => {
    try {
      const environment = await environmentOf(query['key'], address)
      const start = await parseStartQuery(query)
      const { url } = await signIn.start(environment, params['provider'] ?? '', start)
      return { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' }
    } catch (error) {
      if (acceptsHtml && error instanceof ApiError) return failurePage(error)
      throw error
    }
  }
  page('/v1/auth/oauth/:provider/start', answer, { isForPlayers: isForPlayers(contract.startPlayerSignIn) })
}
