import * as contract from '@svc/contract/operator'

import type { Route } from '../../edge/http/routes.ts'
import { ApiError } from '../../platform/api-error.ts'
import type { SignUp } from './sign-up.ts'

export function operatorRoutes(route: Route, signUp: SignUp) {
  route(contract.listDevelopers, ({ query }) => signUp.list(query))

  route(contract.inviteDeveloper, async ({ body, actor }) => {
    signUp.requireInvitations()
    const { email, expiresAt, link, isMailed } = await signUp.invite(body.email, actor)
    return { invitation: { email, expiresAt }, link, mailed: isMailed }
  })

  route(contract.revokeInvitation, async ({ params, actor }) => {
    if ((await signUp.revoke(params.email, actor)) === 0) throw new ApiError('not_found')
    return { deleted: true as const }
  })
}
