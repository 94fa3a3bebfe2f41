import * as contract from '@svc/contract/developers/sign-in'

import type { Page } from '../../edge/http/pages.ts'
import type { Route } from '../../edge/http/routes.ts'
import { htmlPage } from '../../platform/http/pages.ts'
import type { SignIn } from './sign-in.ts'

export function signInRoutes(route: Route, page: Page, signIn: SignIn) {
  route(contract.startSignIn, ({ params, body, bearer }) => signIn.start(params.provider, body, bearer))
  route(contract.exchangeCode, ({ body, bearer, client }) => signIn.exchange(body, bearer, client.address))

  route(contract.listIdentities, ({ developer }) => signIn.identities.list(developer.id))
  route(contract.removeIdentity, ({ developer, bearer, params, body, client }) =>
    signIn.identities.remove(
      { developerId: developer.id, bearer, from: client.address },
      params.provider,
      body,
    ),
  )

  page('/v1/developers/oauth/:provider/callback', async ({ params, query }) => {
    const result = await signIn.callback(params['provider'] ?? '', query)
    if ('problem' in result) return PROBLEMS[result.problem]
    return { status: 302, headers: { Location: result.redirectTo, 'Cache-Control': 'no-store' }, body: '' }
  })
}

const PROBLEMS = {
  state_expired: {
    ...htmlPage({
      title: 'Sign-in',
      main: `<h1>This sign-in has expired</h1><p>It took too long, or this page was opened twice. Go back and sign in again.</p>`,
    }),
    status: 400,
  },
  provider_disabled: {
    ...htmlPage({
      title: 'Sign-in',
      main: `<h1>Sign-in provider not available</h1><p>This sign-in provider is not offered here.</p>`,
    }),
    status: 404,
  },
}
